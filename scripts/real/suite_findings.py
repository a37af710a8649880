#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each test of a library under `afterlife run`, and lists what was found: each is judged by hand.

Usage: scripts/real/suite_findings.py SUITE [FOLDER] [--preset PRESET] [--runs N] [--only TEXT] [--every N] [--seconds N]

SUITE and FOLDER are those of suites.py, whose wheels it takes. Each test that is expected to pass is a program of its own, of which
--runs runs (5) are made. --every N takes one test in N, --seconds begins no further one after so long. Prints a row for each finding
and for each error that a test survived, and how many tests gave none, had findings, or could not be judged.
Exit: 0 all were run, 1 some were left out, 2 a wheel, the build or the checkout is not there, 3 usage.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from expectations import Expectations
from suite_table import SUITES
from suites import EXPECTED, environment, files_of, tests_of
from wheels import ROOT, installed, stop

sys.path.insert(0, str(ROOT / "scripts"))
from common.command_line import CommandLine  # noqa: E402

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".")


def tests_in(suite, folder, file, environment_):
    ended = subprocess.run([sys.executable, *PYTEST, *suite.options, "--collect-only", file], cwd=folder, env=environment_,
                           capture_output=True, text=True)
    return [line for line in ended.stdout.splitlines() if "::" in line and not line.startswith(("ERROR", "FAILED", " "))]


def searched(suite, folder, test, options, environment_):
    """Returns the object printed by `afterlife run --json`, or the error line if there is none."""
    with tempfile.TemporaryDirectory() as out:
        command = [ROOT / f"build/{options.preset}/afterlife", "run", "--runs", options.runs, "--timeout", suite.seconds, "--out", out, "--json",
                   "--", sys.executable, *PYTEST, *suite.options, test]
        ended = subprocess.run(list(map(str, command)), cwd=folder, env=environment_, capture_output=True, text=True)
    told = json.loads(ended.stdout) if ended.stdout.startswith("{") else {}
    why = [line for line in ended.stderr.splitlines() if line.startswith("afterlife: ")]
    return told, why[-1] if ended.returncode == 2 and why else ""


def rows_of(test, told):
    for finding in told.get("findings", ()):
        yield f"| {test} | {finding['signature']} | {finding['shown']} of {finding['replays']} | {finding['ended'] or 'the test passes'} |"
    for error in told.get("survived", ()):
        yield f"| {test} | {error['signature']} | survived, in {error['runs']} runs | the test passes |"


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    options.long, options.rewrite = False, False
    suite = SUITES[options.suite]
    if not (ROOT / f"build/{options.preset}/lib/libcuda.so.1").is_file():
        stop(f"build/{options.preset} is not built: ./scripts/build.sh {options.preset} cuda_sim")
    expected = Expectations.read(EXPECTED / f"{suite.name}.txt")
    packages = installed(suite)
    folder = tests_of(suite, packages, options.folder)
    settings = environment(suite, options.preset, packages)
    tests = [test for file in files_of(suite, folder, expected, options) for test in tests_in(suite, folder, file, settings)]
    tests = [test for test in tests if expected.result(test) == "passed"][::options.every]
    began, counts = time.monotonic(), collections.Counter()
    print("| test | finding | shown | the run |\n|---|---|---|---|", flush=True)
    for number, test in enumerate(tests):
        if time.monotonic() - began > options.seconds:
            counts["left out"] = len(tests) - number
            break
        told, why = searched(suite, folder, test, options, settings)
        rows = list(rows_of(test, told))
        counts["with findings" if rows else "not judged" if why else "without"] += 1
        for row in rows or ([f"| {test} | - | - | {why} |"] if why else []):
            print(row, flush=True)
    print(f"\n{suite.name}: {len(tests)} tests under {options.runs} runs: " + ", ".join(f"{count} {how}" for how, count in counts.items()))
    sys.exit(1 if counts["left out"] else 0)


if __name__ == "__main__":
    main()
