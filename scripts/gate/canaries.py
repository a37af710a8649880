#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Canaries: the record by which the gate itself is judged: programs of which it is known whether they are slower.

Usage: scripts/gate/canaries.py --self-test

A round is a fresh process of each side in random order: canary_0 as the base, canary_0 once more, and the builds that do
1 % and 3 % more of the same work. Exit: 0 all plants were judged rightly, 1 not, 3 usage.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import records
import revisions
import self_tested

RECORD, SEARCHES = records.unpacked("canaries.txt"), records.unpacked("effectiveness.txt")
VERSION = "afterlife_canaries 1"
SIDES = ("canary_0", "canary_0", "canary_1", "canary_3")
ROUNDS_OF_RUN = 20
HOG_COUNT = 2
PROCESS = ("--benchmark_format=json", "--benchmark_repetitions=10", "--benchmark_min_time=0.0003")


def readings(program):
    """Returns the minimum time of each benchmark in one process, in nanoseconds."""
    ended = subprocess.run([program, *PROCESS], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if ended.returncode:
        raise revisions.CannotCompare(f"{program.name}: exit {ended.returncode}: {revisions.last_line(ended.stderr)}")
    return least_times(program.name, ended.stdout)


def least_times(name, text):
    least = {}
    try:
        for row in json.loads(text)["benchmarks"]:
            if row["run_type"] == "iteration":
                least[row["run_name"]] = min(least.get(row["run_name"], float("inf")), row["real_time"])
    except (json.JSONDecodeError, KeyError, TypeError):
        raise revisions.CannotCompare(f"{name} printed no JSON of Google Benchmark") from None
    if not least or not all(0.5 <= time < 1e18 for time in least.values()):
        raise revisions.CannotCompare(f"{name} printed a time that is none: did its clock go back?" if least else f"{name} measured nothing")
    return least


def round_line(load, build, measure=readings):
    """Returns the names of the benchmarks and the line of one round."""
    order = random.sample(range(len(SIDES)), len(SIDES))
    found = {side: measure(build / SIDES[side]) for side in order}
    names = sorted(found[0])
    times = [f"{found[side][name]:.0f}" for side in range(len(SIDES)) for name in names]
    return " ".join(names), " ".join([load, "".join(map(str, order)), *times])


def head_of(record):
    """Returns the line of a record with the names, or "" if there is none. Removes an incomplete last line."""
    if not record.exists():
        return ""
    text = record.read_text()
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        record.write_text(whole)
    lines = whole.splitlines()
    if len(lines) < 2 or lines[0] != VERSION:
        raise revisions.CannotCompare(f"{record} is no record of canaries")
    return lines[1]


def rounds_in(record):
    return len(record.read_text().splitlines()) - 2 if record.exists() else 0


@contextlib.contextmanager
def beside_hogs(count):
    """Keeps `count` processors busy."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def load_of_run(index, machine):
    """Returns the load under which a run is recorded: hogs for every third run, and for all runs if only hogs are wanted."""
    if index % 3 != 2 and machine != "hogs":
        return machine
    return "hogs" if machine in ("quiet", "hogs") else f"{machine}+hogs"


def record_runs(count, build, record=RECORD, measure=readings, machine="quiet"):
    """Adds `count` runs of 20 rounds to the record, writing each round as soon as it is measured."""
    head = head_of(record)
    record.parent.mkdir(parents=True, exist_ok=True)
    first = rounds_in(record) // ROUNDS_OF_RUN
    for index in range(first, first + count):
        load = load_of_run(index, machine)
        with beside_hogs(HOG_COUNT if load.endswith("hogs") else 0):
            for _ in range(ROUNDS_OF_RUN):
                names, line = round_line(load, build, measure)
                if head and names != head:
                    raise revisions.CannotCompare(f"{record} has the benchmarks '{head}', and not '{names}'")
                with record.open("a") as file:
                    file.write(line + "\n" if head else f"{VERSION}\n{names}\n{line}\n")
                    file.flush()
                    os.fsync(file.fileno())
                head = names
        print(f"gate: run {index + 1} of {first + count}, {load}", file=sys.stderr, flush=True)


def build_of(preset, *targets):
    """Builds programs of this tree and returns the build folder."""
    ended = subprocess.run([revisions.ROOT / "scripts/build.sh", preset, *targets], capture_output=True, text=True)
    if ended.returncode:
        raise revisions.CannotCompare(f"this tree does not build: {revisions.last_line(ended.stdout + ended.stderr)}")
    return revisions.ROOT / "build" / preset


def record_here(count, preset, machine):
    if not re.fullmatch(r"[a-z]+", machine):
        raise revisions.CannotCompare(f"'{machine}' is no word of small letters, as --machine wants it")
    record_runs(count, build_of(preset, *dict.fromkeys(SIDES)), machine=machine)
    records.pack(RECORD.name)
    return 0


def judge(preset, as_json):
    """Returns the exit code and the output of the gate's judgement of itself."""
    if not RECORD.exists():
        raise revisions.CannotCompare(f"there is no {records.packed(RECORD.name).relative_to(revisions.ROOT)}: ./scripts/gate.sh --record N writes it")
    program = build_of(preset, "afterlife") / "afterlife"
    revisions.FOLDER.mkdir(parents=True, exist_ok=True)
    searches = ["--searches", SEARCHES] if SEARCHES.exists() else []
    return judged([program, "gate", "--canaries", RECORD, *searches, "--html", revisions.FOLDER / "self-test.html"], as_json)


def judged(command, as_json):
    ended = subprocess.run([*command, *(["--json"] if as_json else [])], capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        raise revisions.CannotCompare(f"a record cannot be judged: {revisions.last_line(ended.stderr)}")
    return ended.returncode, ended.stdout


# ---- the self-test ----

def printed(time, name="a"):
    return json.dumps({"benchmarks": [{"run_type": "iteration", "run_name": name, "real_time": time}]})


# Output of a program | whether it must be accepted.
OUTPUTS = [
    (printed(5.0), True), (printed(0), False), (printed(-3), False), (printed("1"), False), (printed(1e300), False), ("", False),
    ("nonsense", False), ("{}", False), ("[]", False), ('{"benchmarks": []}', False), ('{"benchmarks": [{}]}', False),
]


def is_taken(text):
    try:
        return bool(least_times("planted", text))
    except revisions.CannotCompare:
        return False


def planted_reading(program):
    return {"b": 1000.0 + int(program.name[-1]) * 10, "a": 500.4}


def self_test():
    rightly = []
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "new" / "record.txt"
        record_runs(1, pathlib.Path(folder), record, planted_reading)
        lines = record.read_text().splitlines()
        rightly.append(lines[:2] == [VERSION, "a b"] and len(lines) == 2 + ROUNDS_OF_RUN)
        rightly.append(all(line.split()[2:] == ["500", "1000", "500", "1000", "500", "1010", "500", "1030"] for line in lines[2:]))
        rightly.append(len({line.split()[1] for line in lines[2:]}) > 5)
        record.write_text(record.read_text() + "quiet 01")  # Killed in the middle of a line.
        record_runs(2, pathlib.Path(folder), record, planted_reading)
        lines = record.read_text().splitlines()
        rightly.append(len(lines) == 2 + 3 * ROUNDS_OF_RUN and all(len(line.split()) == 10 for line in lines[2:]))
        rightly.append([line.split()[0] for line in lines[2::ROUNDS_OF_RUN]] == ["quiet", "quiet", "hogs"])
        rightly.append([load_of_run(index, "hogs") for index in range(3)] == ["hogs"] * 3)
        rightly.append([load_of_run(index, "shared") for index in range(3)] == ["shared", "shared", "shared+hogs"])
        try:
            record_runs(1, pathlib.Path(folder), record, lambda program: {"other": 1.0})
            rightly.append(False)
        except revisions.CannotCompare:
            rightly.append(record.read_text().splitlines() == lines)
    rightly += [is_taken(text) == wanted for text, wanted in OUTPUTS]
    print(f"canaries: {sum(rightly)} of {len(rightly)} plants judged rightly")
    return 0 if all(rightly) else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
