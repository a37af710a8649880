#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says what it costs a search that a night records it: runs per second of a night against plain `afterlife fuzz`.

Usage: scripts/nightly/overhead.py [PATH...] [--preset NAME] [--runs N] [--rounds N] [--seed N]

  PATH            the paths whose sound variants are searched (all)
  --preset NAME   the build (release)
  --runs N        the runs of a night of one variant (60000)
  --rounds N      how often (6)
  --seed N        where all nights begin (1)

In each round, and for each variant in turn, a night of the variant is run over an empty history, and `afterlife fuzz` searches it with the runs and the seed
of the night's cell, which is the same search in a process just as young; in the next round the other one is first. Both say the seconds of their runs, without
those of minimizing.
A row for each path: how many runs a second nights make, as a share of what `fuzz` makes, by the median of the rounds.
Exit: 0 the median of all is above 97 %, 1 not, 2 a search failed or was not the same, 3 usage.
"""
import collections
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402
from common.measuring import CannotMeasure, variants  # noqa: E402

LEAST_SHARE = 0.97


def program(preset, *arguments):
    ended = programs.run(preset, "afterlife", *arguments)
    if ended.code not in (0, 1):  # Exit code 1: a new finding, or too few runs to confirm a claim.
        raise CannotMeasure(f"{' '.join(map(str, arguments))}: exit {ended.code}; {ended.err.strip()[-200:]}")
    return ended.out


def night(arguments, variant):
    """Returns the cell of a nightly run of the variant, without earlier history."""
    with tempfile.TemporaryDirectory() as history:
        program(arguments.preset, "nightly", "--only", variant, "--runs", arguments.runs, "--seed", arguments.seed, "--history", history)
        lines = map(json.loads, program(arguments.preset, "nightly", "export", "--history", history).splitlines())
        return next(line["row"] for line in lines if line.get("table") == "cells")


def plain(arguments, variant, cell):
    """Returns the result of `fuzz` for the same search."""
    out = program(arguments.preset, "fuzz", variant, "--runs", cell["runs"], "--seed", cell["seed"], "--json")
    found = json.loads(out)["results"][0]
    if found["runs"] != cell["runs"]:
        raise CannotMeasure(f"{variant}: {cell['runs']} runs in a night, {found['runs']} by fuzz")
    return found


def measured(arguments, variant, cell, is_night_first):
    """Returns the seconds of the runs in the nightly run, and in `fuzz`."""
    recorded = night(arguments, variant) if is_night_first else None
    bare = plain(arguments, variant, cell)
    return (recorded or night(arguments, variant))["seconds"], bare["seconds"]


def round_of(arguments, cells, index):
    """Returns the sums of a round by path: {path: (seconds of nightly runs, seconds of `fuzz`)}."""
    sums = collections.defaultdict(lambda: (0, 0))
    for variant, cell in cells.items():
        pair = measured(arguments, variant, cell, index % 2 == 0)
        sums[cell["path"]] = tuple(map(sum, zip(sums[cell["path"]], pair)))
    print(f"round {index + 1} of {arguments.rounds}: {told(total(sums))}", file=sys.stderr, flush=True)
    return sums


def total(sums):
    return tuple(map(sum, zip(*sums.values())))


def median(pairs):
    """Returns the median ratio of the runs per second of nightly runs to those of `fuzz`."""
    return statistics.median(bare / recorded for recorded, bare in pairs)


def told(*pairs):
    return f"{median(pairs):.1%}"


def parsed():
    parser = CommandLine(__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--preset", default="release")
    for name, default in (("runs", 60_000), ("rounds", 6), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    if min(arguments.runs, arguments.rounds) < 1:
        parser.error("--runs and --rounds are 1 at least")
    return arguments


def main():
    arguments = parsed()
    try:
        sound = [name for name, claim in variants(arguments.preset) if claim == "sound"]
        wanted = [name for name in sound if not arguments.paths or name.split("/")[0] in arguments.paths]
        if not wanted:
            raise CannotMeasure(f"no sound variant is in {' '.join(arguments.paths)}")
        cells = {variant: night(arguments, variant) for variant in wanted}
        rounds = [round_of(arguments, cells, index) for index in range(arguments.rounds)]
    except CannotMeasure as why:
        print(f"overhead: {why}", file=sys.stderr)
        return 2
    for path in rounds[0]:
        print(f"{path}: {told(*(sums[path] for sums in rounds))}")
    is_good = median(map(total, rounds)) > LEAST_SHARE
    print(f"{'' if is_good else 'FAILED: '}nights make {told(*map(total, rounds))} of the runs a second that `afterlife fuzz` makes, by the median of "
          f"{len(rounds)} rounds of {arguments.runs} runs of {len(cells)} variants; {LEAST_SHARE:.0%} are asked")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
