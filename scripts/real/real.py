#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs on real libraries, as their authors ship them, under `afterlife run`; and programs of the CUDA runtime (runtime.py).

Usage: scripts/real.sh [--long] [--seeds N] [--only TEXT]
       scripts/real/real.py [--preset PRESET] [--long] [--seeds N] [--only TEXT]

Pinned wheels are installed into build/real, once. Each row below is a program on one of them, and what must come of it: a fault in
these lines of the program, from every seed (1 to 3; --long: 1 to 10), with at most so many decisions, that each of 3 replays
(--long: of 20) shows; a failure of its own, in some runs and not in the plain one; or nothing. Of these last, --long looks at some for
minutes, from one seed more. Prints a line per row and seed. Exit: 0 as expected, 1 not, 2 a wheel cannot be installed or the
build is not there, 3 usage.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import runtime
from wheels import ROOT, WHEELS, installed, interpreter, stop

HERE = ROOT / "scripts/real"


@dataclasses.dataclass
class Row:
    """A program with certain wheels, and its expected finding; no finding is allowed if it has no lines."""
    name: str
    wheels: tuple
    program: str
    kernels: str = ""  # Kernels whose fatbin it gets as an argument; without one, it compiles its own.
    kind: str = ""
    lines: dict = dataclasses.field(default_factory=dict)  # Text in the line where it was born, captured, and so on.
    decisions: int = 0
    arguments: tuple = ()  # The program's arguments after the fatbin.
    besides: tuple = ()  # Other kinds that may be found.
    minutes: int = 0  # The duration of an additional search with --long.
    failures: tuple = ()  # Accepted complaints of failures after the plain run.
    python: int = 0  # The lowest minor version of Python 3 that its wheels support; 0: the current one.
    is_jax: bool = False  # It looks for /dev/nvidiactl and needs our runtime.
    is_compiled: bool = False  # pip compiles it against the toolkit, which takes minutes: only run with --long or --only.
    is_long: bool = False  # It downloads hundreds of megabytes: only run with --long or --only.


CORE_0_7 = ("cuda.core 0.7.0", ("cuda-core==0.7.0", "cuda-bindings==13.0.3", "numpy==2.1.3"))
CORE_1_1 = ("cuda.core 1.1.0", ("cuda-core==1.1.0", "cuda-bindings==13.0.3", "numpy==2.1.3"))
CORE_1_2 = ("cuda.core 1.2.2", ("cuda-core==1.2.2", "cuda-bindings==13.0.3", "numpy==2.1.3"))
TAICHI = ("taichi 1.7.4", ("taichi==1.7.4", "numpy==2.1.3"))
NUMBA = ("numba-cuda 0.30.4", ("numba-cuda==0.30.4", "numba==0.62.1", "numpy==2.2.6", "cuda-core==1.2.2", "cuda-bindings==13.0.3",
                               "nvidia-nvvm==13.0.88", "nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cccl==13.0.85"))
