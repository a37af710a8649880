#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Baselines: exact numbers of a revision on a class of machines, so that a base need not be run for them again.

Usage: scripts/gate/baselines.py --self-test

A baseline (results/schemas/baseline.json) holds counters, instructions and memory: what repeats. Times are not in it: they
are only compared side by side. It counts where revision, class (processor, cores, compiler, C library, preset) and terms
are those of the comparison; one that is damaged is refused. Exit: 0 all plants were judged rightly, 1 not, 3 usage.
"""
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import counters
import memory
import revisions
import self_tested

FOLDER = revisions.ROOT / "results/baselines"
PARTS = {"counters": counters.of_work, "instructions": counters.of_instructions, "memory": memory.of_paths}
TERMS = {"first_runs": counters.FIRST_RUNS, "all_runs": counters.ALL_RUNS, "memory_runs": memory.RUNS}
KEYS = {"schema", "commit", "machine", "terms", *PARTS}
MACHINE_KEYS = ("processor", "cores", "compiler", "libc", "preset")


# ---- the class ----

def processor():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return names[0].strip() if names else platform.machine()


def compiler_of(build):
    """Returns the first line of the version text of a build's compiler."""
    cache = build / "CMakeCache.txt"
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.M)
    if not found:
        raise revisions.CannotCompare(f"{cache} names no compiler")
    ended = subprocess.run([found[1], "--version"], capture_output=True, text=True)
    return (ended.stdout.splitlines() or [found[1]])[0]


def machine_of(side):
    return {"processor": processor(), "cores": len(os.sched_getaffinity(0)), "compiler": compiler_of(side.build),
            "libc": " ".join(platform.libc_ver()), "preset": side.preset}


# ---- files ----

def file_of(commit, machine, folder=None):
    text = json.dumps([machine[key] for key in MACHINE_KEYS])
    return (folder or FOLDER) / f"{commit[:12]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"


def complaint(found):
    """Returns the complaint about the object of a file, or "" if it is a valid baseline."""
    if not isinstance(found, dict) or set(found) != KEYS or found["schema"] != 1:
        return "has not the keys of a baseline"
    if not re.fullmatch("[0-9a-f]{40}", str(found["commit"])):
        return "names no commit"
    if not isinstance(found["machine"], dict) or set(found["machine"]) != set(MACHINE_KEYS):
        return "names no class of machines"
    for part in PARTS:
        if not isinstance(found[part], dict) or not found[part]:
            return f"has no {part}"
        wrong = [name for name, value in found[part].items() if type(value) is not int or value < 0]
        if wrong:
            return f"has no number of '{wrong[0]}'"
    return ""


def read(commit, machine, folder=None):
    """Returns the baseline of a revision on this class of machines and with these terms, or None if there is none."""
    file = file_of(commit, machine, folder)
    if not file.exists():
        return None
    try:
        found = json.loads(file.read_text())
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise revisions.CannotCompare(f"{file} is damaged: record it again, or remove it") from None
    if why := complaint(found):
        raise revisions.CannotCompare(f"{file} {why}: record it again, or remove it")
    is_it = found["commit"] == commit and found["machine"] == machine and found["terms"] == TERMS
    return found if is_it else None


def write(baseline, folder=None):
    """Writes the baseline atomically; returns its file."""
    if why := complaint(baseline):
        raise revisions.CannotCompare(f"what was measured {why}, and is no baseline")
    file = file_of(baseline["commit"], baseline["machine"], folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    try:
        draft.write_text(json.dumps(baseline, indent=1, sort_keys=True) + "\n")
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return file


def record(revision, preset):
    """Builds a revision, measures it and writes its baseline; returns the exit code."""
    side = revisions.Side("head", revision or "HEAD", preset)
    side.make()
    baseline = {"schema": 1, "commit": side.commit, "machine": machine_of(side), "terms": TERMS}
    file = write(baseline | {part: measure(side) for part, measure in PARTS.items()})
    print(f"gate: {file.relative_to(revisions.ROOT)}: a baseline of {side.name}", file=sys.stderr)
    return 0


# ---- the self-test ----

MACHINE = {"processor": "a", "cores": 2, "compiler": "c", "libc": "d", "preset": "e"}
COMMIT = "0123456789abcdef" * 2 + "01234567"
BASELINE = {"schema": 1, "commit": COMMIT, "machine": MACHINE, "terms": TERMS, "counters": {"a turns": 1},
            "instructions": {"start": 5}, "memory": {"a peak": 9}}
# Change to a baseline | whether it must be refused.
CHANGES = [
    ({}, False), ({"schema": 2}, True), ({"commit": "abc"}, True), ({"machine": {}}, True), ({"counters": {}}, True),
    ({"memory": {"a peak": -1}}, True), ({"instructions": {"start": 1.5}}, True), ({"counters": [1]}, True), ({"more": 1}, True),
]


def is_refused(change, folder):
    try:
        return write(BASELINE | change, folder) is None
    except revisions.CannotCompare:
        return True


def refusal(text, folder):
    """Returns the reason why a file with this text is refused, or "" if it is accepted."""
    file_of(COMMIT, MACHINE, folder).write_text(text)
    try:
        read(COMMIT, MACHINE, folder)
    except revisions.CannotCompare as why:
        return str(why)
    return ""


def is_as_the_schema_says():
    """Returns whether the schema requires the same keys as complaint()."""
    schema = json.loads((revisions.ROOT / "results/schemas/baseline.json").read_text())
    return (set(schema["required"]) == KEYS == set(schema["properties"])
            and set(schema["properties"]["machine"]["required"]) == set(MACHINE_KEYS)
            and set(schema["properties"]["terms"]["required"]) == set(TERMS))


def self_test():
    rightly = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "new"
        rightly.append(read(COMMIT, MACHINE, folder) is None)
        rightly += [is_refused(change, folder) == wanted for change, wanted in CHANGES]
        file = write(BASELINE, folder)
        rightly.append(read(COMMIT, MACHINE, folder) == BASELINE and [entry.name for entry in folder.iterdir()] == [file.name])
        others = [MACHINE | {key: value} for key, value in (("processor", "b"), ("cores", 4), ("compiler", "b"), ("libc", "b"), ("preset", "b"))]
        rightly += [read(COMMIT, other, folder) is None for other in others]
        rightly.append(read(COMMIT[::-1], MACHINE, folder) is None)
        text = file.read_text()
        rightly.append(not refusal(text, folder))
        for broken in ("", text[:len(text) // 2], "[]", "{}", text.replace('"a turns": 1', '"a turns": null')):
            why = refusal(broken, folder)
            rightly.append("record it again" in why and "\n" not in why)
        refusal(json.dumps(BASELINE | {"terms": TERMS | {"all_runs": 7}}), folder)
        rightly.append(read(COMMIT, MACHINE, folder) is None)
    rightly.append(is_as_the_schema_says())
    print(f"baselines: {sum(rightly)} of {len(rightly)} plants judged rightly")
    return 0 if all(rightly) else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
