#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the driver on a GPU, each in turn: what follows a test that fails runs in a new process, since a kernel that goes
wrong breaks the context, and with it every later call of its process.

Usage: scripts/measure/gpu_tests.py [--preset PRESET] [--only FILTER] [--write FILE] | --self-test

Prints each test that failed with its words, and how many passed, failed and were skipped. --only is a filter of GoogleTest's; without it,
all tests that a GPU is asked. --write makes a list of all tests, as in results/gpu/*/conformance.txt. --self-test runs a program whose
tests break what follows, crash and hang up. Exit: 0 none failed, 1 some did, 2 the tests are not built or there are none, 3 usage.
"""
import collections
import dataclasses
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import command_line  # noqa: E402
from common import programs  # noqa: E402

ALL = "*/gpu:*TwinSimAndGpu*"
BEGUN = re.compile(r"\[ RUN      \] (\S+)$")
ENDED = re.compile(r"\[( {7}OK|  SKIPPED|  FAILED ) ?\] (\S+?)(?:, where .*)?(?: \(\d+ ms\))?$")
RESULTS = {"OK": "ok", "SKIPPED": "skipped", "FAILED": "failed"}
SILENCE_SECONDS = 300  # A driver that has not answered by then never does.


@dataclasses.dataclass
class Outcome:
    """The result of a test: ok, skipped or failed; `words` is all of its output."""
    name: str
    result: str
    words: str

    @property
    def passed(self):
        return {"ok": True, "skipped": None, "failed": False}[self.result]


def listed(text):
    """Returns the test names in the output of --gtest_list_tests."""
    names, suite = [], ""
    for line in text.splitlines():
        name = line.split("  #")[0].strip()
        if line.startswith("  "):
            names.append(suite + name)
        elif name.endswith("."):
            suite = name
    return names


def outcomes(ended):
    """Returns the tests that a process ran, up to the first one that failed or did not end: with --gtest_fail_fast, the tests after it are reported as
    skipped, though they were not run.
    """
    found, running, words = [], None, []
    for line in ended.out.splitlines():
        if begun := BEGUN.search(line):
            running, words = begun[1], []
        elif running is not None and (end := ENDED.search(line)) and end[2] == running:
            found.append(Outcome(running, RESULTS[end[1].strip()], "\n".join(words)))
            running = None
            if found[-1].result == "failed":
                return found
        else:
            words.append(line)
    if running is not None:
        found.append(Outcome(running, "failed", "\n".join([*words, f"the process ended in it, exit {ended.code}", ended.err[-2000:]])))
    return found


def run(ask, only=ALL):
    """Returns the outcomes of all tests of a program. `ask` runs the program with arguments."""
    waiting = listed(ask("--gtest_list_tests", f"--gtest_filter={only}").out)
    done = []
    while waiting:
        with tempfile.NamedTemporaryFile("w", suffix=".flags") as flags:
            flags.write(f"--gtest_filter={':'.join(waiting)}\n")
            flags.flush()
            ended = ask("--gtest_fail_fast", f"--gtest_flagfile={flags.name}")
        came = outcomes(ended) or [Outcome(waiting[0], "failed", f"exit {ended.code} before any test\n{ended.err[-2000:]}")]
        if ended.code and came[-1].result != "failed":
            came.append(Outcome(f"the end of the process behind {came[-1].name}", "failed", f"exit {ended.code}\n{ended.err[-2000:]}"))
        done += came
        asked = {each.name for each in came}
        waiting = [name for name in waiting if name not in asked]
    return done


def of_preset(preset, only=ALL):
    """Returns the outcomes of the tests of a build."""
    return run(lambda *flags: programs.run(preset, "afterlife_tests", *flags, silence_seconds=SILENCE_SECONDS), only)


def sums(done):
    counts = collections.Counter(each.result for each in done)
    return f"{counts['ok']} passed, {counts['failed']} failed, {counts['skipped']} skipped"


def text_of(done):
    """Returns the list of all tests, by name."""
    lines = [f"{each.result:<7} {each.name}" for each in sorted(done, key=lambda each: each.name)]
    return "\n".join([sums(done) + ".", "", *lines]) + "\n"


# ---- checking itself ------------------------------------------------------------------------------------------------

PLANTED = ("passes", "breaks", "follows", "is_left_out", "crashes", "works")
EXPECTED = {"passes": "ok", "breaks": "failed", "follows": "ok", "is_left_out": "skipped", "crashes": "failed", "works": "ok"}


def planted(*flags):
    """Stands in for a program with a test that breaks the context and a test that ends the process."""
    if flags[0] == "--gtest_list_tests":
        return programs.Ended(0, "Running main()\nDevices/Planted.\n" + "".join(f"  {name}/gpu  # GetParam() = 2\n" for name in PLANTED), "", 0, 0)
    wanted = pathlib.Path(flags[1].split("=", 1)[1]).read_text().strip().split("=", 1)[1].split(":")
    lines, is_broken = [], False
    for name in (f"Devices/Planted.{name}/gpu" for name in PLANTED):
        if name not in wanted:
            continue
        lines.append(f"[ RUN      ] {name}")
        if "crashes" in name and not is_broken:
            return programs.Ended(-11, "\n".join(lines), "no words", 0, 0)
        if "breaks" in name:
            is_broken = True
            lines += ["    Which is: 700", f"[  FAILED  ] {name}, where GetParam() = 4-byte object <02-00 00-00> (1 ms)"]
        else:
            lines.append(f"[  SKIPPED ] {name} (0 ms)" if is_broken or "left_out" in name else f"printed without an end[       OK ] {name} (12 ms)")
    return programs.Ended(int(is_broken), "\n".join(lines), "", 0, 0)


def self_test():
    done = run(planted)
    found = {each.name.split(".")[1].split("/")[0]: each.result for each in done}
    words = {each.name: each.words for each in done}
    good = found == EXPECTED and len(done) == len(EXPECTED)
    good = good and "700" in words["Devices/Planted.breaks/gpu"] and "exit -11" in words["Devices/Planted.crashes/gpu"]
    print(f"gpu_tests: {'what breaks a context, and what crashes, is one failure each' if good else found}")
    return 0 if good else 1


def main():
    line = command_line.CommandLine(__doc__)
    line.add_argument("--preset", default="release")
    line.add_argument("--only", default=ALL)
    line.add_argument("--write", type=pathlib.Path)
    line.add_argument("--self-test", action="store_true")
    given = line.parse_args()
    if given.self_test:
        return self_test()
    if not programs.exists(given.preset, "afterlife_tests"):
        print(f"build/{given.preset}/afterlife_tests is not built", file=sys.stderr)
        return 2
    done = of_preset(given.preset, given.only)
    for each in done:
        if each.result == "failed":
            print(f"FAILED {each.name}\n{each.words}")
    print(sums(done))
    if given.write:
        given.write.write_text(text_of(done))
    return 2 if not done else int(any(each.result == "failed" for each in done))


if __name__ == "__main__":
    sys.exit(main())
