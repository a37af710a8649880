#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks one line at a time, and looks at what nights say of it: new, then fixed, then regressed.

Usage: scripts/nightly/regressions.py [PATH...] [--count N] [--runs N] [--nights N] [--random SEED]

  PATH            the paths whose lines are broken (all), in turn
  --count N       how many lines (20)
  --runs N        the runs of a night, which searches the path of its line (6000)
  --nights N      how many nights without the line may pass until it is fixed (6)
  --random SEED   of the lines (1)

The lines are switches in the copy of the tree that scripts/mutation/mutate_policies.py makes, so that nothing is built between two
nights: of a half of them, drawn by a hash of their name, those that are not listed as equivalent. A night of each path without any
goes before. Then, over a history of its own, a line is broken for a night: it should be new. A new finding whose
reproducer the whole line's program shows as well was there before, and only not found: it is counted apart. The line is
whole again until the finding is fixed, by replays and by further runs, and broken once more, which should be regressed.
Prints a row for each, and how many of them came out so. Exit: 0 nine of ten are new, and all that are new are fixed and regressed; 1 not; 2 the
copy does not build, 3 usage.
"""
import collections
import dataclasses
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common.command_line import CommandLine  # noqa: E402
from mutation.mutation_copy import COPY, PROGRAM, CannotMutate, all_paths, build, copy_tree, read_paths  # noqa: E402
from mutation.triage_defects import hashed  # noqa: E402

BAR = 0.9


class Nights:
    """Nightly runs of one path with a common history."""

    def __init__(self, history, path, runs):
        self.history, self.path, self.runs = history, path, runs

    def run(self, seed, mutant=None):
        """What a night prints; nothing if it ended as a night should not."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("AFTERLIFE_")}
        command = [PROGRAM, "nightly", "--runs", self.runs, "--seed", seed, "--only", self.path, "--history", self.history, "--json"]
        if mutant is not None:
            env["AFTERLIFE_MUTANT"] = str(mutant)
        ended = subprocess.run(list(map(str, command)), cwd=COPY, env=env, capture_output=True, text=True, errors="replace")
        return json.loads(ended.stdout) if ended.returncode in (0, 1) else None

    def was_before(self, finding):
        """Whether the program in which no line is broken shows a finding, too."""
        ended = subprocess.run([PROGRAM, "replay", self.history / finding["file"], "--json"], cwd=COPY, capture_output=True, text=True)
        return any(fault["signature"] == finding["signature"] for fault in json.loads(ended.stdout or "{}").get("faults", ()))


@dataclasses.dataclass
class Row:
    """The result for one broken line."""
    name: str
    function: str
    sound: int = 0     # New findings in sound variants.
    canaries: int = 0  # And in the others.
    others: int = 0    # That the program without the line broken shows as well.
    fixed: int = 0
    nights: int = 0    # Nightly runs after the repair until all new findings were fixed.
    runs: int = 0      # The most runs of one finding's variants in those nightly runs.
    regressed: int = 0
    note: str = ""

    @property
    def new(self):
        return self.sound + self.canaries

    def cells(self):
        return (f"| {self.sound} + {self.canaries} | {self.others} | {self.fixed} of {self.new} after {self.nights} nights, "
                f"{self.runs} runs | {self.regressed} of {self.new} | `{self.name}`{' ' + self.note if self.note else ''} |")


def states(night, causes):
    """Returns the state of these findings, whether the nightly run saw them or not."""
    found = {row["cause"]: row for row in night["findings"] + night["absent"]} if night else {}
    return {cause: found[cause] for cause in causes if cause in found}


def tried(point, nights, most_nights):
    row = Row(point.id, point.function)
    broken = nights.run(2, point.number)
    if broken is None:
        row.note = "(the night itself ended)"
        return row
    sound = {cell["variant"] for cell in broken["cells"] if not cell["canary"]}
    found = [one for one in broken["findings"] if one["state"] == "new"]
    own = [one for one in found if not nights.was_before(one)]
    row.others = len(found) - len(own)
    row.sound = sum(one["variant"] in sound for one in own)
    row.canaries = len(own) - row.sound
    causes = [one["cause"] for one in own]
    fixed = set()
    while len(fixed) < len(causes) and row.nights < most_nights:
        row.nights += 1
        now = states(nights.run(2 + row.nights), causes)
        fixed |= {cause for cause, one in now.items() if one["state"] == "fixed"}
        row.runs = max([row.runs, *(one.get("runs_since", 0) for one in now.values())])
    row.fixed = len(fixed)
    if causes:
        again = nights.run(2, point.number)
        row.regressed = sum(one["state"] == "regressed" for one in states(again, causes).values())
    return row


def chosen(paths, count, seed):
    """Returns the chosen lines, taken from each path in turn."""
    def order(path):
        known = path.equivalents() | path.unreached()
        held = [point for point in path.mutants if point.id not in known and hashed(point.id) % 2 == 0]
        return [(path, point) for point in sorted(held, key=lambda point: hashed(f"night {seed} {point.id}"))]
    turns = itertools.zip_longest(*(order(path) for path in paths))
    return [one for turn in turns for one in turn if one][:count]


def bases(folder, wanted, runs):
    """Returns a history of each path with one nightly run in which nothing is broken."""
    found = {}
    for path in wanted:
        found[path.name] = folder / path.name
        if Nights(found[path.name], path.name, runs).run(1) is None:
            raise CannotMutate(f"a night of {path.name} in which nothing is broken ends by itself")
    return found


def parsed():
    parser = CommandLine(__doc__)
    parser.add_argument("paths", nargs="*")
    for name, default in (("count", 20), ("runs", 6000), ("nights", 6), ("random", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    if unknown := set(arguments.paths) - set(all_paths()):
        parser.error(f"no path {', '.join(sorted(unknown))} has a policies.py")
    return arguments


def main():
    arguments = parsed()
    try:
        wanted, paths = read_paths(arguments.paths)
        copy_tree(paths)
        build()
        with tempfile.TemporaryDirectory() as name:
            return judged(arguments, pathlib.Path(name), wanted)
    except CannotMutate as reason:
        print(f"regressions: {reason}", file=sys.stderr)
        return 2


def judged(arguments, folder, wanted):
    begin, before = time.monotonic(), bases(folder / "bases", wanted, arguments.runs)
    print("| new in sound variants + canaries | there before | fixed | regressed | line |\n|---|---|---|---|---|", flush=True)
    rows = []
    for index, (path, point) in enumerate(chosen(wanted, arguments.count, arguments.random)):
        history = folder / str(index)
        shutil.copytree(before[path.name], history)
        rows.append(tried(point, Nights(history, path.name, arguments.runs), arguments.nights))
        print(rows[-1].cells(), flush=True)
        shutil.rmtree(history)
    seen = [row for row in rows if row.new]
    counts = collections.Counter()
    for row in seen:
        counts.update({"one": row.new == 1, "one_sound": row.sound == 1, "fixed": row.fixed == row.new, "regressed": row.regressed == row.new})
    print(f"of {len(rows)} lines {len(seen)} are new, {counts['one']} as exactly one finding ({counts['one_sound']} as one in sound variants), "
          f"of those {len(seen)}, {counts['fixed']} are fixed and {counts['regressed']} regressed; "
          f"{time.monotonic() - begin:.0f} s")
    return 0 if len(seen) >= BAR * len(rows) and counts["fixed"] == counts["regressed"] == len(seen) else 1


if __name__ == "__main__":
    sys.exit(main())
