#!/usr/bin/env python3
"""Says what it costs a search that a night records it: runs per second of a night's cells against plain `afterlife fuzz`.

Usage: scripts/nightly/overhead.py [PATH...] [--preset NAME] [--runs N] [--rounds N] [--seed N]

  PATH            the paths that are searched (all)
  --preset NAME   the build (release)
  --runs N        the runs of a night of one path (60000)
  --rounds N      how often, with another seed each time (5)
  --seed N        of the first round (1)

In each round, and for each path in turn, a night of the path is run over an empty history, and each of its cells is searched once more by `afterlife fuzz`
with the cell's runs and seed, which is the same search; the next round does it the other way round. Both sides say the seconds of their runs, without those of minimizing.
A row for each path: how many runs a second the night makes, as a share of what `fuzz` makes, by the median of the rounds.
Exit: 0 the median of all is above 97 %, 1 not, 2 a search failed or was not the same, 3 usage.
"""
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # noqa: E402
from command_line import CommandLine  # noqa: E402
from measuring import CannotMeasure, list_all  # noqa: E402

LEAST_SHARE = 0.97


def program(preset, *arguments):
    ended = programs.run(preset, "afterlife", *arguments)
    if ended.code not in (0, 1):  # 1: something is new, or so few runs do not bear a claim out.
        raise CannotMeasure(f"{' '.join(map(str, arguments))}: exit {ended.code}; {ended.err.strip()[-200:]}")
    return ended.out


def night(preset, path, runs, seed):
    """The cells of a night that has no history."""
    with tempfile.TemporaryDirectory() as history:
        program(preset, "nightly", "--only", path, "--runs", runs, "--seed", seed, "--history", history)
        lines = map(json.loads, program(preset, "nightly", "export", "--history", history).splitlines())
        return [line["row"] for line in lines if line.get("table") == "cells" and line["row"]["runs"]]


def plain(preset, cell):
    """What `fuzz` says of the same search."""
    out = program(preset, "fuzz", f"{cell['path']}/{cell['variant']}", "--runs", cell["runs"], "--seed", cell["seed"], "--json")
    found = json.loads(out)["results"][0]
    if found["runs"] != cell["runs"]:
        raise CannotMeasure(f"{cell['path']}/{cell['variant']}: {cell['runs']} runs in a night, {found['runs']} by fuzz")
    return found


def seconds(cells):
    return sum(cell["seconds"] for cell in cells)


def measured(preset, path, cells, runs, seed, is_night_first):
    """The seconds of a night's searches, and those of `fuzz`."""
    recorded = night(preset, path, runs, seed) if is_night_first else None
    bare = [plain(preset, cell) for cell in cells]
    return seconds(recorded or night(preset, path, runs, seed)), seconds(bare)


def median(pairs):
    """Of the shares that the runs per second of nights are of those of `fuzz`."""
    return statistics.median(bare / recorded for recorded, bare in pairs)


def told(*pairs):
    return f"{median(pairs):.1%}"


def parsed():
    parser = CommandLine(__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--preset", default="release")
    for name, default in (("runs", 60_000), ("rounds", 5), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    if min(arguments.runs, arguments.rounds) < 1:
        parser.error("--runs and --rounds are 1 at least")
    return arguments


def main():
    arguments = parsed()
    preset, runs = arguments.preset, arguments.runs
    if not programs.exists(preset, "afterlife"):
        print(f"overhead: build/{preset}/afterlife is not built", file=sys.stderr)
        return 2
    paths = arguments.paths or [row["path"] for row in list_all(preset)["paths"]]
    rounds = [{} for _ in range(arguments.rounds)]
    try:
        for index, of_paths in enumerate(rounds):
            for path in paths:
                cells = night(preset, path, runs, arguments.seed + index)
                of_paths[path] = measured(preset, path, cells, runs, arguments.seed + index, index % 2 == 0)
                print(f"round {index + 1} of {len(rounds)}: {path} {told(of_paths[path])}", file=sys.stderr, flush=True)
    except CannotMeasure as why:
        print(f"overhead: {why}", file=sys.stderr)
        return 2
    for path in paths:
        print(f"{path}: {told(*(of_paths[path] for of_paths in rounds))}")
    whole = [tuple(map(sum, zip(*of_paths.values()))) for of_paths in rounds]
    is_good = median(whole) > LEAST_SHARE
    print(f"{'' if is_good else 'FAILED: '}a night makes {told(*whole)} of the runs a second that `afterlife fuzz` makes, "
          f"by the median of {len(rounds)} rounds of {runs} runs of each path; at least {LEAST_SHARE:.0%} are asked")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
