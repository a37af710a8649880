#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replaces each function of our libcudart.so.13, and those that libcudart.so.12 has otherwise, by one that does nothing and returns
success, and runs its tests: the test that the table names for it has to fail. A mutant is a library that is preloaded, so that nothing
is built again.

Usage: scripts/mutation/cudart_mutants.py [BUILD] [FUNCTION...]    BUILD: a build folder with cudart_tests and cudart12_tests (build/release)
Exit: 0 every mutant fails its test (of a twin: a test), 1 some survive, 2 it cannot run."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parents[2] / "harness/client/inside/libcudart"
TABLES = {"cudart_tests": "table/*.def", "cudart12_tests": "cuda12/interface.def"}  # By the program of their tests.


def rows(table):
    """Yields the name, the twin and the test of each simulated function."""
    for file in sorted(FOLDER.glob(table)):
        text = re.sub(r"\s+", " ", file.read_text())
        for name, status, twin, test in re.findall(r"CUDART_ROW\((cuda\w+), (\w+), (\w+), \w+, (\w+)\)", text):
            if status != "unsupported":
                yield name, twin, test
        for kind, name, test in re.findall(r"(CUDART_FORWARD(?:_ON)?)\((cuda\w+), \w+, \w+, \w+, (\w+),", text):
            yield name, "ptsz" if kind.endswith("_ON") else "none", test


def failed(tests, mutant, chosen):
    """Returns whether the tests fail with the mutant. A crash or a hang is a failure, too."""
    try:
        return subprocess.run([tests, f"--gtest_filter={chosen}"], env=dict(os.environ, LD_PRELOAD=str(mutant)),
                              capture_output=True, timeout=20).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def survived(tests, table, wanted):
    """Returns how many mutants of the table's functions were tried, and a list of those that survived."""
    count = 0
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        mutant = pathlib.Path(folder) / "mutant.so"
        for name, twin, test in rows(table):
            for function in [name] + ([] if twin == "none" else [f"{name}_{twin}"]):
                if wanted and function not in wanted:
                    continue
                count += 1
                source = f"long {function}(void) {{ return 0; }}\n"
                subprocess.run(["cc", "-w", "-shared", "-fPIC", "-fno-builtin", "-x", "c", "-", "-o", mutant],
                               input=source, text=True, check=True)
                chosen = "*" if function != name else test.replace("_", ".", 1)
                if not failed(tests, mutant, chosen):
                    survivors.append(f"{function} ({chosen})")
    return count, survivors


def main(arguments):
    has_build = bool(arguments) and "/" in arguments[0]
    build = pathlib.Path(arguments[0] if has_build else "build/release")
    wanted = set(arguments[1:] if has_build else arguments)
    count = 0
    survivors = []
    for program, table in TABLES.items():
        tests = build.resolve() / program
        if not tests.exists():
            print(f"{tests} is not there: ninja -C {build} {program} builds it", file=sys.stderr)
            return 2
        mutated, alive = survived(tests, table, wanted)
        count += mutated
        survivors += alive
    print(f"{count - len(survivors)} of {count} mutants fail their tests")
    for one in survivors:
        print(f"survives: {one}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
