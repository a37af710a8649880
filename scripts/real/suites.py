#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of real libraries on the simulated driver, beside a list of what each must come to.

Usage: scripts/real/suites.py SUITE [FOLDER] [--preset PRESET] [--long] [--only TEXT] [--jobs N] [--rewrite]

SUITE is one of those below; FOLDER is a checkout of that library's sources at the tag that its list names, which the user has
brought, and is left out where the tests come with the wheels. Pinned wheels are installed into build/real, once. A file of tests runs
in a process of its own, and in another one after each failure. Without --long, the files of the suite's quick part run, in ten minutes
on two processors. cuda-samples takes a folder of programs that are built, each beside its kernels, which must be PTX.

The list is scripts/real/expected/SUITE.txt: how many tests of each file pass and are skipped, and each test that does not pass, below its
reason. --rewrite writes it again: tests keep their reasons, and new ones are *not explained*, which is a difference, too.

Prints each difference, and the sums. Exit: 0 as the list says, 1 not, 2 a wheel, the build or the checkout is not there, 3 usage.
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys

from expectations import Expectations, UNEXPLAINED
from wheels import ROOT, installed, stop
from suite_program import ProgramRun
from suite_run import FileRun
from suite_table import SUITES

EXPECTED = ROOT / "scripts/real/expected"


def environment(suite, preset, packages):
    paths = os.pathsep.join(map(str, (packages, ROOT / "scripts/real")))
    return dict(os.environ, PYTHONPATH=paths, LD_LIBRARY_PATH=str(ROOT / f"build/{preset}/lib"), PYTHONDONTWRITEBYTECODE="1",
                **suite.environment)


def files_of(suite, tests, expected, options):
    """Returns the test files to run, as paths in the folder; for programs, their names."""
    known = sorted(suite.programs or (str(path.relative_to(tests)) for path in tests.rglob("test_*.py")))
    chosen = [name for name in known if suite.has(name)]
    if not options.rewrite:
        chosen = [name for name in chosen if name in expected.counts]
    if not options.long and not options.rewrite and suite.quick:
        chosen = [name for name in chosen if name in suite.quick]
    return [name for name in chosen if options.only in name]


def differences(expected, file, results):
    """Yields lines about results that differ from the expected ones."""
    for test, (result, message) in sorted(results.items()):
        wanted = expected.result(test)
        if result == "skipped" and wanted == "passed":
            continue  # Counted below.
        if result != wanted:
            yield f"{test}: {result}, and not {wanted}{': ' + message.splitlines()[0][:200] if message else ''}"
        elif result != "passed" and expected.reason(test).startswith(UNEXPLAINED):
            yield f"{test}: {expected.reason(test)}"
    for test in expected.tests_of(file):
        if test not in results:
            yield f"{test}: is in the list, and did not run"
    for result in ("passed", "skipped"):
        count = sum(one == result for one, _ in results.values())
        if count != expected.count(file, result):
            yield f"{file}: {count} {result}, and not {expected.count(file, result)}"


def run_of(suite, tests, file, environment_):
    if suite.programs:
        return ProgramRun(tests, file, environment_, suite.seconds)
    return FileRun(tests, file, environment_, suite.seconds, suite.options)


def search(suite, tests, files, options, environment_):
    """Yields each file with the results of its tests as soon as it is done."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(run_of(suite, tests, name, environment_).results): name for name in files}
        for done in concurrent.futures.as_completed(runs):
            yield runs[done], done.result()


def tests_of(suite, packages, folder):
    """Returns the folder of the suite's tests."""
    if not suite.in_wheels and folder is None:
        stop(f"{suite.name} needs a FOLDER: {suite.source}")
    tests = (packages if suite.in_wheels else folder.resolve()) / suite.tests
    if not tests.is_dir():
        stop(f"there is no folder {tests}: it should be that of {suite.source}")
    return tests


def judge(suite, options):
    """Prints the differences from the expected results, and the sums. Returns whether there are no differences."""
    path = EXPECTED / f"{suite.name}.txt"
    expected = Expectations.read(path) if path.is_file() else Expectations({}, {})
    packages = installed(suite) if suite.wheels else ROOT
    tests = tests_of(suite, packages, options.folder)
    files = files_of(suite, tests, expected, options)
    found, different = {}, 0
    for file, results in search(suite, tests, files, options, environment(suite, options.preset, packages)):
        found[file] = results
        print(f"suites: {len(found)} of {len(files)} files: {file}", file=sys.stderr, flush=True)
        for line in differences(expected, file, results):
            different += 1
            print(line, flush=True)
        if options.rewrite:
            path.parent.mkdir(exist_ok=True)
            path.write_text(expected.renewed(found).text(), encoding="utf-8")
    print(sums(suite, found, different))
    return different == 0


def sums(suite, found, different):
    results = [result for one in found.values() for result, _ in one.values()]
    passed, ran = results.count("passed"), len(results) - results.count("skipped")
    others = ", ".join(f"{results.count(name)} {name}" for name in ("failed", "crashed", "too long", "skipped"))
    return (f"{suite.name}: {len(found)} files, {passed} of {ran} tests passed ({100 * passed / max(ran, 1):.1f} %), {others}; "
            f"{different or 'no'} difference{'' if different == 1 else 's'} from the list")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=sorted(SUITES), metavar="SUITE", help=", ".join(sorted(SUITES)))
    parser.add_argument("folder", type=pathlib.Path, nargs="?", metavar="FOLDER", help="a checkout of the library's sources")
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--long", action="store_true", help="all files, not the quick part")
    parser.add_argument("--only", default="", metavar="TEXT", help="files whose path contains this")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at once (2)")
    parser.add_argument("--rewrite", action="store_true", help="write the list again from what came out")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    suite = SUITES[options.suite]
    if not (ROOT / f"build/{options.preset}/lib/libcuda.so.1").is_file():
        stop(f"build/{options.preset} is not built: ./scripts/build.sh {options.preset} cuda_sim")
    sys.exit(0 if judge(suite, options) else 1)


if __name__ == "__main__":
    main()
