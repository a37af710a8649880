#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the fuzz targets for AFL++ with our own clang, and fuzzes each for a while.

Usage: scripts/contracts/afl.py [--seconds N] [--only PATH] [--out DIR]

AFL++'s own compilers wrap another clang, so the paths are compiled with the callbacks that its run-time implements
(-fsanitize-coverage=trace-pc-guard) and linked with that run-time and its driver. afl-fuzz starts from the committed
seeds and has the target's dictionary; it does not call the target's own mutator. The findings of a target are below
OUT/fuzz_<path>; OUT is build/contracts/afl by default.

Needs Debian's package afl++; where it is missing, nothing is done, and that is said.
Exit: 0 each target ran and found new paths, 1 one did not, 2 the build, 3 usage.
"""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common.command_line import CommandLine  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build/contracts"
BUILD = FOLDER / "build-afl"
RUN_TIME = [pathlib.Path("/usr/lib/afl") / name for name in ("libAFLDriver.a", "afl-compiler-rt.o")]


def build(paths):
    ignored = ROOT / "scripts/cmake/coverage_ignore.txt"
    configure = ["cmake", "-S", ".", "-B", BUILD, "-G", "Ninja", "-DCMAKE_C_COMPILER=clang-19",
                 "-DCMAKE_CXX_COMPILER=clang++-19", "-DAFTERLIFE_FUZZER=ON", "-DAFTERLIFE_PRECOMPILED=ON",
                 "-DAFTERLIFE_FLAGS=-O2;-g1;-D_GLIBCXX_ASSERTIONS",
                 "-DAFTERLIFE_JUDGED_FLAGS=-fsanitize=address;-fsanitize-address-use-after-return=never",
                 f"-DAFTERLIFE_FUZZER_COVERAGE=-fsanitize-coverage=trace-pc-guard;-fsanitize-coverage-ignorelist={ignored}",
                 f"-DAFTERLIFE_FUZZER_ENGINE={';'.join(map(str, RUN_TIME))}"]
    for command in (configure, ["ninja", "-C", BUILD, *(f"fuzz_{path}" for path in paths)]):
        if subprocess.run(list(map(str, command)), cwd=ROOT, stdout=sys.stderr).returncode:
            print("afl: the targets do not build", file=sys.stderr)
            sys.exit(2)


def statistics(folder):
    """Returns the statistics that afl-fuzz wrote about its run, by name; empty if it did not get that far."""
    file = folder / "default/fuzzer_stats"
    if not file.is_file():
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in file.read_text().splitlines())}


def fuzz(path, seconds, out):
    """Fuzzes one target and prints its figures. Returns a complaint, or an empty text."""
    target, folder = BUILD / f"fuzz_{path}", out / f"fuzz_{path}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    dictionary = folder.with_suffix(".dict")
    subprocess.run([target, f"--dictionary={dictionary}"], check=True, capture_output=True)
    environment = {"PATH": "/usr/bin:/bin", "AFL_NO_UI": "1", "AFL_SKIP_CPUFREQ": "1", "AFL_NO_AFFINITY": "1",
                   "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
                   "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_leaks=0"}
    ended = subprocess.run(["afl-fuzz", "-V", str(seconds), "-m", "none", "-t", "5000", "-s", "1", "-x", dictionary,
                            "-i", ROOT / "corpus" / path / "seeds", "-o", folder, target],
                           env=environment, capture_output=True, text=True)
    found = statistics(folder)
    if ended.returncode or not found:
        return f"afl-fuzz: exit {ended.returncode}: {(ended.stdout + ended.stderr).strip()[-400:]}"
    inputs, crashes = int(found["corpus_count"]), int(found["saved_crashes"])
    print(f"fuzz_{path}: {found['execs_done']} executions, {found['execs_per_sec']} a second, {inputs} inputs, "
          f"{found['bitmap_cvg']} of {found['total_edges']} edges, {crashes} crashes", flush=True)
    if crashes:
        return f"a fault of a sound variant: see {folder}/default/crashes"
    seeds = len(list((ROOT / "corpus" / path / "seeds").iterdir()))
    return None if inputs > seeds else "no input but the seeds was kept: nothing is counted"


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--only")
    parser.add_argument("--out", type=pathlib.Path, default=FOLDER / "afl")
    options = parser.parse_args()
    paths = sorted(seeds.parent.name for seeds in ROOT.glob("corpus/*/seeds"))
    if options.only and options.only not in paths:
        parser.error(f"there is no path '{options.only}': {', '.join(paths)}")
    if shutil.which("afl-fuzz") is None or not all(file.is_file() for file in RUN_TIME):
        print("afl: skipped: Debian's package afl++ is not installed")
        return 0
    paths = [options.only] if options.only else paths
    build(paths)
    wrong = [(path, told) for path in paths if (told := fuzz(path, options.seconds, options.out.resolve()))]
    for path, told in wrong:
        print(f"fuzz_{path}: {told}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
