#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what `afterlife run` costs a program, and how many runs a second it comes to.

Usage: scripts/real/cost.py [--preset PRESET] [--wheels] [--only TEXT]

Cost: the processor time of a plain run under `afterlife run`, less that of as short a program, against the same on our bare
libcuda.so.1; at most 1.5 of a program, 5 of a script, whose lines are watched, also where it has two threads. Of a kernel from PTX (c[i] =
a[i] + b[i]) the same for each CUDA thread, with all that is checked; at most 30 ns. Runs a second, and the
processor time of one: forked at the first question, one at a time and one on each processor, and with a process each; with --wheels of issue_2039.py and dropped_buffer.py
on the cuda.core of real.py, too. Other work on the machine makes runs a second fewer, processor time hardly.
Exit: 0 within the bounds, 1 not, 2 nothing is built.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from real import CORE_0_7, CORE_1_2, Row, environment
from wheels import installed

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "scripts/real"
ROUNDS = 5
COUNT = 400_000
JOBS = len(os.sched_getaffinity(0))
LAUNCHES, CUDA_THREADS = 20, 4096 * 256  # The values in kernel_loop.py.


def processor_seconds(command, env=None):
    """Returns the processor time of the command and its child processes."""
    def total():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    before = total()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return total() - before


def run_command(build, out, *options):
    return [build / "afterlife", "run", "--out", out, *options, "--"]


def cost(build, out, program, count):
    """Returns the processor seconds of `count` rounds of a program, run directly and under `afterlife run`, measured alternately."""
    bare = dict(os.environ, LD_LIBRARY_PATH=str(build / "lib"))
    under = run_command(build, out, "--runs", "1")
    ways = (lambda rounds: processor_seconds(program + [str(rounds)], bare),
            lambda rounds: processor_seconds(under + program + [str(rounds)]))
    measured = [[way(count) - way(1) for way in ways] for _ in range(ROUNDS)]
    return [statistics.median(times) for times in zip(*measured)]


def thread_cost(build, out):
    """Prints the cost of a CUDA thread. Returns whether it is within the bound."""
    bound = 30
    bare, under = (seconds / LAUNCHES / CUDA_THREADS * 1e9
                   for seconds in cost(build, out, [sys.executable, HERE / "kernel_loop.py"], 1 + LAUNCHES))
    print(f"{'ok  ' if under <= bound else 'FAIL'} kernel, {LAUNCHES} launches: {bare:.1f} ns per CUDA thread bare, {under:.1f} ns under run, "
          f"at most {bound}", flush=True)
    return under <= bound


def pace(build, out, program, count, env, *options):
    """Returns a text with the wall and processor time per run, without the time for starting and ending the search, which is measured with one run and
    subtracted."""
    def used(runs):
        began = time.monotonic()
        processor = processor_seconds(run_command(build, out, "--runs", str(runs), *options) + program, env)
        return time.monotonic() - began, processor
    many, one = used(count + 1), used(1)
    return f"{count / (many[0] - one[0]):.1f} runs a second, {(many[1] - one[1]) / count * 1000:.0f} ms of a processor each"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--wheels", action="store_true", help="programs on cuda.core, too")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name contains this")
    options = parser.parse_args()
    build = ROOT / "build" / options.preset
    if not (build / "client_asked").is_file():
        sys.exit(print(f"cost: build/{options.preset} is not built: ./scripts/build.sh {options.preset}", file=sys.stderr) or 2)
    good = True
    with tempfile.TemporaryDirectory() as out:
        for name, program, bound in (("program", [build / "client_asked"], 1.5), ("script", [sys.executable, HERE / "loop.py"], 5),
                                     ("threads", [sys.executable, HERE / "threads_loop.py"], 5)):
            if options.only not in name:
                continue
            count = COUNT // 10 if name == "threads" else COUNT
            bare, under = cost(build, out, program, count)
            good = good and under <= bound * bare
            print(f"{'ok  ' if under <= bound * bare else 'FAIL'} {name}, {count} rounds: {bare:.2f} s bare, {under:.2f} s under run: "
                  f"{under / bare:.2f} times, at most {bound}", flush=True)
        if options.only in "kernel":
            good = thread_cost(build, out) and good
        fatbin = build / "generated/fatbins/graph_argument.fatbin"
        paced = [("program", [build / "client_asked"], 500, None),
                 ("script", [sys.executable, ROOT / "harness/client/tests/clients/sound.py"], 100, None)]
        for wheels in (CORE_0_7, CORE_1_2) if options.wheels else ():
            env = environment(installed(Row(*wheels, "issue_2039.py")))
            for script, given in (("issue_2039.py", []), ("dropped_buffer.py", [fatbin])):
                paced.append((f"{wheels[0]}, {script}", [sys.executable, HERE / script, *given], 100, env))
        for name, program, count, env in paced:
            if options.only not in name:
                continue
            for way, how, times in (("forked", (), 1), (f"forked, {JOBS} at a time", ("--jobs", str(JOBS)), 4),
                                    ("a process each", ("--process-per-run",), 0.2)):
                print(f"     {name}, {way}: {pace(build, out, program, int(count * times), env, *how)}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
