#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches every variant with several seeds, adds up what the runs say of each window, and prints a table for each path.

Usage: scripts/verdicts.py [--long] [--seeds N] [--seconds S] [--config CONFIG] [--no-failures] [--write DIR] [--preset P] [PATH[/VARIANT]...]
       scripts/verdicts.py --self-test

  --long       seeds 1..20, 5 s for each variant; otherwise seeds 1..2, 0.2 s
  --seeds N    seeds 1..N
  --seconds S  for each variant and seed, of one core
  --write DIR  also writes the table of a path to DIR/PATH.txt (results/verdicts)
  --config C   in this config alone, as `afterlife fuzz` takes it: where a window is seldom reached, a small one has more runs

The tables are Markdown, with the cells of `afterlife fuzz` (harness/docs/how-to/compare-fixes.md): open, closed, refused, contract, few, -.
Asked is that no fault is unexplained, that none is outside its variant's claim, and that no claimed window which at least 1000
runs got to never failed. --self-test plants counts that must be judged so. Exit: 0 all that is so, 1 not, 3 usage.
"""
import argparse
import collections
import pathlib
import sys
import tempfile

from common import measuring
from common import programs

ENOUGH_ARRIVALS = 1000
COUNTS = ("reached", "caught", "first", "contract", "refused", "strayed")


def standing(row):
    """Returns the standing of a row with the counts of several searches, by the same rules as stand() of harness/run/verdict.cpp."""
    if row["claimed"] and row["caught"]:
        return "open"
    if row["first"]:
        return "outside"
    if row["caught"]:
        return "follows"
    if not row["claimed"] and row["refused"] and row["refused"] >= row["reached"]:
        return "refused"
    if row["callers"]:
        return "contract"
    if row["reached"] < ENOUGH_ARRIVALS:
        return "few" if row["reached"] else "never"
    return "missed" if row["claimed"] else "closed"


def cell(row):
    """Returns the standing and its counts in the format of `afterlife fuzz`."""
    word = standing(row)
    counts = {"open": f"{row['caught']} of {row['reached']}", "outside": f"{row['caught']} of {row['reached']}",
              "follows": str(row["caught"]), "refused": str(row["refused"]), "contract": str(row["contract"])}
    if word == "never":
        return "-"
    shown = word.upper() if word in ("missed", "outside") else word
    return f"{shown} {counts.get(word, row['reached'])}"


class Tables:
    """The variants of each path, and for each variant its rows by name, summed over all searches."""

    def __init__(self):
        self.paths = collections.defaultdict(lambda: collections.defaultdict(dict))

    def add(self, result):
        """Adds one row of `results` of `afterlife fuzz --json`."""
        rows = self.paths[result["path"]][result["variant"]]
        for found in result["windows"]:
            name = ", ".join(filter(None, (found["window"], found["way"])))
            row = rows.setdefault(name, dict.fromkeys(COUNTS, 0) | {
                "claimed": found["claimed"], "unexplained": found["unexplained"], "callers": False})
            row["callers"] |= found["standing"] == "contract"
            for count in COUNTS:
                row[count] += found[count]

    def complaints(self):
        """Yields the unexpected results, one per line."""
        for path, variants in self.paths.items():
            for variant, rows in variants.items():
                for name, row in rows.items():
                    word = "unexplained" if row["unexplained"] and row["caught"] else standing(row)
                    if word in ("unexplained", "outside", "missed"):
                        yield f"{path}/{variant}: {name} is {word}: {row['caught']} of {row['reached']} runs failed there"

    def markdown(self, path):
        """Returns the table of one path with a column per variant; or with a row per variant, if there are more variants than windows."""
        variants = self.paths[path]
        names = list(dict.fromkeys(name for rows in variants.values() for name in rows))
        def text(variant, name):
            row = variants[variant].get(name)
            return cell(row) if row else "-"
        if len(variants) > len(names):
            head, body = ["variant", *names], [[v, *(text(v, n) for n in names)] for v in variants]
        else:
            head, body = ["window", *variants], [[n, *(text(v, n) for v in variants)] for n in names]
        lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body)]
        return "\n".join(lines)


def search(tables, options):
    """Runs the searches, each on its own core, and adds up their results."""
    flags = ["--no-failures"] * options.no_failures + ["--config", options.config] * (options.config is not None)
    targets = options.targets or [path["path"] for path in measuring.list_all(options.preset)["paths"]]
    names = [name for name, _ in measuring.variants(options.preset)]

    def results_of(asked):
        target, seed = asked
        count = sum(name == target or name.startswith(target + "/") for name in names)
        with tempfile.TemporaryDirectory() as out:
            found, _ = measuring.fuzz(target, "--seconds", max(0.1, options.seconds * count), "--seed", seed, "--out", out, *flags,
                                      preset=options.preset, one_core=True, limit_seconds=3600)
        return found["results"]
    for results in programs.side_by_side(results_of, [(target, seed) for target in targets for seed in range(1, options.seeds + 1)]):
        for result in results:
            tables.add(result)


# A row that a search printed | a part of its complaint; None if there must be none.
PLANTS = (
    ({"claimed": True, "reached": 90, "caught": 3, "first": 3}, None),
    ({"claimed": True, "reached": 1000}, "missed"),
    ({"claimed": True, "reached": 999}, None),
    ({"reached": 5000, "caught": 1, "first": 1}, "outside"),
    ({"reached": 5000, "caught": 1}, None),
    ({"reached": 5000, "caught": 1, "first": 1, "unexplained": True}, "unexplained"),
    ({"reached": 5000, "contract": 9, "standing": "contract"}, None),
    ({"reached": 9, "refused": 9}, None),
)


def self_test():
    """Returns whether planted rows, added up from two searches, are judged correctly."""
    wrong = 0
    for plant, expected in PLANTS:
        tables = Tables()
        row = {"window": "w", "way": None, "claimed": False, "unexplained": False, "standing": ""} | dict.fromkeys(COUNTS, 0) | plant
        tables.add({"path": "p", "variant": "v", "windows": [row]})
        tables.add({"path": "p", "variant": "v", "windows": [row | dict.fromkeys(COUNTS, 0)]})
        lines = list(tables.complaints())
        wrong += (lines == []) != (expected is None) or (expected is not None and expected not in lines[0])
    print(f"verdicts: {len(PLANTS) - wrong} of {len(PLANTS)} planted counts judged rightly")
    return 1 if wrong else 0


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--no-failures", action="store_true")
    parser.add_argument("--config")
    parser.add_argument("--write", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    options.seeds = options.seeds or (20 if options.long else 2)
    options.seconds = options.seconds or (5 if options.long else 0.2)
    return options


def main():
    options = arguments()
    if options.self_test:
        return self_test()
    tables = Tables()
    try:
        search(tables, options)
    except measuring.CannotMeasure as reason:
        print(f"verdicts: {reason}", file=sys.stderr)
        return 1
    for path in tables.paths:
        print(f"{tables.markdown(path)}\n")
        if options.write:
            (options.write / f"{path}.txt").write_text(f"{path}: seeds 1..{options.seeds}, {options.seconds:g} s for each variant\n\n{tables.markdown(path)}\n")
    lines = list(tables.complaints())
    print("\n".join(lines) or "no fault is unexplained or outside a claim, and no claimed window held")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
