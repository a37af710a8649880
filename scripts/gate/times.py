#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times: what is measured in seconds, by `afterlife gate`: the wall suite, and the kernels of a GPU where there is one.

Usage: scripts/gate/times.py --self-test

Exit: 0 all plants were judged rightly, 1 not, 3 usage.
"""
import pathlib
import subprocess
import sys
import tempfile

import budget
import canaries
import outcome
import revisions
import self_tested

SUITE = pathlib.Path(__file__).resolve().parent / "suite.py"
GPU_PROGRAM = "bench_gpu"
GPU_OPTIONS = ("--benchmark_format=json", "--benchmark_repetitions=5", "--benchmark_filter={benchmarks}")


def wall(base, head, options, allowed, seconds):
    """Returns the exit code and the object for all benchmarks of the two sides, and for searches of each path."""
    fuzzed = ",".join(head.sound_of_each_path())
    commands = [[sys.executable, SUITE, side.build, fuzzed, "{benchmarks}"] for side in (base, head)]
    return compared("gate", commands, head, options, allowed, seconds)


def gpu(base, head, options, allowed, seconds):
    """Returns the same for kernels on a GPU, timed by GPU events."""
    commands = [[side.program(GPU_PROGRAM), *GPU_OPTIONS] for side in (base, head)]
    return compared("gpu", commands, head, options, allowed, seconds)


def why_no_gpu(*sides):
    """Returns in one line why kernels are not measured, or "" if they are."""
    for side in sides:
        program = side.program(GPU_PROGRAM)
        if not program.exists():
            return f"{side.name} has no benchmarks of a GPU"
        ended = subprocess.run([program, "--benchmark_list_tests"], capture_output=True, text=True)
        if ended.returncode:
            return revisions.last_line(ended.stderr) or f"{GPU_PROGRAM} {outcome.how_ended(ended.returncode)}"
    return ""


def rates_for_page(program):
    """Returns options that make the page state the gate's error rates; none if the program does not have them yet."""
    if "--rates" not in subprocess.run([program, "gate", "--help"], capture_output=True, text=True).stdout:
        return []
    records = (("--rates", canaries.RECORD), ("--searches", canaries.SEARCHES))
    return [word for option, record in records if record.exists() for word in (option, record)]


def compared(name, commands, head, options, allowed, seconds):
    """Returns the exit code and the object of `afterlife gate` over two commands, printing its table as it runs. The samples and the page are left in
    build/gate under this name."""
    folder = revisions.FOLDER
    samples = folder / ("samples.jsonl" if name == "gate" else f"{name}_samples.jsonl")
    samples.unlink(missing_ok=True)
    command = [head.program("afterlife"), "gate", "--samples", samples, "--html", folder / f"{name}.html",
               "--markdown", folder / f"{name}.md", "--junit", folder / ("junit.xml" if name == "gate" else f"{name}_junit.xml"),
               "--rounds", options.rounds, "--seed", options.seed]
    command += ["--seconds", seconds] if seconds else []
    command += ["--json"] if options.json else []
    command += [] if seconds else rates_for_page(head.program("afterlife"))  # Computing the rates takes a minute.
    for side in commands:
        command += ["--", *side]
    ended = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE if options.json else None, text=True)
    if ended.returncode != 1:
        outcome.worst([ended.returncode])  # Other codes mean that it was killed, which gives no verdict.
        return ended.returncode, outcome.json_of("afterlife gate", ended, outcome.WORST_FIRST) if options.json else None
    again = subprocess.run([head.program("afterlife"), "gate", "--json", "--recompute", samples], capture_output=True, text=True)
    found = outcome.json_of("afterlife gate --recompute", again, (1,))
    return after_budget(found, allowed, options), found


def after_budget(found, allowed, options):
    """Returns the exit code of a comparison with slower benchmarks, depending on whether the budget allows them all."""
    red = [row for row in found["benchmarks"] if row["verdict"] in ("slower", "gone")]
    granted = [row for row in red if row["verdict"] == "slower" and budget.covers(allowed, row["name"], row["ratio"])]
    for row in granted if not options.json else ():
        print(f"  within its budget: {row['name']} {100 * (row['ratio'] - 1):+.1f} %")
    if len(granted) < len(red):
        return 1
    return 5 if any(row["verdict"] in ("undecided", "too noisy") for row in found["benchmarks"]) else 0


# ---- the self-test ----

class PlantedSide:
    """A side whose program is this script; None stands for a revision without the program."""

    def __init__(self, folder, name, script):
        self.name, self.build = name, folder / name
        self.build.mkdir(exist_ok=True)
        self.program(GPU_PROGRAM).unlink(missing_ok=True)
        if script is not None:
            revisions.write_if_new(self.program(GPU_PROGRAM), f"#!/bin/sh\n{script}\n".encode(), 0o755)

    def program(self, name):
        return self.build / name


# Scripts of base and head | why nothing can be measured.
SIDES = [
    ("exit 0", "exit 0", ""), (None, "exit 0", "base has no benchmarks of a GPU"), ("exit 0", None, "head has no benchmarks of a GPU"),
    ("echo bench_gpu: no CUDA driver >&2; exit 2", "exit 0", "bench_gpu: no CUDA driver"),
    ("exit 0", "kill -9 $$", "bench_gpu was ended by signal 9"),
]


def self_test():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rightly = [why_no_gpu(PlantedSide(folder, "base", base), PlantedSide(folder, "head", head)) == why for base, head, why in SIDES]
    print(f"times: {sum(rightly)} of {len(rightly)} plants judged rightly")
    return 0 if all(rightly) else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