PYCUDA = ("PyCUDA 2026.1", ("pycuda==2026.1", "numpy==2.1.3"))
JAX = ("JAX 0.12.0.1", ("jax==0.12.0.1", "jaxlib==0.12.0.1", "jax-cuda13-plugin==0.12.0.1", "jax-cuda13-pjrt==0.12.0.1", "numpy==2.5.5"))
HEAP_ERROR = "signal 11"  # A dead object is read, and the heap may contain anything there.
ROWS = [
    Row(*CORE_0_7, "dropped_buffer.py", "graph_argument", "use_after_free",
        {"born": "memory.allocate(", "captured": "graph.launch(", "used": "run.launch("}, 1),
    Row(*CORE_1_2, "dropped_buffer.py", "graph_argument"),
    Row(*CORE_0_7, "issue_2039.py", "", "use_after_free",
        {"born": "memory.allocate(", "captured": "graph.launch(", "died": "del buffer", "used": "run.launch("}, 3),
    Row(*CORE_1_2, "issue_2039.py", minutes=10),
    Row(*CORE_0_7, "recycled_buffer.py", "", "use_after_free",
        {"born": "memory.allocate(", "captured": "graph.launch(", "died": "del buffer", "used": "run.launch("}, 3,
        besides=("recycled_use",)),
    Row(*CORE_1_2, "recycled_buffer.py"),
    Row(*CORE_0_7, "template_kernel.py"),
    Row(*CORE_1_2, "template_kernel.py"),
    Row(*CORE_1_1, "graph_operand.py", "", "api_misuse"),
    Row(*CORE_1_2, "graph_operand.py"),
    Row(*NUMBA, "numba_values.py"),
    Row(*NUMBA, "numba_graph.py", "", "use_after_free",
        {"born": "cuda.to_device(", "captured": "add_one[", "died": "del scratch", "used": "run.launch("}, 1, ("dropped",)),
    Row(*NUMBA, "numba_graph.py", arguments=("kept",)),
    Row(*NUMBA, "numba_view.py", "", "use_after_free",
        {"born": "cuda.to_device(", "died": "del scratch", "used": "add_one["}, 1, ("borrowed",)),
    Row(*NUMBA, "numba_view.py", arguments=("owned",)),
    Row(*PYCUDA, "pycuda_values.py", is_compiled=True),
    Row(*PYCUDA, "pycuda_pool.py", "", "data_race", {"born": "scratch = gpuarray.GPUArray(", "first": "add_one(scratch", "used": "other.gpudata, 7"},
        is_compiled=True),
    Row(*PYCUDA, "pycuda_pool.py", arguments=("waits",), is_compiled=True),
    Row(*JAX, "jax_values.py", python=12, is_jax=True, is_long=True),
    Row(*JAX, "jax_donated.py", "", "data_race", {"born": "state = jnp.arange(", "used": "state = step(state)"}, besides=("data_race",),  # From either side.
        python=12, is_jax=True, is_long=True),
    Row(*JAX, "jax_donated.py", arguments=("waits",), python=12, is_jax=True, is_long=True),
    Row(*TAICHI, "issue_8788.py", arguments=("cuda",), failures=("RuntimeError: [cuda_device", HEAP_ERROR)),
    Row(*TAICHI, "issue_8788.py", arguments=("cpu",), failures=("RuntimeError: [cpu_device", HEAP_ERROR)),
]


def why_skipped(preset, row):
    """Returns the reason why a row cannot be run here, or an empty text."""
    if not interpreter(row):
        return f"needs Python 3.{row.python}"
    if row.is_jax and not (ROOT / f"build/{preset}/lib/libcudart.so.13").exists():
        return f"needs build/{preset}/lib/libcudart.so.13"
    if row.is_jax and subprocess.run([HERE / "device_file.sh", "true"], capture_output=True).returncode:
        return "needs a private mount over /dev (root, or user namespaces)"
    return ""


def searched(preset, row, packages, seed, limit, out):
    """Returns the JSON output of `afterlife run` for the row."""
    given = [ROOT / f"build/{preset}/generated/fatbins/{row.kernels}.fatbin"] if row.kernels else []
    command = [*device_file(row), ROOT / f"build/{preset}/afterlife", "run", *limit, "--timeout", "300", "--seed", str(seed), "--out", out, "--json",
               "--", interpreter(row), HERE / row.program, *given, *row.arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(packages))
    if ended.returncode not in (0, 1) or not ended.stdout.startswith("{"):
        return {"findings": [], "failures": [], "runs": 0, "stopped": f"exit {ended.returncode}: {ended.stderr.strip()[-600:]}"}
    return json.loads(ended.stdout)


def device_file(row):
    return [HERE / "device_file.sh"] if row.is_jax else []


def environment(packages):
    return dict(os.environ, PYTHONPATH=str(packages), LAUNCHES_FILE=str(WHEELS / "launches.json"))


def source_line(frames):
    """Returns the program's own line at a place, or an empty text."""
    for frame in frames:
        if pathlib.Path(frame["file"]).parent == HERE:
            return pathlib.Path(frame["file"]).read_text().splitlines()[frame["line"] - 1].strip()
    return ""


