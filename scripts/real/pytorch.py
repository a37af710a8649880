#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch as it is, under `afterlife run`: bugs of streams and their twins, small models, and operators.

Usage: scripts/real/pytorch.py [--preset PRESET] [--python PYTHON] [--long] [--seeds N] [--only TEXT]

PYTHON has PyTorch for CUDA 13 in a folder named site-packages; else AFTERLIFE_TORCH_PYTHON names it. Each bug must be found at the
line, from every seed (1; --long: 1 to 5), and be shown by each of 3 replays (--long: of 20); a twin, and a model, in none of 20 runs
(--long: 100). Prints a line per program and seed. Exit: 0 as expected, or skipped; 1 not, 2 no build, 3 usage.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "scripts/real/torch"


@dataclasses.dataclass
class Program:
    """A program and its expected finding; no finding is allowed if it has no kinds."""
    name: str
    kinds: tuple = ()  # Kinds that the first finding may have.
    place: str = "used"  # A place of the finding.
    line: str = ""  # The end of that place's line.
    environment: dict = dataclasses.field(default_factory=dict)


EACH_TENSOR = {"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}
ROWS = [
    Program("record_stream", ("data_race",), line="# born, and written by the next"),
    Program("record_stream", ("data_race", "use_after_free", "recycled_use"), line="# used on the side", environment=EACH_TENSOR),
    Program("wait_stream", ("data_race",), line="# read on the side"),
    Program("staging", ("data_race",), line="# copied"),
    Program("graph_input", ("use_after_free",), line="# used"),
    Program("read_early", ("data_race",), line="# read"),
]


def searched(options, program, arguments, runs, seed, out):
    command = [ROOT / f"build/{options.preset}/afterlife", "run", "--runs", str(runs), "--timeout", "300", "--seed", str(seed), "--out", out,
               "--json", "--", options.python, PROGRAMS / f"{program.name}.py", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **program.environment))
    if ended.returncode not in (0, 1) or not ended.stdout.startswith("{"):
        return {"findings": [], "failures": [], "runs": 0, "stopped": f"exit {ended.returncode}: {ended.stderr.strip()[-600:]}"}
    return json.loads(ended.stdout)


def line_of(finding, place):
    """Returns the program's own line at a place, or an empty text."""
    for frame in finding["places"].get(place, []):
        if pathlib.Path(frame["file"]).parent == PROGRAMS and frame["line"] > 0:
            return pathlib.Path(frame["file"]).read_text().splitlines()[frame["line"] - 1]
    return ""


def complaint(program, arguments, found, shown, replays):
    """Returns the complaint about an unexpected result, or an empty text."""
    if found["stopped"]:
        return str(found["stopped"])
    if found["failures"]:
        return f"failed: {found['failures'][0]['complaint']}"
    if not program.kinds or arguments:
        return f"found: {found['findings'][0]['signature']}" if found["findings"] else ""
    if not found["findings"]:
        return "nothing was found"
    if found["findings"][0]["kind"] not in program.kinds:
        return f"found: {found['findings'][0]['signature']}"
    lines = [line_of(finding, program.place) for finding in found["findings"]]
    if not any(line.endswith(program.line) for line in lines):
        return f"{program.place} at {[line.strip() for line in lines]}, and not at '{program.line}'"
    return "" if shown == replays else f"{shown} of {replays} replays show it"


def judge(options, program, arguments, runs, seed):
    """Prints a line. Returns whether the result was as expected."""
    replays = 20 if options.long else 3
    with tempfile.TemporaryDirectory() as out:
        began = time.monotonic()
        found = searched(options, program, arguments, runs, seed, out)
        seconds = time.monotonic() - began
        shown = 0
        for _ in range(replays if found["findings"] else 0):
            shown += subprocess.run([ROOT / f"build/{options.preset}/afterlife", "replay", found["findings"][0]["file"]], capture_output=True,
                                    env=dict(os.environ, **program.environment)).returncode == 0
    why = complaint(program, arguments, found, shown, replays)
    told = "; ".join(f"{finding['kind']}, first in run {finding['first_run']}, {len(finding['decisions'])} decision(s)"
                     for finding in found["findings"]) or "nothing"
    told += f", {shown} of {replays} replays" if found["findings"] else ""
    setting = "".join(f" ({value})" for value in program.environment.values())
    print(f"{'FAIL' if why else 'ok  '} {' '.join((program.name, *arguments))}{setting}, seed {seed}: {told}; {found['runs']} runs, "
          f"{seconds:.0f} s{': ' + why if why else ''}", flush=True)
    return not why


def values(options, name):
    """Runs a program that checks its values itself. Returns whether they are correct and there is no finding."""
    command = [ROOT / f"build/{options.preset}/afterlife", "run", "--runs", "1", "--timeout", "600", "--json", "--", options.python,
               PROGRAMS / name]
    ended = subprocess.run(command, capture_output=True, text=True)
    print(ended.stderr, end="", flush=True)
    if not ended.stdout.startswith("{"):
        print(f"FAIL {name}: exit {ended.returncode}")
        return False
    found = json.loads(ended.stdout)
    good = not found["findings"] and not found["failures"] and not found["stopped"]
    print(f"{'ok  ' if good else 'FAIL'} {name}", flush=True)
    return good


def has_torch(python):
    return python and subprocess.run([python, "-c", "import torch; assert torch.version.cuda.startswith('13')"],
                                     capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--python", default=os.environ.get("AFTERLIFE_TORCH_PYTHON", ""))
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--only", default="")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    if not (ROOT / f"build/{options.preset}/lib/libcuda.so.1").is_file():
        print(f"pytorch: build/{options.preset} is not built: ./scripts/build.sh {options.preset}", file=sys.stderr)
        sys.exit(2)
    if not has_torch(options.python):
        print("skip pytorch: no Python with PyTorch for CUDA 13; AFTERLIFE_TORCH_PYTHON names one")
        sys.exit(0)
    builder = dict(os.environ, PYTHONPATH=str(ROOT / f"build/{options.preset}/lib/torch"))
    subprocess.run([options.python, "-m", "afterlife_torch"], env=builder, check=True, stdout=subprocess.DEVNULL)
    good = True
    for program in ROWS:
        if options.only in program.name:
            for seed in range(1, (options.seeds or (5 if options.long else 1)) + 1):
                good &= judge(options, program, (), 20, seed)
            good &= judge(options, program, ("fixed",), 100 if options.long else 20, 1)
    for name in ("operators.py", "models.py"):
        if options.only in name:
            good &= values(options, name)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
