#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many runs `afterlife run` takes to the first fault of each program that has one.

Usage: scripts/real/first_fault.py [--preset PRESET] [--seeds N] [--runs N] [--only TEXT] [--self-test]

Searches the programs of harness/client/tests/clients and of mistakes.py, from seeds 1 to N (20), for as many runs as --runs says (60).
Prints for each program the median and the most of the runs before the first that showed a fault (0: the plain run does), and how
many seeds showed none; then the programs that take most. --self-test has a program without a mistake among them: it must be told.
Exit: 0 each seed showed a fault of each program, 1 one did not, 2 nothing is built, 3 usage.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from common.command_line import CommandLine  # noqa: E402
import determinism  # noqa: E402

# Programs without a mistake; or whose mistake needs a failing call, a forced switch, or an argument, or violates only the documentation.
WITHOUT = ("awaited", "called", "locked", "polled", "sound", "staged", "unchecked", "unlooked", "unwaited")


def first_run(build, command, seed, runs, out):
    """Returns the first run with a fault; None if there is none, or if there was no verdict."""
    words = [build / "afterlife", "run", "--runs", runs, "--seed", seed, "--out", out, "--json", "--", *command]
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if not ended.stdout.startswith("{"):
        return None
    return min((finding["first_run"] for finding in json.loads(ended.stdout)["findings"]), default=None)


def measured(build, command, options, out):
    """Returns the first runs of all seeds. The plain run does not depend on the seed, so if it shows the fault, one seed is enough."""
    firsts = []
    for seed in range(1, options.seeds + 1):
        firsts.append(first_run(build, command, seed, options.runs, out))
        if firsts == [0]:
            return firsts * options.seeds
    return firsts


def row(name, firsts):
    shown = [first for first in firsts if first is not None]
    missed = len(firsts) - len(shown)
    middle = f"{statistics.median(shown):5.1f} runs, {max(shown):3} at most" if shown else "no fault"
    return f"{'FAIL' if missed else 'ok  '} {name:24} {middle}{f'; none from {missed} of {len(firsts)} seeds' if missed else ''}"


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    build = ROOT / "build" / options.preset
    if not (build / "client_asked").is_file():
        sys.exit(print(f"first_fault: build/{options.preset} is not built: ./scripts/build.sh {options.preset}", file=sys.stderr) or 2)
    missed = 0
    plain = []
    with tempfile.TemporaryDirectory() as kept:
        folder = pathlib.Path(kept)
        for name, command in determinism.commands(build, folder):
            if options.only not in name or (name in WITHOUT and not (options.self_test and name == "sound")):
                continue
            firsts = measured(build, command, options, folder / "found")
            missed += None in firsts
            if set(firsts) == {0}:
                plain.append(name)
            else:
                print(row(name, firsts), flush=True)
    print(f"{len(plain)} more programs show a fault in the plain run; {missed} programs show none from some seed")
    if options.self_test:
        sys.exit(0 if missed == 1 else 1)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
