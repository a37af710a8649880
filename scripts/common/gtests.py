# SPDX-License-Identifier: Apache-2.0
"""GoogleTest programs, run in parts beside each other, and the count of what passed, failed and was skipped."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import tempfile
import time

from common import programs

WORDS_LINES = 12  # Lines shown of each failure when it is repeated at the end.
PARTS_OF_A_CORE = 8
SLOWEST_COUNT = 8
SILENCE_SECONDS = 1800  # Four times the duration of the longest test in the slowest build on a busy core.


class Tally(collections.Counter):
    """The number of checks that passed, failed and were skipped; the failures with their causes, and the count of each skip reason."""

    def __init__(self, *counts):
        super().__init__(*counts)
        self.failures, self.reasons = [], collections.Counter()

    def add(self, passed, line, words=""):
        """Counts a check. `words` say why it failed or was skipped."""
        self[{True: "passed", False: "failed", None: "skipped"}[passed]] += 1
        if passed is False:
            self.failures.append("\n    ".join([line, *words.splitlines()[:WORDS_LINES]]))
            print(f"  FAILED: {line}", flush=True)
        elif passed is None:
            self.reasons[words or line] += 1

    def report(self):
        """Returns the skip reasons with their counts, and the failures with their causes."""
        skipped = "".join(f"\nskipped: {count} times: {reason}" for reason, count in self.reasons.most_common())
        failed = "".join(f"\nFAILED: {failure}" for failure in self.failures)
        return f"{skipped}{failed}\n" if skipped or failed else ""

    def __str__(self):
        return f"{self['passed']} passed, {self['failed']} failed, {self['skipped']} skipped"


def gtest(tally, preset, name, only="*", **how):
    """Runs a GoogleTest program in parts, one more at a time than there are cores, since tests of hangs wait; counts each of its tests, and shows the
    failures. A part is stopped only if it makes no progress, never just because the machine is slow.
    """
    if not programs.exists(preset, name):
        return tally.add(False, f"build/{preset}/{name} is not built")
    cores = len(os.sched_getaffinity(0))
    parts = PARTS_OF_A_CORE * cores
    with concurrent.futures.ThreadPoolExecutor(cores + 1) as pool:
        ended = list(pool.map(lambda part: run_part(preset, name, only, part, parts, **how), range(parts)))
    for part, (code, output, tests) in enumerate(ended, 1):
        reasons = skip_reasons(output)
        for test in tests:
            full_name = f"{test['classname']}.{test['name']}"
            failed = "\n".join(failure["failure"] for failure in test.get("failures", []))
            passed = None if test["result"] == "SKIPPED" else "failures" not in test
            tally.add(passed, f"{preset} {name}: {full_name}", reasons.get(full_name, "no reason is given") if passed is None else failed)
        if code:
            print(without_passed(output, tests))
        if code and all("failures" not in test for test in tests):
            tally.add(False, f"{preset} {name}: part {part} of {parts}, exit {code}, {last_begun(output)}")
    if not any(tests for _, _, tests in ended):
        tally.add(False, f"{preset} {name}: no test ran")
    print(f"  slowest: {slowest([test for _, _, tests in ended for test in tests])}", flush=True)


def run_part(preset, name, only, part, parts, env=None):
    """Returns the exit code, the output and the tests of one part of a GoogleTest program."""
    began = time.monotonic()
    shard = {"GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(part)}
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        ended = programs.run(preset, name, f"--gtest_filter={only}", f"--gtest_output=json:{report.name}",
                             env=shard | (env or {}), silence_seconds=SILENCE_SECONDS)
        text = pathlib.Path(report.name).read_text()
    suites = json.loads(text)["testsuites"] if text else []
    tests = [test for suite in suites for test in suite["testsuite"]]
    if tests or ended.code:
        print(f"  part {part + 1} of {parts} of {name}: {len(tests)} tests, exit {ended.code}, {time.monotonic() - began:.0f} s", flush=True)
    return ended.code, ended.out + ended.err, tests


def skip_reasons(output):
    """Returns the reason printed for each skipped test, by test name."""
    found = re.findall(r"^\[ RUN      \] (\S+)\n(?:(?!^\[ ).*\n)*?\S+: Skipped\n((?:(?!^\[ ).*\n)*)\n?^\[  SKIPPED \]", output, re.M)
    return {name: " ".join(words.split()) for name, words in found}


def slowest(tests):
    """Returns the tests that took longest, in seconds."""
    times = sorted(((float(test["time"].rstrip("s")), f"{test['classname']}.{test['name']}") for test in tests), reverse=True)
    return ", ".join(f"{name} {seconds:.0f}" for seconds, name in times[:SLOWEST_COUNT])


def without_passed(output, tests):
    """Returns the output of a failed part without the tests that passed. If the part was killed, returns the end of its output."""
    if not tests:
        return output[-20_000:]
    return "\n".join(line for line in output.splitlines()
                     if not re.match(r"\[( RUN  |   *OK |-----|=====)", line) and line.strip())


def last_begun(output):
    """Returns the test in which a part ended."""
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    return f"in {begun[-1]}" if begun else "before its first test"
