#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Effectiveness: whether searches find, minimize and shrink as well as before; and the record by which that is judged.

Usage: scripts/gate/effectiveness.py --self-test

Both sides search the same unsound variants under numbers of their own, which seeds follow from. The record has searches
of this tree, and of a copy with defects (plants.py). Exit: 0 all plants were judged rightly, 1 not, 3 usage.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import canaries
import outcome
import plants
import records
import revisions
import self_tested

RECORD = records.unpacked("effectiveness.txt")
VERSION = "afterlife_effectiveness 1"
SEARCHES, LIMIT = 3, 300  # The defaults of the command and of harness/gate/effectiveness_canaries.h.
SEARCHES_OF_WINDOWS, LIMIT_OF_WINDOWS = 100, 3000
CHUNK = 12
# Program | the number of its first search. The ranges do not overlap.
PROGRAMS = {"unchanged": 1, "half_wasted": 1_000_001, "one_window": 2_000_001}


def searched(program, first, count, limit, minimized, environment=None):
    """Returns the output of `afterlife effectiveness`, or None if the program does not have the command."""
    command = [program, "effectiveness", "--json", "--first", first, "--searches", count, "--limit", limit,
               "--minimized", minimized]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                           env=os.environ | (environment or {}))
    if ended.returncode == 3:
        return None
    if ended.returncode:
        raise revisions.CannotCompare(f"{program}: effectiveness: exit {ended.returncode}: {revisions.last_line(ended.stderr)}")
    return ended.stdout


# ---- comparing two revisions ----

def compare(base, head, options):
    """Prints the comparison; returns its exit code and its object."""
    count, limit = (SEARCHES_OF_WINDOWS, LIMIT_OF_WINDOWS) if options.windows else (SEARCHES, LIMIT)
    files = []
    for index, side in enumerate((base, head)):
        text = searched(side.program("afterlife"), 1 + index * count, count, limit, 0 if options.windows else 1)
        if text is None:
            return without_measure(side, options)
        files.append(revisions.FOLDER / f"effectiveness_{('base', 'head')[index]}.json")
        files[-1].write_text(text)
    command = [head.program("afterlife"), "effectiveness", "--compare", *files]
    command += ["--windows"] if options.windows else []
    ended = subprocess.run([*command, "--json"], capture_output=True, text=True)
    found = outcome.json_of("effectiveness --compare", ended, (0, 1, 5))
    if not options.json:
        subprocess.run(command)
    return ended.returncode, found


def without_measure(side, options):
    """Handles a revision without the command: like a new benchmark, it has nothing to compare."""
    if not options.json:
        print(f"effectiveness: {side.name} cannot measure it, so that there is nothing to compare", flush=True)
    return 0, {"tests": []}


# ---- the record ----

def lines_of(name, text):
    """Returns the line of the windows, and a line for each number."""
    side = json.loads(text)
    variants = sorted(side["variants"].items())
    names = [f"{variant}:{window}" for variant, searches in variants for window in sorted(searches[0]["windows"])]
    lines = []
    for index in range(len(variants[0][1])):
        runs = [str(searches[index]["windows"][window]["run"] or "-")
                for _, searches in variants for window in sorted(searches[index]["windows"])]
        lines.append(" ".join([name, str(side["first"] + index), *runs]))
    return " ".join(names), lines


class Record:
    """A record to which whole lines are added. An incomplete last line is removed first."""

    def __init__(self, file):
        self.file = file
        text = file.read_text() if file.exists() else ""
        whole = text[:text.rfind("\n") + 1]
        if whole != text:
            file.write_text(whole)
        self.head, self.counts = whole.splitlines()[:3], dict.fromkeys(PROGRAMS, 0)
        for line in whole.splitlines()[3:]:
            self.counts[line.split()[0]] = self.counts.get(line.split()[0], 0) + 1

    def add(self, strategy_and_limit, names, lines):
        head = [VERSION, strategy_and_limit, names]
        if self.head and self.head != head:
            raise revisions.CannotCompare(f"{self.file} has other windows, or another limit: begin a new one")
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as file:
            file.write("".join(line + "\n" for line in ([] if self.head else head) + lines))
            file.flush()
            os.fsync(file.fileno())
        self.head = head
        for line in lines:
            self.counts[line.split()[0]] += 1