def complaint(row, found, replays, shown):
    """Returns the complaint about an unexpected result, or an empty text."""
    if found["stopped"]:
        return str(found["stopped"])
    findings = [finding for finding in found["findings"] if finding["kind"] not in ("failure", "leak")]
    failed = [(failure["first_run"], failure["complaint"]) for failure in found["failures"]]
    failed += [(finding["first_run"], finding["ended"] or finding["signature"]) for finding in found["findings"] if finding["kind"] in ("failure", "leak")]
    others = [ended for run, ended in failed if run == 0 or not any(text in ended for text in row.failures)]
    if others:
        return f"failed: {others[0]}"
    if row.failures and not failed:
        return "did not fail"
    if not row.kind:
        return f"{len(findings)} findings: {findings[0]['signature']}" if findings else ""
    kinds = [finding["kind"] for finding in findings]
    if kinds[:1] != [row.kind] or set(kinds[1:]) - set(row.besides) or len(set(kinds)) != len(kinds) and row.kind not in row.besides:
        return f"findings: {[finding['signature'] for finding in findings]}"
    for place, text in row.lines.items():
        line = source_line(findings[0]["places"][place])
        if text not in line:
            return f"{place} at '{line}', and not at '{text}'"
    if len(findings[0]["decisions"]) > row.decisions:
        return f"takes {len(findings[0]['decisions'])} decisions"
    return "" if shown == replays else f"{shown} of {replays} replays show it"


def replayed(preset, row, found, packages, count):
    """Returns how many of `count` replays were as recorded."""
    file = found["findings"][0]["file"]
    return sum(subprocess.run([*device_file(row), ROOT / f"build/{preset}/afterlife", "replay", file], capture_output=True,
                              env=environment(packages)).returncode == 0 for _ in range(count))


def limits(row, seeds, long):
    """Returns the length of each search of the row, by seed."""
    searches = dict.fromkeys(range(1, seeds + 1), ("--runs", "20"))
    if long and row.minutes:
        searches[seeds + 1] = ("--seconds", str(row.minutes * 60))
    return searches


def judge(preset, row, searches, replays):
    """Prints a line per search. Returns whether all results were as expected."""
    if why := why_skipped(preset, row):
        print(f"skip {row.name}, {' '.join((row.program, *row.arguments))}: {why}", flush=True)
        return True
    packages = installed(row)
    good = True
    launches = WHEELS / "launches.json"
    launches.unlink(missing_ok=True)
    for seed, limit in searches.items():
        with tempfile.TemporaryDirectory() as out:
            began = time.monotonic()
            found = searched(preset, row, packages, seed, limit, out)
            seconds = time.monotonic() - began
            shown = replayed(preset, row, found, packages, replays) if found["findings"] else replays
        why = complaint(row, found, replays, shown)
        good = good and not why
        told = "; ".join(f"{finding['kind']}, first in run {finding['first_run']}, {len(finding['decisions'])} decision(s), "
                         f"{shown} of {replays} replays" for finding in found["findings"]) or "nothing"
        told += "".join(f"; {failure['complaint']}, in {failure['runs']} runs" for failure in found["failures"])
        program = " ".join((row.program, *row.arguments))
        print(f"{'ok  ' if not why else 'FAIL'} {row.name}, {program}, seed {seed}: {told}; {found['runs']} runs, {seconds:.0f} s"
              f"{': ' + why if why else ''}", flush=True)
    if launches.exists():  # The driver's own count in the last run.
        counts = json.loads(launches.read_text())
        print(f"     launches of {len(counts)} operators: {', '.join(f'{name} {count}' for name, count in counts.items())}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seeds", type=int, metavar="N", help="from so many seeds, 1 to N")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name or program contains this")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    if not (ROOT / f"build/{options.preset}/lib/libcuda.so.1").is_file():
        stop(f"build/{options.preset} is not built: ./scripts/build.sh {options.preset}")
    rows = [row for row in ROWS if options.only in " ".join((row.name + ",", row.program, *row.arguments))
            and (options.long or options.only or not (row.is_compiled or row.is_long))]
    programs = list(runtime.rows(options.only, options.long))
    if not rows and not programs or options.seeds is not None and options.seeds < 1:
        print(f"real: {'--seeds is at least 1' if rows or programs else f'no row contains {options.only}'}; see --help", file=sys.stderr)
        sys.exit(3)
    seeds, replays = (10, 20) if options.long else (3, 3)
    searches = [limits(row, options.seeds or seeds, options.long) for row in rows]
    good = [runtime.judge(options.preset, program, way, options.seeds or seeds) for program, way in programs]
    good += [judge(options.preset, row, each, replays) for row, each in zip(rows, searches)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
