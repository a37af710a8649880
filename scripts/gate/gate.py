#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two revisions: exact counters of work, instructions, and the time of every benchmark, on a GPU too.

Usage: ./scripts/gate.sh [BASE [HEAD]] [option...]
       ./scripts/gate.sh --self-test | --record N [--only effectiveness] | --record-baseline [REVISION]

BASE is where this branch left main (on main, the commit before) unless it is named; HEAD is the working tree
unless it is named. Both are built in build/gate, with the same compiler and in folders of the same length.

  --only PART       counters, instructions, effectiveness, memory, wall or gpu; may be given again (all of them; gpu
                    is skipped, with the reason, where there is none)
  --preset NAME     the build that is compared (release)
  --rounds N        at most so many rounds of what is timed (160)
  --seconds N       begin no round of what is timed that would end after so long (60; 0: as long as it takes)
  --all-seconds N   begin no part after so long, builds excluded: it is undecided (180; 0: as long as it takes)
  --windows         effectiveness of each window by itself, as at night: 100 searches of each variant, an hour or two
  --seed N          where orders and resamples are drawn from (1)
  --json            one JSON object on stdout, and nothing else there
  --self-test       tell how often the gate is wrong, from the records of programs of which the answer is known
                    (results/gate): red where an interval is outside of what is promised; build/gate/self-test.html draws them
  --record N        add N runs of 20 rounds to the record of wall time, about 3 s each, every third beside two busy
                    processes; with --only effectiveness, what N comparisons take to that of searches, about 15 s each
  --record-baseline write the counters, instructions and memory of a committed revision (HEAD) to results/baselines: where
                    BASE has such a file for this class of machines (processor, cores, compiler, C library, preset),
                    it is not run for them, and not built where nothing else is compared. Times stay paired
  --machine WORD    what else that machine does, in a word under which the runs are recorded (quiet); hogs: each run is
                    beside the two busy processes

A counter is red where it grew, instructions where they grew by more than 0.25 % (10 % those of the start), memory where
a run leaves four bytes more or the peak grew by a tenth (4 MiB at least), effectiveness and a benchmark by the rules of
harness/docs/explanation/gate.md. What a commit between the two states by `perf-budget: NAME +N %` (25 % at most) is allowed. Samples, page, Markdown and JUnit of the wall suite are left in build/gate.
Exit: 0 passed, 1 something is slower or gone, 2 a side cannot be built or measured, 3 usage, 4 stopped, 5 undecided.
"""
import argparse
import json
import sys

import baselines
import budget
import canaries
import counters
import effectiveness
import memory
import outcome
import revisions
import spending
import times

PARTS = ("counters", "instructions", "memory", "effectiveness", "wall", "gpu")
TIMED = {"wall": times.wall, "gpu": times.gpu}


def say(text):
    print(f"gate: {text}", file=sys.stderr, flush=True)


def rows_of(name, base, head, baseline):
    """Returns the rows of one kind of exact numbers. Measures the base only if there is no baseline."""
    measure = baselines.PARTS[name]
    numbers = baseline[name] if baseline else measure(base)
    if name == "memory":
        return memory.compared(numbers, measure(head))
    return counters.compared(numbers, measure(head), {"counters": 0.0, "instructions": 0.0025}[name])


def exact(name, base, head, options, budgets, baseline):
    """Returns the exit code and the rows of one kind of exact numbers."""
    rows = rows_of(name, base, head, baseline)
    for row in rows:
        if row.verdict == "grew" and row.base and budget.covers(budgets, row.name, row.head / row.base):
            row.verdict = "within"
    if not options.json:
        print(counters.told(name, rows), flush=True)
    return 1 if any(row.is_red for row in rows) else 0, [row.as_json() for row in rows if row.verdict != "equal"]


def made(base, head, options):
    """Builds both sides; returns the baseline of the base, if any. With a baseline, the base need not be built."""
    say(f"building {head.name}; the log is in {head.log}")
    head.make()
    machine = baselines.machine_of(head)
    baseline = baselines.read(base.commit, machine)
    if baseline:
        say(f"the exact numbers of {base.name} are those of {baselines.file_of(base.commit, machine).name}")
    if not baseline or not set(options.only) <= set(baselines.PARTS):
        say(f"building {base.name}; the log is in {base.log}")
        base.make()
    return baseline


def measured(part, base, head, options, allowed, spent, baseline):
    """Returns the exit code and the object of one part; it is undecided if no time is left for the part."""
    why = times.why_no_gpu(base, head) if part == "gpu" else ""
    if why:
        say(f"gpu is skipped: {why}")
        return 0, {"skipped": why}
    if not spent.has_time():
        say(f"no time is left for {part} (--all-seconds): undecided")
        return 5, None
    say(f"measuring {part}")
    seconds = spent.for_wall()
    with spent.on(part):
        if part in TIMED:
            return TIMED[part](base, head, options, allowed, seconds)
        if part == "effectiveness":
            return effectiveness.compare(base, head, options)
        return exact(part, base, head, options, allowed, baseline)


def compare(options):
    base, head = revisions.sides(options.base, options.head, options.preset)
    if not options.json:
        print(f"base {base.name}\nhead {head.name}", flush=True)
    allowed = budget.read(revisions.messages(base, head))
    codes, found = [], {"schema": 1, "base": base.name, "head": head.name}
    baseline = made(base, head, options)
    spent = spending.Spending(options.seconds, 0 if options.windows else options.all_seconds)
    for part in PARTS:
        if part in options.only:
            code, found[part] = measured(part, base, head, options, allowed, spent, baseline)
            codes.append(code)
    say(spent.told())
    found["seconds"] = {part: round(seconds, 1) for part, seconds in spent.parts.items()}
    worst = outcome.worst(codes)
    if options.json:
        print(json.dumps(found | {"exit": worst}, indent=2))
    return worst


def record(options):
    if options.only == ["effectiveness"]:
        return effectiveness.record_comparisons(options.record, options.preset)
    return canaries.record_here(options.record, options.preset, options.machine)


def judge_itself(options):
    """Returns the worst exit code of the gate's judgements of itself; with --only, of the selected parts."""
    judges = {"wall": canaries.judge, "effectiveness": effectiveness.judge}
    found = {part: judges[part](options.preset, options.json) for part in options.only or judges if part in judges}
    if not found:
        raise revisions.CannotCompare("only wall and effectiveness have a record to be judged by; the others are exact")
    if options.json:
        print(json.dumps({part: json.loads(text) for part, (_, text) in found.items()}, indent=2))
    else:
        print("\n".join(f"{part}\n{text}" for part, (_, text) in found.items()), end="")
    return max(code for code, _ in found.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("base", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("head", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--only", action="append", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--preset", default="release", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=160, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=spending.WALL_SECONDS, help=argparse.SUPPRESS)
    parser.add_argument("--all-seconds", type=float, default=spending.ALL_SECONDS, help=argparse.SUPPRESS)
    parser.add_argument("--windows", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--self-test", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--record", type=int, metavar="N", help=argparse.SUPPRESS)
    parser.add_argument("--record-baseline", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--machine", default="quiet", help=argparse.SUPPRESS)
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    try:
        if options.record_baseline:
            return baselines.record(options.base, options.preset)
        if options.record is not None:
            return record(options)
        if options.self_test:
            return judge_itself(options)
        options.only = options.only or PARTS
        return compare(options)
    except (revisions.CannotCompare, budget.BadBudget, OSError) as why:
        say(why)
        return 2
    except KeyboardInterrupt:
        say("stopped")
        return 4


if __name__ == "__main__":
    sys.exit(main())
