#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counters: exact numbers of two sides: the work that a program does, and its instructions.

Usage: scripts/gate/counters.py --self-test

Instructions are counted by cachegrind, of a stripped copy (it gives up on our debug information), with an empty
environment, without address randomisation and without a timer: a watchdog that ticks a few times a second would count
the time that a run takes. Exit: 0 all plants were judged rightly, 1 not, 3 usage.
"""
import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import subprocess

import outcome
import revisions
import self_tested

FIRST_RUNS, ALL_RUNS = 100, 300
START_ALLOWED = 0.1  # The start gets longer with every new command-line option, by about a microsecond.
REFS = re.compile(r"I +refs: +([\d,]+)")


@dataclasses.dataclass
class Row:
    name: str
    base: int | None
    head: int | None
    verdict: str  # equal, fell, grew, within (the allowed growth), new, gone

    @property
    def is_red(self):
        return self.verdict in ("grew", "gone")

    def as_json(self):
        return {"name": self.name, "base": self.base, "head": self.head, "verdict": self.verdict}

    def __str__(self):
        if self.verdict in ("new", "gone"):
            return f"{self.verdict}: {self.name}"
        percent = f", {100 * (self.head / self.base - 1):+.2f} %" if self.base else ""
        return f"{self.verdict}: {self.name}: {self.base} -> {self.head}{percent}"


def verdict(base, head, allowed):
    if base is None:
        return "new"
    if head is None:
        return "gone"
    if head == base:
        return "equal"
    if head < base:
        return "fell"
    return "grew" if head > base * (1 + allowed) else "within"


def compared(base, head, allowed):
    """Returns a row for each number of either side."""
    def judged(name):
        mine = START_ALLOWED if name == "start" else allowed
        return Row(name, base.get(name), head.get(name), verdict(base.get(name), head.get(name), mine))
    return [judged(name) for name in sorted(base | head)]


def told(kind, rows):
    """Returns a text with the rows that differ, worst first, and a summary."""
    counts = {}
    for row in rows:
        counts[row.verdict] = counts.get(row.verdict, 0) + 1
    order = ("gone", "grew", "new", "fell", "within")
    lines = [f"  {row}" for word in order for row in rows if row.verdict == word and word != "new"]
    total = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    return "\n".join([f"{kind}: {total or 'none'}", *lines])


# ---- measuring ----

def of_work(side):
    """Returns the turns, choices, allocations and other counts of every sound variant; empty if the revision cannot count them."""
    ended = subprocess.run([side.program("afterlife"), "counters", "--json"], cwd=side.tree, capture_output=True, text=True)
    if ended.returncode == 3:
        return {}
    return numbers_in(f"{side.name}: afterlife counters", outcome.json_of(f"{side.name}: afterlife counters", ended))


def numbers_in(name, found):
    """Returns the counters by case and name."""
    try:
        numbers = {f"{case} {counter}": value for case, row in found["counters"].items() for counter, value in row.items()}
    except (KeyError, AttributeError):
        raise revisions.CannotCompare(f"{name} printed JSON without counters") from None
    wrong = [name_of for name_of, value in numbers.items() if type(value) is not int or value < 0]
    if wrong or not numbers:
        raise revisions.CannotCompare(f"{name} printed no number for '{wrong[0]}'" if wrong else f"{name} counted nothing")
    return numbers


def of_instructions(side):
    """Returns the instructions of a start, of a fixed number of runs of a sound variant of each path, and of all committed programs. The startup cost of the
    runs is excluded: only the runs after the first ones are counted.
    """
    if shutil.which("valgrind") is None:
        raise revisions.CannotCompare("instructions are counted by valgrind, which is not installed")
    stripped = side.tree / "build/stripped"
    ended = subprocess.run(["strip", "-o", stripped, side.program("afterlife")], capture_output=True, text=True)
    if ended.returncode:
        raise revisions.CannotCompare(f"{side.name}: strip {outcome.how_ended(ended.returncode)}: {revisions.last_line(ended.stderr)}")
    work = {("start", 0): ["--version"]}
    for name in side.sound_of_each_path():
        for runs in (FIRST_RUNS, ALL_RUNS):
            work[name, runs] = ["fuzz", name, "--runs", str(runs), "--seed", "1", "--out", "build/none"]
    if of_work(side):
        work["counters", 0] = ["counters", "--json"]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        counted = dict(zip(work, pool.map(lambda arguments: instructions(side, stripped, arguments), work.values())))
    return without_starts(counted)


def without_starts(counted):
    """Subtracts the startup instructions; for counts measured with two numbers of runs, returns the difference."""
    alone = {name: count - counted["start", 0] * (name != "start") for (name, runs), count in counted.items() if runs == 0}
    return alone | {f"{name}, {runs - FIRST_RUNS} runs": count - counted[name, FIRST_RUNS]
                    for (name, runs), count in counted.items() if runs == ALL_RUNS}


def instructions(side, program, arguments):
    command = ["env", "-i", "prlimit", "--sigpending=0", "setarch", "-R", "valgrind", "--tool=cachegrind", "--cache-sim=no",
               "--cachegrind-out-file=/dev/null", str(program), *arguments]
    ended = subprocess.run(command, cwd=side.tree, capture_output=True, text=True)
    match = REFS.search(ended.stderr)
    if ended.returncode not in (0, 1) or not match:  # Exit code 1: too few runs for the verdict "held".
        raise revisions.CannotCompare(f"{side.name}: cachegrind of `afterlife {' '.join(arguments)}`: exit "
                                      f"{ended.returncode}, {revisions.last_line(ended.stderr)}")
    return int(match[1].replace(",", ""))


# ---- the self-test ----

# Base | head | allowed growth | expected verdict.
PLANTS = [
    (100, 100, 0, "equal"), (100, 101, 0, "grew"), (100, 99, 0, "fell"), (None, 5, 0, "new"), (5, None, 0, "gone"),
    (0, 1, 0, "grew"), (0, 0, 0, "equal"), (1_000_000, 1_002_500, 0.0025, "within"),
    (1_000_000, 1_002_501, 0.0025, "grew"), (1_000_000, 1_005_000, 0.0025, "grew"),
]

# Objects that a program may print; only the first is valid.
NONSENSE = [
    {"counters": {"a": {"turns": 1}}}, {}, {"counters": []}, {"counters": {"a": 1}}, {"counters": {}},
    {"counters": {"a": {"turns": -1}}}, {"counters": {"a": {"turns": "1"}}}, {"counters": {"a": {"turns": None}}},
]


def self_test():
    rightly = sum(verdict(base, head, allowed) == wanted for base, head, allowed, wanted in PLANTS)
    rows = compared({"a turns": 1, "b turns": 2, "gone turns": 3}, {"a turns": 1, "b turns": 3, "new turns": 1}, 0)
    text = told("counters", rows)
    rightly += [row.name for row in rows if row.is_red] == ["b turns", "gone turns"]
    rightly += "grew: b turns: 2 -> 3, +50.00 %" in text and "gone: gone turns" in text and "1 equal" in text
    rightly += without_starts({("start", 0): 5, ("counters", 0): 8, ("a/b", FIRST_RUNS): 20, ("a/b", ALL_RUNS): 50}) \
        == {"start": 5, "counters": 3, f"a/b, {ALL_RUNS - FIRST_RUNS} runs": 30}
    rightly += [row.verdict for row in compared({"start": 100}, {"start": 110}, 0)
                + compared({"start": 100}, {"start": 111}, 0)] == ["within", "grew"]
    rightly += [bool(outcome.why_not(numbers_in, "planted", found)[1]) for found in NONSENSE] == [False] + [True] * (len(NONSENSE) - 1)
    total = len(PLANTS) + 5
    print(f"counters: {rightly} of {total} plants judged rightly")
    return 0 if rightly == total else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
