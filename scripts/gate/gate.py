#!/usr/bin/env python3
"""Compares two revisions: exact counters of work, instructions, and the time of every benchmark.

Usage: ./scripts/gate.sh [BASE [HEAD]] [option...]

BASE is where this branch left main (on main, the commit before) unless it is named; HEAD is the working tree
unless it is named. Both are built in build/gate, with the same compiler and in folders of the same length.

  --only PART       counters, instructions or wall; may be given again (all three)
  --preset NAME     the build that is compared (release)
  --rounds N        at most so many rounds of the wall suite (80)
  --seconds N       begin no round of the wall suite that would end after so long
  --seed N          where orders and resamples are drawn from (1)
  --json            one JSON object on stdout, and nothing else there

A counter is red where it grew, instructions where they grew by more than 0.25 % (10 % those of the start), a benchmark
by the rule of harness/gate/README.md. Samples, page, Markdown and JUnit of the wall suite are left in build/gate.
Exit: 0 passed, 1 something is slower or gone, 2 a side cannot be built or measured, 3 usage, 4 stopped, 5 undecided.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import counters
import revisions

PARTS = ("counters", "instructions", "wall")
SUITE = pathlib.Path(__file__).resolve().parent / "suite.py"
WORST_FIRST = (2, 3, 1, 4, 5, 0)


def say(text):
    print(f"gate: {text}", file=sys.stderr, flush=True)


def wall(base, head, options):
    """Exit code and object of `afterlife gate` over the suite; the table is printed meanwhile."""
    folder = revisions.FOLDER
    samples = folder / "samples.jsonl"
    samples.unlink(missing_ok=True)
    command = [head.program("afterlife"), "gate", "--samples", samples, "--html", folder / "gate.html",
               "--markdown", folder / "gate.md", "--junit", folder / "junit.xml",
               "--rounds", options.rounds, "--seed", options.seed]
    command += ["--seconds", options.seconds] if options.seconds else []
    command += ["--json"] if options.json else []
    fuzzed = ",".join(head.sound_of_each_path())
    for side in (base, head):
        command += ["--", sys.executable, SUITE, side.build, fuzzed, "{benchmarks}"]
    ended = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE if options.json else None, text=True)
    if not options.json:
        return ended.returncode, None
    try:
        return ended.returncode, json.loads(ended.stdout)
    except json.JSONDecodeError:
        raise revisions.CannotCompare("afterlife gate printed no JSON") from None


def exact(name, base, head, options):
    """Exit code and rows of one kind of exact numbers."""
    measure, allowed = {"counters": (counters.of_work, 0.0), "instructions": (counters.of_instructions, 0.0025)}[name]
    rows = counters.compared(measure(base), measure(head), allowed)
    if not options.json:
        print(counters.told(name, rows), flush=True)
    return 1 if any(row.is_red for row in rows) else 0, [row.as_json() for row in rows if row.verdict != "equal"]


def compare(options):
    base, head = revisions.sides(options.base, options.head, options.preset)
    if not options.json:
        print(f"base {base.name}\nhead {head.name}", flush=True)
    codes, found = [], {"schema": 1, "base": base.name, "head": head.name}
    for side in (base, head):
        say(f"building {side.name}; the log is in {side.log}")
        side.make()
    for part in PARTS:
        if part not in options.only:
            continue
        say(f"measuring {part}")
        code, found[part] = wall(base, head, options) if part == "wall" else exact(part, base, head, options)
        codes.append(code)
    worst = next((code for code in WORST_FIRST if code in codes), 2)
    if options.json:
        print(json.dumps(found | {"exit": worst}, indent=2))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("base", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("head", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--only", action="append", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--preset", default="release", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=80, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    options.only = options.only or PARTS
    try:
        return compare(options)
    except (revisions.CannotCompare, OSError) as why:
        say(why)
        return 2
    except KeyboardInterrupt:
        say("stopped")
        return 4


if __name__ == "__main__":
    sys.exit(main())
