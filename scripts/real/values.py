#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs on real libraries whose results are known, on the simulated driver: Taichi beside its CPU backend, Triton beside numpy.

Usage: scripts/real/values.py [--preset PRESET] [--only TEXT]

Pinned wheels are installed into build/real, once. Prints what the programs say. Exit: 0 all values are right, 1 not, 2 a wheel or the build
is not there, 3 usage.
"""
import argparse
import dataclasses
import os
import subprocess
import sys

from wheels import ROOT, installed, stop


@dataclasses.dataclass
class Program:
    name: str
    wheels: tuple
    file: str


PROGRAMS = (
    Program("taichi values", ("taichi==1.7.4", "numpy==2.1.3"), "taichi_values.py"),
    Program("triton", ("triton==3.5.1", "numpy==2.1.3"), "triton_kernels.py"),
)


def run(program, preset):
    """Returns the exit code of the program on the driver of that build."""
    environment = dict(os.environ, PYTHONPATH=str(installed(program)), LD_LIBRARY_PATH=str(ROOT / f"build/{preset}/lib"))
    print(f"{program.name}:", flush=True)
    return subprocess.run([sys.executable, ROOT / "scripts/real" / program.file], env=environment).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose name contains this")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    if not (ROOT / f"build/{options.preset}/lib/libcuda.so.1").is_file():
        stop(f"build/{options.preset} is not built: ./scripts/build.sh {options.preset} cuda_sim")
    ended = [run(program, options.preset) for program in PROGRAMS if options.only in program.name]
    sys.exit(1 if any(ended) else 0)


if __name__ == "__main__":
    main()
