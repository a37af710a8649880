# SPDX-License-Identifier: Apache-2.0
"""ProgramRun: a program that the user has built, run once in its own folder."""
import os
import signal
import subprocess

WAIVED = 2  # The exit code of NVIDIA's samples if the device lacks a feature.


class ProgramRun:
    def __init__(self, folder, name, environment, seconds):
        self.folder, self.name, self.environment, self.seconds = folder, name, environment, seconds

    def results(self):
        """Returns {name: (result, message)}: passed, skipped, failed, crashed, too long. Empty if the program is not built."""
        found = [path for path in sorted(self.folder.rglob(self.name)) if path.is_file() and os.access(path, os.X_OK)]
        return {self.name: self.result(found[0])} if found else {}

    def result(self, program):
        try:
            ended = subprocess.run([program], cwd=program.parent, env=self.environment, capture_output=True, text=True,
                                   errors="replace", timeout=self.seconds)
        except subprocess.TimeoutExpired:
            return "too long", ""
        said = (ended.stdout + ended.stderr).splitlines()
        told = [line for line in said if line.startswith("afterlife:")] or said
        if ended.returncode < 0:
            return "crashed", f"{signal.Signals(-ended.returncode).name}: {told[-1] if told else ''}"
        if ended.returncode == WAIVED:
            return "skipped", ""
        good = ended.returncode == 0 and not any("FAIL" in line for line in said)  # Some programs exit with 0 after a failure.
        return ("passed", "") if good else ("failed", told[-1] if told else f"exit {ended.returncode}")
