#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the runs to the first fault in each window, with the scenario's themes and multipliers and without.

Usage: scripts/measure/first_faults.py [--long] [--seeds N] [--runs N] [--write DIR] [--preset P] [PATH...] | --self-test

  --long     seeds 1..20; otherwise 1..5
  --seeds N  seeds 1..N
  --write DIR  also writes the table of a path to DIR/PATH.txt (results/first_faults)
  --runs N   of a search at most; otherwise the FIRST_FAULT_RUNS of scenarios/<path>/figures.py, which take a core less than 60 s

A window is searched in one variant: of those whose claim names it the one that claims least, and of several such the first. Each
search is one of
  afterlife fuzz PATH/VARIANT --window WINDOW --first --seed SEED --runs N --strategy random_walk
or, without themes, unthemed_walk (harness/run/strategies/unthemed_walk.cpp). Of all seeds the table has the middle one, the least and
the most. It depends on no clock: every build and every machine prints the same. What was not found is listed below it, and
is no error. --self-test plants counts. Exit: 0 printed, 1 a search did not come out, 3 usage.
"""
import dataclasses
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import measuring  # noqa: E402
from measure import path_figures  # noqa: E402
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

WALKS = {"with": "random_walk", "without": "unthemed_walk"}


@dataclasses.dataclass(frozen=True)
class Subject:
    """A window, and the variant in which it is searched."""
    path: str
    window: str
    variant: str


def subjects_of(path):
    """Returns the windows of a path listed by `afterlife list`, each with its variant; and the windows that no claim names."""
    subjects, unclaimed = [], []
    for window in path["windows"]:
        open_in = [row for row in path["variants"] if row["claim"] == "unsound" and window in windows_of(row)]
        if open_in:
            least = min(open_in, key=lambda row: len(row["hazards"]))  # The first one, if several have equally few.
            subjects.append(Subject(path["path"], window, least["variant"]))
        else:
            unclaimed.append(window)
    return subjects, unclaimed


def windows_of(variant):
    """Returns the windows named by a claim, without the entry point."""
    return {hazard.split("/")[0] for hazard in variant["hazards"]}


def search(subject, walk, seed, runs, preset):
    """Returns the number of the first run with a fault in the window, counted from 1; None if there is no such run."""
    with tempfile.TemporaryDirectory() as out:
        found, _ = measuring.fuzz(f"{subject.path}/{subject.variant}", "--window", subject.window, "--first", "--seed", seed,
                                  "--runs", runs, "--strategy", WALKS[walk], "--out", out,
                                  preset=preset, one_core=True, limit_seconds=3600)
    return found["results"][0]["runs_to_first_fault"]


def grouped(count):
    return f"{count:,}".replace(",", " ")


def cell(first, limit):
    """Returns the median, the minimum and the maximum of the runs to the first fault. The median of an even count is the lower middle one."""
    found = sorted(run for run in first if run is not None)
    if not found:
        return f"none in {grouped(limit)}"
    missing = len(first) - len(found)
    in_order = [grouped(run) for run in found] + [f"> {grouped(limit)}"] * missing
    text = in_order[(len(first) - 1) // 2]
    if len(set(in_order)) > 1:
        text += f" ({in_order[0]} to {in_order[-1]})"
    return text + (f", {len(found)} of {len(first)} seeds" if missing else "")


def markdown(rows, limit):
    """Returns the table of one path. `rows`: a subject, and for each walk the runs to the first fault."""
    lines = ["| window | variant | with themes | without |", "| --- | --- | --- | --- |"]
    lines += [f"| {subject.window} | {subject.variant} | " + " | ".join(cell(first[walk], limit) for walk in WALKS) + " |"
              for subject, first in rows]
    return "\n".join(lines)


def remarks(rows, unclaimed):
    """Yields remarks, one per line: the windows that some seed did not find, and the windows that no claim names."""
    for walk in WALKS:
        missed = [f"{subject.window} (by {first[walk].count(None)} of {len(first[walk])} seeds)"
                  for subject, first in rows if None in first[walk]]
        yield f"Not found {walk} themes: " + (", ".join(missed) or "none") + "."
    if unclaimed:
        yield "Open in no variant: " + ", ".join(unclaimed) + "."


def measure(path, options):
    """Prints the table of one path."""
    limit = options.runs or path_figures.first_fault_runs(path["path"])
    subjects, unclaimed = subjects_of(path)
    asked = [(subject, walk, seed) for subject in subjects for walk in WALKS for seed in range(1, options.seeds + 1)]
    runs = programs.side_by_side(lambda of: search(*of, limit, options.preset), asked)
    rows = []
    for subject in subjects:
        first = {walk: [run for of, run in zip(asked, runs) if of[:2] == (subject, walk)] for walk in WALKS}
        rows.append((subject, first))
    text = f"{path['path']}: seeds 1..{options.seeds}, {grouped(limit)} runs at most\n\n{markdown(rows, limit)}\n\n" + "\n".join(remarks(rows, unclaimed)) + "\n"
    print(text, flush=True)
    if options.write:
        (options.write / f"{path['path']}.txt").write_text(text)


# ---- planted counts -----------------------------------------------------------------------------

CELLS = (
    ([3], "3"),
    ([40, 3, 12], "12 (3 to 40)"),
    ([7, 7, 7], "7"),
    ([1200, 5, None], "1 200 (5 to > 5 000), 2 of 3 seeds"),
    ([None, 9, None], "> 5 000 (9 to > 5 000), 1 of 3 seeds"),
    ([None, None], "none in 5 000"),
)

PATH = {"path": "p", "windows": ["a", "b", "c"], "variants": [
    {"variant": "shipped", "claim": "unsound", "hazards": ["a", "b/way", "retention"]},
    {"variant": "near_miss", "claim": "unsound", "hazards": ["a", "retention"]},
    {"variant": "its_twin", "claim": "unsound", "hazards": ["a", "retention"]},
    {"variant": "fixed", "claim": "sound", "hazards": []}]}


def self_test():
    """Returns whether planted counts produce the expected cells, and planted claims the expected subjects."""
    rightly = [cell(first, 5000) == text for first, text in CELLS]
    subjects, unclaimed = subjects_of(PATH)
    rightly.append([(one.window, one.variant) for one in subjects] == [("a", "near_miss"), ("b", "shipped")])
    rightly.append(unclaimed == ["c"])
    rows = [(subjects[0], {"with": [1, 2], "without": [None, 2]})]
    rightly.append(list(remarks(rows, unclaimed)) == [
        "Not found with themes: none.", "Not found without themes: a (by 1 of 2 seeds).", "Open in no variant: c."])
    rightly.append(markdown(rows, 5000).endswith("| a | near_miss | 1 (1 to 2) | 2 (2 to > 5 000), 1 of 2 seeds |"))
    print(f"first_faults: {sum(rightly)} of {len(rightly)} planted counts told rightly")
    return 0 if all(rightly) else 1


def arguments():
    parser = CommandLine(__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    options.seeds = options.seeds or (20 if options.long else 5)
    return parser, options


def main():
    parser, options = arguments()
    if options.self_test:
        return self_test()
    try:
        paths = {path["path"]: path for path in measuring.list_all(options.preset)["paths"]}
        if unknown := [name for name in options.paths if name not in paths]:
            parser.error(f"no path {', '.join(unknown)}")
        for name in options.paths or paths:
            measure(paths[name], options)
    except measuring.CannotMeasure as reason:
        print(f"first_faults: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
