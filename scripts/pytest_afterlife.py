"""A plugin of pytest's: with --afterlife, each test runs under `afterlife run`, many times over.

Usage: PYTHONPATH=scripts pytest -p pytest_afterlife --afterlife [--afterlife-program FILE] [--afterlife-runs N] ...

A test is a program of its own: `afterlife run -- python -m pytest -s TEST`. It fails where something is found, which is then told with
its lines in the program. One that fails by itself runs here once more, so that pytest tells it as ever. A test that does not call the CUDA
driver runs once.
"""
import json
import subprocess
import sys

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("afterlife")
    group.addoption("--afterlife", action="store_true", help="run each test under `afterlife run`")
    group.addoption("--afterlife-program", default="afterlife", metavar="FILE", help="where that is (afterlife)")
    group.addoption("--afterlife-out", default="results/found", metavar="DIR", help="where findings go (results/found)")
    group.addoption("--afterlife-runs", default=20, type=int, metavar="N", help="how many runs of each test (20)")


def place(frames):
    """The innermost line of the user's."""
    frame = next((frame for frame in frames if not frame.get("library")), frames[0] if frames else None)
    return f"{frame['file']}:{frame['line']} in {frame['function']}" if frame else "?"


def told(finding):
    lines = [f"{finding['kind']} of {finding['object']}"]
    for name in ("born", "captured", "died", "used"):
        if finding[name]:
            lines.append(f"  {name:9} {place(finding['places'][name])}, by {finding[name]}")
    lines += [f"  takes     {one['who']}: {one['answer']}" for one in finding["decisions"]]
    return "\n".join(lines + [f"  afterlife replay {finding['file']}"])


def failure(ended):
    """What is wrong with a test, "" where nothing is; None where the test fails by itself."""
    if not ended.stdout.startswith("{"):
        return f"afterlife: exit {ended.returncode}: {ended.stderr.strip()}"
    result = json.loads(ended.stdout)
    if not result["findings"] and any(own["first_run"] == 0 for own in result["failures"]):
        return None
    lines = [told(finding) for finding in result["findings"]]
    lines += [f"the test {own['complaint']}, in {own['runs']} of {result['runs']} runs" for own in result["failures"]]
    return "\n".join(lines)


def run(item):
    config = item.config
    command = [config.getoption("--afterlife-program"), "run", "--runs", str(config.getoption("--afterlife-runs")), "--json",
               "--out", config.getoption("--afterlife-out"), "--",
               sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", f"{item.path}::{item.nodeid.partition('::')[2]}"]
    try:
        return failure(subprocess.run(command, capture_output=True, text=True))
    except OSError as error:
        return f"{command[0]}: {error.strerror}: name it with --afterlife-program"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    if not item.config.getoption("--afterlife"):
        return None
    why = run(item)
    if why is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    item.ihook.pytest_runtest_logreport(report=pytest.TestReport(
        item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "failed" if why else "passed", why or None, "call"))
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
