#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps every instruction of PTX that the simulated device has, and prints each row's figure: cases, wrong ones, and the reference.

Usage: scripts/measure/ptx_sweep.py [--preset PRESET] [--device libcuda|gpu] [--only TEXT]

A row is one of harness/device_code/ptx/families.cpp. Its cases are all operands of all its sweeps in harness/device_code/tests/ptx; a row that has none names the
test that tries it. Exit: 0 nothing is wrong, 1 something is, 2 the tests are not built or could not run, 3 usage.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stop(words):
    print(words, file=sys.stderr)
    sys.exit(2)


def rows_of(report):
    """Returns the rows recorded by the tests, in the table's order: [name, types, cases, wrong, reference], with the counts of several tests added up."""
    rows = {}
    for suite in report["testsuites"]:
        for test in suite["testsuite"]:
            for key, value in test.items():
                if not key.startswith("row_"):
                    continue
                name, types, cases, wrong, reference = value.split("|")
                row = rows.setdefault(int(key[4:]), [name, types, 0, 0, reference])
                row[2] += int(cases)
                row[3] += int(wrong)
    return [rows[index] for index in sorted(rows)]


def table(rows):
    """Returns the lines of the table, and a last line with its sums."""
    lines = [("instruction", "types", "cases", "wrong", "reference")]
    for name, types, cases, wrong, reference in rows:
        lines.append((name, types or "-", f"{cases:,}" if cases else "-", str(wrong) if cases else "-", reference))
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    made = []
    for name, types, cases, wrong, reference in lines:
        made.append(f"{name:<{widths[0]}}  {types:<{widths[1]}}  {cases:>{widths[2]}}  {wrong:>{widths[3]}}  {reference}")
    swept = [row for row in rows if row[2]]
    made.append(f"{len(rows)} rows: {len(swept)} swept on {sum(row[2] for row in swept):,} cases, {sum(row[3] for row in rows)} wrong; "
                f"{len(rows) - len(swept)} tried by the test that is named")
    return made


def run(preset, device):
    """Runs the tests and returns what they recorded."""
    program = ROOT / f"build/{preset}/afterlife_tests"
    if not program.is_file():
        stop(f"build/{preset} has no tests: ./scripts/build.sh {preset} afterlife_tests cuda_sim")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        filters = f"--gtest_filter=Devices/PtxSweep.*/{device}:PtxRows.Each*"
        ended = subprocess.run([program, filters, f"--gtest_output=json:{report}"], cwd=ROOT, capture_output=True, text=True)
        if not report.is_file():
            stop(f"{program} did not run: {ended.stderr.strip()[-300:]}")
        return json.loads(report.read_text()), ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="dev")
    parser.add_argument("--device", default="libcuda", choices=("libcuda", "gpu"))
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose instruction contains this")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    report, ended = run(options.preset, options.device)
    rows = rows_of(report)
    if not any(row[2] for row in rows):
        stop("no sweep has run: " + (ended.stdout.strip().splitlines() or ["nothing was said"])[-1])
    print("\n".join(table([row for row in rows if options.only in row[0]])))
    if ended.returncode:
        print("\n".join(line for line in ended.stdout.splitlines() if "are wrong" in line or line.startswith("[  FAILED")))
    sys.exit(1 if ended.returncode else 0)


if __name__ == "__main__":
    main()
