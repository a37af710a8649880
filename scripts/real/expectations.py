# SPDX-License-Identifier: Apache-2.0
"""Expectations: what the tests of a suite must come to, as a text.

Below a line that is not indented, which is a reason, are the tests that do not pass for it: their result and name. The last
section has a line per file: how many of its tests pass, and how many are skipped.
"""
import collections
import dataclasses

UNEXPLAINED = "not explained"
FILES = "passed and skipped, by file"
RESULTS = ("failed", "crashed", "too long")


@dataclasses.dataclass(frozen=True)
class Other:
    """A test that is not expected to pass."""
    result: str
    reason: str


class Expectations:
    def __init__(self, others, counts):
        self.others = others  # The key is the name of the test.
        self.counts = counts  # (passed, skipped) by the name of the file.

    @staticmethod
    def read(path):
        others, counts, reason = {}, {}, ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("  "):
                reason = line.strip()
            elif reason == FILES:
                passed, skipped, file = line.split(maxsplit=2)
                counts[file] = (int(passed), int(skipped))
            else:
                result = next(name for name in RESULTS if line.strip().startswith(name))
                others[line.strip()[len(result):].strip()] = Other(result, reason)
        return Expectations(others, counts)

    def result(self, test):
        return self.others[test].result if test in self.others else "passed"

    def reason(self, test):
        return self.others[test].reason

    def tests_of(self, file):
        return [test for test in self.others if test.partition("::")[0] == file]

    def count(self, file, result):
        return self.counts.get(file, (0, 0))[("passed", "skipped").index(result)]

    def renewed(self, found):
        """Returns a copy updated with the results of some files, {file: {test: (result, message)}}."""
        others = {test: other for test, other in self.others.items() if test.partition("::")[0] not in found}
        counts = {file: count for file, count in self.counts.items() if file not in found}
        for file, results in found.items():
            outcomes = [result for result, _ in results.values()]
            counts[file] = (outcomes.count("passed"), outcomes.count("skipped"))
            for test, (result, message) in results.items():
                if result in RESULTS:
                    others[test] = Other(result, self.reason_for(test, result, message))
        return Expectations(others, counts)

    def reason_for(self, test, result, message):
        if test in self.others and self.others[test].result == result:
            return self.others[test].reason
        first = (message.splitlines() or [""])[0][:160]
        return f"{UNEXPLAINED}: {first}" if first else UNEXPLAINED

    def text(self):
        by_reason = collections.defaultdict(list)
        for test, other in self.others.items():
            by_reason[other.reason].append(f"  {other.result} {test}")
        lines = []
        for reason in sorted(by_reason):
            lines += [reason, *sorted(by_reason[reason])]
        lines += [FILES, *(f"  {passed} {skipped} {file}" for file, (passed, skipped) in sorted(self.counts.items()))]
        return "\n".join(lines) + "\n"
