#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what processes that share a device cost, and looks for the faults of the twelve programs of client_peers_test.

Usage: scripts/measure/peer_costs.py [--preset NAME] [--programs [PART]] [--seeds N] [--replays N] [--twins N]

Without --programs: microseconds of a copy and of an event between two processes under `afterlife run`, and runs a second
of four processes. With it, each program whose row has PART: the seconds until its fault is found from each seed, replays
as recorded, and runs of its twin in which nothing may be found. Exit: 0 all as it must be, 1 not.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "harness/client/tests/clients/peers"
ROW = re.compile(r'\{(true|false), "(\w+)", "(\w+)", "(\w+)"')


def run(preset, words, program):
    command = [ROOT / "build" / preset / "afterlife", *words, "--", *program] if program else [ROOT / "build" / preset / "afterlife", *words]
    begin = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1"})
    return ended, time.monotonic() - begin


def costs(preset, out):
    ended, _ = run(preset, ["run", "--runs", "1", "--out", out], ["python3", CLIENTS / "costs.py"])
    print("\n".join(f"{line} us" for line in ended.stdout.splitlines() if line[-1:].isdigit() and not line.endswith("findings")), flush=True)
    ended, seconds = run(preset, ["run", "--runs", "20", "--out", out], ["python3", CLIENTS / "four.py", "3"])
    print(f"four processes: {20 / seconds:.2f} runs a second", flush=True)
    return ended.returncode == 0


def programs():
    """Yields the rows of the test with the words of each program and the kind of its fault."""
    for is_script, how, name, kind in ROW.findall((ROOT / "harness/client/tests/client_peers_test.cpp").read_text()):
        start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2"] if how == "mpirun" else []
        native = [CLIENTS / "peers.py"] if is_script == "true" else []
        yield how, name, kind, start + (["python3", *native] if native else [PROGRAM]) + [how, name]


def judge(arguments, program, kind, out):
    """Searches for a program's fault. Returns whether the result is as expected, and a description."""
    times, replayed, is_right = [], 0, True
    for seed in range(1, arguments.seeds + 1):
        ended, seconds = run(arguments.preset, ["run", "--runs", "12", "--seed", str(seed), "--out", out], program)
        found = [path for path in pathlib.Path(out).glob(f"*-{kind}-*.run.json")]
        is_right = is_right and bool(found) and seconds <= 60
        times.append(f"{seconds:.0f}" if found else "-")
        for _ in range(arguments.replays if seed == 1 and found else 0):
            again, _ = run(arguments.preset, ["replay", found[0]], [])
            replayed += "as recorded" in again.stdout + again.stderr
        if seed < arguments.seeds:
            for path in pathlib.Path(out).iterdir():
                path.unlink()
    twins = "not run"
    if arguments.twins:
        ended, _ = run(arguments.preset, ["run", "--runs", str(arguments.twins), "--out", out], [*program, "sound"])
        twins = "clean" if ended.returncode == 0 else f"exit {ended.returncode}"
        is_right = is_right and ended.returncode == 0
    return (is_right and replayed == arguments.replays,
            f"found after {' '.join(times)} s, {replayed} of {arguments.replays} replays, twin {twins} ({arguments.twins} runs)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--programs", nargs="?", const="", default=None)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--replays", type=int, default=20)
    parser.add_argument("--twins", type=int, default=500)
    arguments = parser.parse_args()
    global PROGRAM
    PROGRAM = ROOT / "build" / arguments.preset / "client_peers"
    with tempfile.TemporaryDirectory() as out:
        if arguments.programs is None:
            return 0 if costs(arguments.preset, out) else 1
    is_right = True
    for how, name, kind, program in programs():
        if arguments.programs not in f"{how} {name}":
            continue
        with tempfile.TemporaryDirectory() as out:
            is_good, words = judge(arguments, program, kind, out)
        print(f"{how:7} {name:20} {words}", flush=True)
        is_right = is_right and is_good
    return 0 if is_right else 1


sys.exit(main())