def chunks(record, comparisons):
    """Returns the searches that `comparisons` more comparisons need: programs and numbers, with the programs taking turns."""
    wanted = {"unchanged": 2 * SEARCHES * comparisons, "half_wasted": SEARCHES * max(1, comparisons // 6),
              "one_window": 60 * max(1, comparisons // 100)}
    jobs = [((index + 1) / count, name, PROGRAMS[name] + record.counts[name] + index, min(CHUNK, count - index))
            for name, count in wanted.items() for index in range(0, count, CHUNK)]
    return [job[1:] for job in sorted(jobs)]


def record_comparisons(comparisons, preset):
    """Adds the searches that `comparisons` comparisons of the program with itself need, and a sixth as many with half_wasted."""
    sound, broken = canaries.build_of(preset, "afterlife") / "afterlife", plants.build(preset)
    record = Record(RECORD)
    jobs = chunks(record, comparisons)

    def searches(job):
        name, first, count = job
        program = sound if name == "unchanged" else broken
        return name, searched(program, first, count, LIMIT, 0, {plants.VARIABLE: name})

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for index, (name, text) in enumerate(pool.map(searches, jobs)):
            record.add(f"random_walk {LIMIT}", *lines_of(name, text))
            print(f"gate: {index + 1} of {len(jobs)} parts of the record", file=sys.stderr, flush=True)
    records.pack(RECORD.name)
    return 0


def judge(preset, as_json):
    """Returns the exit code and the output of the judgement of the comparison itself."""
    if not RECORD.exists():
        raise revisions.CannotCompare(f"there is no {records.packed(RECORD.name).relative_to(revisions.ROOT)}: "
                                      "./scripts/gate.sh --record N --only effectiveness writes it")
    program = canaries.build_of(preset, "afterlife") / "afterlife"
    return canaries.judged([program, "effectiveness", "--canaries", RECORD], as_json)


# ---- the self-test ----

def side_of(first, runs):
    """Returns the command's output for two variants: the runs of a search's windows in each of its searches."""
    def searches(of_variant):
        return [{"seed": 1, "windows": {"b": {"run": of_variant[0]}, "a": {"run": of_variant[1]}}} for _ in range(2)]
    return json.dumps({"schema": 1, "strategy": "random_walk", "first": first, "limit": LIMIT,
                       "variants": {"q/y": searches(runs[2:]), "p/x": searches(runs[:2])}})


def refused(call, *arguments):
    try:
        call(*arguments)
    except revisions.CannotCompare as why:
        return str(why)
    return ""


def self_test():
    rightly = []
    names, lines = lines_of("unchanged", side_of(7, (4, None, 2, 3)))
    rightly.append(names == "p/x:a p/x:b q/y:a q/y:b" and lines == ["unchanged 7 - 4 3 2", "unchanged 8 - 4 3 2"])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "new" / "record.txt"
        Record(file).add("random_walk 300", names, lines)
        file.write_text(file.read_text() + "unchanged 9 -")  # Killed in the middle of a line.
        record = Record(file)
        rightly.append(record.counts["unchanged"] == 2 and record.counts["half_wasted"] == 0)
        wanted = [job for job in chunks(record, 10) if job[0] == "unchanged"]
        rightly.append(wanted[0] == ("unchanged", 3, CHUNK) and sum(count for _, _, count in wanted) == 2 * SEARCHES * 10)
        rightly.append("begin a new one" in refused(record.add, "random_walk 300", "p/x:a", lines))
        rightly.append(file.read_text().splitlines() == [VERSION, "random_walk 300", names, *lines])
    for name, (status, output) in {"sound": (0, side_of(1, (1, 1, 1, 1))), "unknown": (3, ""), "broken": (2, "")}.items():
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "afterlife"
            program.write_text(f"#!/bin/sh\necho oh no >&2\ncat <<'EOF'\n{output}\nEOF\nexit {status}\n")
            program.chmod(0o755)
            found = refused(searched, program, 1, 2, LIMIT, 0) or searched(program, 1, 2, LIMIT, 0)
            rightly.append({"sound": found and json.loads(output) == json.loads(found) if status == 0 else False,
                            "unknown": found is None, "broken": str(found).endswith("exit 2: oh no")}[name])
    for defect, name, there, instead in plants.DEFECTS:
        text = (revisions.ROOT / name).read_text()
        rightly.append(plants.planted(text, defect, there, instead) != text)
        rightly.append("fits its place no more" in refused(plants.planted, text.replace(there, ""), defect, there, instead))
    print(f"effectiveness: {sum(map(bool, rightly))} of {len(rightly)} plants judged rightly")
    return 0 if all(rightly) else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
