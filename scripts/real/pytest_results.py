# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest's for suites.py: writes what each test came to, a line of JSON each, to the file AFTERLIFE_RESULTS.

Tests that the file has already are left out. A test that fails ends the process, so that the next one finds a context that
nothing went wrong in; one that takes longer than AFTERLIFE_RESULTS_SECONDS ends it, too.
"""
import faulthandler
import json
import os
import pathlib
import sys

import pytest

FILE = pathlib.Path(os.environ["AFTERLIFE_RESULTS"])
SECONDS = int(os.environ["AFTERLIFE_RESULTS_SECONDS"])
AGAIN = 70  # Exit code: a test failed, and others have not been run yet.


def write(**line):
    with FILE.open("a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")


def ended_tests():
    if not FILE.is_file():
        return set()
    return {line["test"] for line in map(json.loads, FILE.read_text(encoding="utf-8").splitlines()) if "result" in line}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    over = ended_tests()
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in over])
    items[:] = [item for item in items if item.nodeid not in over]


class Outcome:
    """The worst result of the current test's phases."""
    result, message = "passed", ""


def pytest_runtest_logstart(nodeid):
    Outcome.result, Outcome.message = "passed", ""
    write(test=nodeid)
    faulthandler.dump_traceback_later(SECONDS, exit=True, file=sys.__stderr__)


def told_by_driver(report):
    """Returns the last line that the simulated driver printed in the test."""
    lines = [line for name, text in report.sections if "stderr" in name for line in text.splitlines() if line.startswith("afterlife:")]
    return lines[-1] + "; " if lines else ""


def pytest_runtest_logreport(report):
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        Outcome.result = "failed"
        Outcome.message = Outcome.message or told_by_driver(report) + (crash.message if crash else str(report.longrepr))
    elif report.skipped and Outcome.result == "passed":
        Outcome.result = "skipped"


def pytest_runtest_logfinish(nodeid):
    faulthandler.cancel_dump_traceback_later()
    write(test=nodeid, result=Outcome.result, message=Outcome.message)
    if Outcome.result == "failed":
        os._exit(AGAIN)


def pytest_collectreport(report):
    if report.failed:
        write(test=report.nodeid, result="failed", message=f"not collected: {str(report.longrepr)[-400:]}")
