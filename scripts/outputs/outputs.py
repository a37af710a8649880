#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads all that Afterlife writes for other programs and for people, as they do.

Usage: scripts/outputs/outputs.py [--preset PRESET] [--screenshots DIR] [--self-test]

Runs a night, a replay, a gate and searches of five programs, and has each of their outputs read by a program that others wrote, held against what
the command itself said as JSON and against the schema of what is emitted (results/schemas): SARIF by sarif-tools, JUnit by
junitparser, OpenMetrics by prometheus_client, Markdown by markdown-it, the trace by Perfetto's own classes. The pages are opened in
headless Chromium at 1280 and 400 px, light and dark, with scripts and without; without a Chromium these are skipped.
The readers are wheels (wheels.txt), installed once into build/outputs.

  --preset PRESET      the build whose afterlife is run (release)
  --screenshots DIR    also leave pictures of the pages there
  --self-test          have every reader refuse a broken file, and every look at a page see a planted fault

Ends with `N passed, N failed, N skipped`. Exit: 0 nothing failed, 1 something did, 2 no wheels or no build, 3 usage.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENVIRONMENT = ROOT / "build/outputs"
sys.path.insert(0, str(HERE.parent))
import browser  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

FORMATS = ("night_sarif", "case_sarif", "night_junit", "gate_junit", "night_metrics", "night_markdown", "gate_markdown", "case_trace",
           "run_sarif", "run_junit", "run_markdown")


def stop(text):
    print(f"outputs: {text}", file=sys.stderr)
    sys.exit(2)


def within_wheels():
    """Re-executes this script in an interpreter that has the wheels; installs them if they are missing or have changed."""
    if pathlib.Path(sys.prefix) == ENVIRONMENT:
        return
    lists = [HERE / "wheels.txt"] + [HERE / "browser_wheels.txt"] * bool(browser.browser())
    wanted = "".join(file.read_text() for file in lists)
    installed = ENVIRONMENT / "installed.txt"
    python = ENVIRONMENT / "bin/python"
    if not installed.is_file() or installed.read_text() != wanted:
        print("outputs: installing the readers into build/outputs", file=sys.stderr, flush=True)
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        if subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT]).returncode:
            stop("python3 -m venv failed: install the package python3-venv")
        named = [part for file in lists for part in ("-r", file)]
        if subprocess.run([python, "-m", "pip", "install", "-q", *named], stdout=sys.stderr).returncode:
            stop("could not install the wheels of scripts/outputs/wheels.txt: is the network up?")
        installed.write_text(wanted)
    os.execv(python, [str(python), *sys.argv])


class Tally:
    """The number of passes, failures and skips; prints a line for each check that did not pass."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, passed, line):
        self.passed += passed
        self.failed += not passed
        if not passed:
            print(f"  FAILED: {line}", flush=True)

    def skip(self, line):
        self.skipped += 1
        print(f"  skipped: {line}", flush=True)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def reason(reader, *arguments):
    """Returns the reason why a reader refuses its input, or None."""
    import readers
    try:
        reader(*arguments)
    except readers.Unreadable as error:
        return str(error)
    return None


def reader_of(name):
    import readers
    import traces
    return getattr(readers, name, None) or getattr(traces, name)


def read(tally, made):
    for name in FORMATS:
        why = reason(reader_of(name), made)
        tally.add(why is None, f"{name}: {why}")
    if not browser.browser():
        tally.skip(f"the pages: {browser.ABSENT}")
        return
    import pages
    with pages.chromium() as chromium:
        for page in made.pages:
            why = reason(pages.look, chromium, page)
            tally.add(why is None, why)
        for name in ("night_page", "case_page", "run_pages"):
            why = reason(getattr(pages, name), chromium, made)
            tally.add(why is None, f"{name}: {why}")


def self_test(tally, made):
    import breaks
    for file, reader, what, change, said in breaks.BREAKS:
        with broken(made.file(file), change):
            why = reason(reader_of(reader), made)
        tally.add(why is not None and said in why, f"{file}, {what}: {why or 'no one minded'}")
    if not browser.browser():
        tally.skip(f"plants in pages: {browser.ABSENT}")
        return
    import pages
    page = made.file("history/page.html")
    with pages.chromium() as chromium:
        for what, change, said in breaks.PAGE_BREAKS:
            with broken(page, change):
                why = reason(pages.look, chromium, page) or reason(pages.night_page, chromium, made)
            tally.add(why is not None and said in why, f"page, {what}: {why or 'no one minded'}")


@contextlib.contextmanager
def broken(file, change):
    """Changes a file for the duration of the block."""
    whole = file.read_bytes()
    file.write_bytes(change(whole.decode("latin-1")).encode("latin-1"))
    try:
        yield
    finally:
        file.write_bytes(whole)


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    program = ROOT / "build" / options.preset / "afterlife"
    if not program.is_file():
        stop(f"build/{options.preset}/afterlife is not there: ./scripts/build.sh {options.preset} afterlife")
    within_wheels()
    import made
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        outputs = made.make(program, pathlib.Path(folder))
        (self_test if options.self_test else read)(tally, outputs)
        if options.screenshots and browser.browser():
            import pages
            pages.photograph(outputs.pages, options.screenshots)
    print(tally)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
