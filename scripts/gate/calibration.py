#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how often the gate, the U test and a difference of means are wrong about one command, quiet and under load.

Usage: scripts/gate/calibration.py [--preset NAME] [--rounds N] [--load N] -- COMMAND...

`afterlife gate --calibrate N -- COMMAND...` measures the command against itself, first as the machine is, then with --load processes that
are always busy (one for each core). All three rules judge the same samples. The first row of each part has false alarms, the others the
slowdowns that were found, which are added to the samples; each with its 95 % interval.
Exit: 0 the gate was right as often as it promises, 1 it was not, 2 the command could not be measured, 3 usage.
Example: scripts/gate/calibration.py --rounds 2000 -- ./my_benchmark --benchmark_format=json
"""
import contextlib
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

RULES = {"called_slower": "gate", "mann_whitney": "U test", "means": "means"}


@contextlib.contextmanager
def load(count):
    """Keeps `count` processes busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def calibrated(arguments):
    """Returns the JSON output of `afterlife gate --calibrate`."""
    ended = subprocess.run([programs.path(arguments.preset, "afterlife"), "gate", "--json", "--calibrate", str(arguments.rounds), "--",
                            *arguments.command], capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1):
        sys.exit(f"calibration: {ended.stderr.strip()}")
    return json.loads(ended.stdout)


def words(rate):
    return f"{rate['count'] / rate['total']:7.1%} ({rate['low']:.1%} to {rate['high']:.1%})"


def print_part(title, result):
    for row in result["rows"]:
        print(f"{title:<12}{row['planted']:<12}{row['comparisons']:>12}" + "".join(f"{words(row[rule]):>28}" for rule in RULES), flush=True)


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--load", type=int, default=os.cpu_count())
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    print(f"{'machine':<12}{'planted':<12}{'comparisons':>12}" + "".join(f"{name:>28}" for name in RULES.values()))
    results = []
    for title, count in (("as it is", 0), (f"{arguments.load} busy", arguments.load)):
        with load(count):
            results.append(calibrated(arguments))
        print_part(title, results[-1])
    return int(any(result["is_red"] for result in results))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
            sys.exit(2)
        raise
