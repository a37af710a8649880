# SPDX-License-Identifier: Apache-2.0
"""FileRun: the tests of one file, by pytest, in as many processes as it takes."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

AGAIN = 70  # The exit code of pytest_results.py after a failed test.
TRIES = 2000  # The limit of runs for one file, each of which ends at a failure.


class FileRun:
    def __init__(self, tests, file, environment, seconds, options=()):
        self.tests, self.file, self.environment, self.seconds, self.options = tests, file, environment, seconds, options

    def results(self):
        """Returns {test: (result, message)}: passed, skipped, failed, crashed, too long."""
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder) / "results"
            for _ in range(TRIES):
                ended = self.process(lines)
                found, unfinished = self.read(lines)
                if unfinished:
                    result, message = self.end_of(ended)
                    with lines.open("a", encoding="utf-8") as out:
                        out.write(json.dumps({"test": unfinished, "result": result, "message": message}) + "\n")
                elif ended.returncode != AGAIN:
                    if ended.returncode not in (0, 1, 5) and not found:
                        return {self.file: ("failed", (ended.stderr or ended.stdout)[-400:])}
                    return found
        return {self.file: ("failed", "does not end")}

    def process(self, lines):
        environment = dict(self.environment, AFTERLIFE_RESULTS=str(lines), AFTERLIFE_RESULTS_SECONDS=str(self.seconds))
        return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_results", *self.options,
                               "--rootdir", ".", self.file],
                              cwd=self.tests, env=environment, capture_output=True, text=True, errors="replace")

    @staticmethod
    def read(lines):
        """Returns the results so far, and the test that began but did not end."""
        found, open_ = {}, ""
        for line in map(json.loads, lines.read_text(encoding="utf-8").splitlines() if lines.is_file() else ()):
            open_ = "" if "result" in line else line["test"]
            if "result" in line:
                found[line["test"]] = (line["result"], line["message"])
        return found, open_

    @staticmethod
    def end_of(ended):
        last = [line for line in ended.stderr.splitlines() if line.startswith("afterlife:")]
        if ended.returncode == 1:  # The watchdog of pytest_results.py exits with this code.
            return "too long", ""
        how = signal.Signals(-ended.returncode).name if ended.returncode < 0 else f"exit {ended.returncode}"
        return "crashed", f"{how}{': ' + last[-1] if last else ''}"
