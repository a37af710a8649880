#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills one of four processes that share memory and events, again and again, at a moment of chance.

Usage: scripts/measure/peer_kills.py [--kills N] [--seed N] [--preset NAME]

Each run is harness/client/tests/clients/peers/four.py under `afterlife run`. It must end, without a finding, and leave nothing
behind: no process, no folder of a run, no shared memory. Of each kill it is known whether the process was in a call of
the driver; half of them must be. Prints counts. Exit: 0 all as it must be, 1 not.
"""
import argparse
import json
import mmap
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "harness/client/tests/clients/peers/four.py"
LIMIT = 120
ROUNDS = 150


def processes(name):
    """Returns the processes of the program with this flag file, by their numbers."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if name not in words or "python" not in words[0]:
            continue
        place = words.index(name)
        number = words[place + 1] if len(words) > place + 1 and words[place + 1].isdigit() else "0"
        if str(PROGRAM) == words[place - 2]:
            found[int(number)] = int(folder.name)
    return found


def left_behind(temporary):
    """Returns the files in the folders where runs keep data: their temporary folder, and /dev/shm."""
    return {str(path) for path in temporary.iterdir()} | {str(path) for path in pathlib.Path("/dev/shm").iterdir()}


def one_run(afterlife, chance, flags, out):
    """Kills one process of a run. Returns the complaint, whether it was in a call, and which process it was."""
    flags.write_bytes(bytes(4))
    program = f"{sys.executable} {PROGRAM} {ROUNDS} {flags}; exit 0"  # The exit code hides that a process was killed, which would be a finding.
    command = [afterlife, "run", "--runs", "1", "--json", "--out", out, "--", "sh", "-c", program]
    said = pathlib.Path(out + "-said")
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said.open("w"), text=True,
                           env=os.environ | {"TMPDIR": out + "-temporary"})
    with open(flags, "r+b") as file:
        marks = mmap.mmap(file.fileno(), 4)
    begin = time.monotonic()
    begun = set()  # Processes that have called the driver.
    while len(begun) < 4 and run.poll() is None and time.monotonic() - begin < LIMIT:
        begun |= {each for each in range(4) if marks[each]}
        time.sleep(0.001)
    time.sleep(chance.random() * chance.choice([0.05, 0.5, 3]))
    victim, number = None, chance.randrange(4)
    in_call = False
    found = processes(str(flags))
    if number in found:
        victim = found[number]
        try:
            os.kill(victim, signal.SIGSTOP)
            in_call = marks[number] == 1
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            victim = None
    try:
        out_text, _ = run.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        states = {each: pathlib.Path(f"/proc/{process}/syscall").read_text().split(" ")[:2] for each, process in processes(str(flags)).items()}
        run.terminate()
        run.communicate()
        return f"it hangs: {states} {said.read_text()[-300:]!r}", in_call, number
    if victim is None:
        return "", None, number
    findings = json.loads(out_text)["findings"]
    if findings:
        return f"a finding: {findings[0]['kind']} of {findings[0]['object']}", in_call, number
    return ("processes are left" if processes(str(flags)) else ""), in_call, number


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][7:])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", default="release")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    afterlife = str(ROOT / "build" / given.preset / "afterlife")
    wrong, kills, in_calls = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="peer-kills") as folder:
        temporary = pathlib.Path(folder) / "found-temporary"
        temporary.mkdir()
        before = left_behind(temporary)
        begin = time.monotonic()
        while kills < given.kills:
            why, in_call, number = one_run(afterlife, chance, pathlib.Path(folder) / "flags", folder + "/found")
            if in_call is None and not why:
                continue  # The process had already ended.
            kills += 1
            in_calls += bool(in_call)
            if why:
                wrong.append(f"kill {kills}, of process {number}: {why}")
                print(wrong[-1], flush=True)
        left = left_behind(temporary) - before
    if left:
        wrong.append(f"left behind: {', '.join(sorted(left))}")
        print(wrong[-1])
    print(f"{kills} kills, {in_calls} of them in a call of the driver; {len(wrong)} wrong; {time.monotonic() - begin:.0f} s")
    return 1 if wrong or 2 * in_calls < kills else 0


if __name__ == "__main__":
    sys.exit(main())
