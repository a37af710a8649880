#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Suite: one process of the wall suite: all benchmark programs of a build, as one JSON of Google Benchmark.

Usage: scripts/gate/suite.py BUILD PATH/VARIANT,... REGEX | --self-test

Each benchmark is named PROGRAM/NAME; `fuzz/PATH/VARIANT` is the time of so many runs, the start of the program
included. Only what REGEX matches is measured. Exit: 0 measured, 1 a program failed, with a line of why (a plant
was judged wrongly), 3 usage.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

REPETITIONS, MIN_SECONDS = 5, 0.0005
FUZZ_RUNS, FUZZ_REPETITIONS = 100, 3


def run(command, codes=(0,)):
    name = pathlib.Path(command[0]).name
    try:
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError as why:
        sys.exit(f"{name}: cannot be run: {why.strerror}")
    if ended.returncode not in codes:
        last = ended.stderr.strip().splitlines()[-1:] or [""]
        how = f"signal {-ended.returncode}" if ended.returncode < 0 else f"exit {ended.returncode}"
        sys.exit(f"{name}: {how}: {last[0]}")
    return ended.stdout


def escaped(name):
    """Escapes the name for POSIX regular expressions, which have fewer escapes than Python's."""
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", name)


def rows_of(program, wanted, is_all):
    """Returns the rows of one program, prefixed with its name."""
    short = program.name.removeprefix("bench_")
    command = [program, "--benchmark_format=json", f"--benchmark_repetitions={REPETITIONS}",
               f"--benchmark_min_time={MIN_SECONDS}"]
    if not is_all:
        names = [name for name in run([program, "--benchmark_list_tests"]).split("\n")
                 if name and wanted.fullmatch(f"{short}/{name}")]
        if not names:
            return []
        command.append(f"--benchmark_filter=^({'|'.join(map(escaped, names))})$")
    try:
        rows = json.loads(run(command))["benchmarks"]
        return [row | {"name": f"{short}/{row['name']}", "run_name": f"{short}/{row['run_name']}"} for row in rows]
    except (json.JSONDecodeError, KeyError, TypeError):
        sys.exit(f"{program.name}: printed no JSON of Google Benchmark")


def fuzz_rows(program, target, wanted):
    name = f"fuzz/{target}"
    if not wanted.fullmatch(name):
        return []
    rows = []
    for _ in range(FUZZ_REPETITIONS):
        begin = time.monotonic()
        run([program, "fuzz", target, "--runs", FUZZ_RUNS, "--seed", 1, "--out", program.parent / "none", "--json"],
            codes=(0, 1))  # Exit code 1: too few runs for the verdict "held".
        seconds = time.monotonic() - begin
        rows.append({"name": name, "run_name": name, "run_type": "iteration", "real_time": seconds, "time_unit": "s"})
    return rows


# ---- the self-test ----

GOOD = 'echo \'{"benchmarks": [{"name": "a", "run_name": "a", "run_type": "iteration", "real_time": 5, "time_unit": "ns"}]}\''
# Script of a benchmark program, None if there is none | script of `afterlife` | the complaint, "" if both are good.
PLANTS = [
    (GOOD, "exit 0", ""), (GOOD, "exit 1", ""), ("exit 3", "exit 0", "bench_x: exit 3: "),
    ("echo oh no >&2; kill -SEGV $$", "exit 0", "bench_x: signal 11: oh no"), ("kill -9 $$", "exit 0", "bench_x: signal 9: "),
    ("echo nonsense", "exit 0", "bench_x: printed no JSON of Google Benchmark"), ("exit 0", "exit 0", "bench_x: printed no JSON"),
    ("echo '[]'", "exit 0", "bench_x: printed no JSON"), ("echo '{\"benchmarks\": [{}]}'", "exit 0", "bench_x: printed no JSON"),
    (GOOD, "echo full >&2; exit 2", "afterlife: exit 2: full"), (GOOD, "kill -9 $$", "afterlife: signal 9: "),
    (GOOD, None, "afterlife: cannot be run: No such file or directory"),
]


def planted(folder, scripts):
    """Returns the result of the suite when these scripts take the place of its programs."""
    for name, script in scripts.items():
        file = folder / name
        file.unlink(missing_ok=True)
        if script is not None:
            file.write_text(f"#!/bin/sh\n{script}\n")
            file.chmod(0o755)
    return subprocess.run([sys.executable, __file__, folder, "p/v", ".*"], capture_output=True, text=True)


def self_test():
    rightly = 0
    with tempfile.TemporaryDirectory() as name:
        for bench, program, wanted in PLANTS:
            ended = planted(pathlib.Path(name), {"bench_x": bench, "bench_gpu": "exit 2", "afterlife": program})
            said = ended.stderr.splitlines()
            good = ended.returncode == 0 and not said and len(json.loads(ended.stdout)["benchmarks"]) == 1 + FUZZ_REPETITIONS \
                if not wanted else ended.returncode == 1 and len(said) == 1 and said[0].startswith(wanted) and not ended.stdout
            rightly += good
            if not good:
                print(f"suite: judged wrongly: {bench} | {program}: {ended.returncode} {said}")
    print(f"suite: {rightly} of {len(PLANTS)} plants judged rightly")
    return 0 if rightly == len(PLANTS) else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 3
    build, targets, regex = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    wanted = re.compile(regex)
    rows = []
    for program in sorted(file for file in build.glob("bench_*") if file.is_file() and file.name != "bench_gpu"):
        rows += rows_of(program, wanted, regex == ".*")
    for target in filter(None, targets.split(",")):
        rows += fuzz_rows(build / "afterlife", target, wanted)
    json.dump({"context": {}, "benchmarks": rows}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
