#!/usr/bin/env python3
"""Suite: one process of the wall suite: all benchmark programs of a build, as one JSON of Google Benchmark.

Usage: scripts/gate/suite.py BUILD PATH/VARIANT,... REGEX

Each benchmark is named PROGRAM/NAME; `fuzz/PATH/VARIANT` is the time of so many runs, the start of the program
included. Only what REGEX matches is measured. Exit: 0 measured, 1 a program failed, with a line of why, 3 usage.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

REPETITIONS, MIN_SECONDS = 5, 0.001
FUZZ_RUNS, FUZZ_REPETITIONS = 300, 3


def run(command, codes=(0,)):
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if ended.returncode not in codes:
        last = ended.stderr.strip().splitlines()[-1:] or [""]
        sys.exit(f"{pathlib.Path(command[0]).name}: exit {ended.returncode}: {last[0]}")
    return ended.stdout


def escaped(name):
    """The name for the regular expressions of POSIX, which know fewer escapes than Python's."""
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", name)


def rows_of(program, wanted, is_all):
    """The rows of one program, under its name."""
    short = program.name.removeprefix("bench_")
    command = [program, "--benchmark_format=json", f"--benchmark_repetitions={REPETITIONS}",
               f"--benchmark_min_time={MIN_SECONDS}"]
    if not is_all:
        names = [name for name in run([program, "--benchmark_list_tests"]).split("\n")
                 if name and wanted.fullmatch(f"{short}/{name}")]
        if not names:
            return []
        command.append(f"--benchmark_filter=^({'|'.join(map(escaped, names))})$")
    rows = json.loads(run(command))["benchmarks"]
    return [row | {"name": f"{short}/{row['name']}", "run_name": f"{short}/{row['run_name']}"} for row in rows]


def fuzz_rows(program, target, wanted):
    name = f"fuzz/{target}"
    if not wanted.fullmatch(name):
        return []
    rows = []
    for _ in range(FUZZ_REPETITIONS):
        begin = time.monotonic()
        run([program, "fuzz", target, "--runs", FUZZ_RUNS, "--seed", 1, "--out", program.parent / "none", "--json"],
            codes=(0, 1))  # 1: too few runs to call it held.
        seconds = time.monotonic() - begin
        rows.append({"name": name, "run_name": name, "run_type": "iteration", "real_time": seconds, "time_unit": "s"})
    return rows


def main():
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 3
    build, targets, regex = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    wanted = re.compile(regex)
    rows = []
    for program in sorted(file for file in build.glob("bench_*") if file.is_file()):
        rows += rows_of(program, wanted, regex == ".*")
    for target in filter(None, targets.split(",")):
        rows += fuzz_rows(build / "afterlife", target, wanted)
    json.dump({"context": {}, "benchmarks": rows}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
