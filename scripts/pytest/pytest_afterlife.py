# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest's: with --afterlife, each test runs under `afterlife run`, many times over.

Usage: pytest --afterlife [--afterlife-runs N] [--afterlife-seed N] ..., where the package is installed; in a clone
PYTHONPATH=scripts/pytest pytest -p pytest_afterlife --afterlife ...

A test is a program of its own: `afterlife run -- python -m pytest ... TEST`, with the options that this pytest was given, its folder and
its ini-file. It fails where something is found, which is then told with its lines in the program; else its reports are those of the plain
run: passed, failed, skipped, xfailed and so on. One that has none did not run, and fails. A test that does not call the CUDA driver runs
once. The mark `afterlife` has options of one test, and the fixture `afterlife` runs a command.
"""
import json
import linecache
import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib

import pytest

# These are set in a pytest that is one run of a search. They are not set in a replay, which is an ordinary pytest.
REPORT, TEST = "AFTERLIFE_PYTEST_REPORT", "AFTERLIFE_PYTEST_TEST"
ARGUMENTS = "afterlife_arguments"
# Plugins, and the options that keep them from measuring or distributing an inner pytest.
QUIET = {"xdist": "-n0", "pytest_cov": "--no-cov"}
# Options of `afterlife run` for tests, settable by our option or the mark: (type, or None for a flag; description).
RUN = {"runs": (int, "how many runs of each test (20)"), "seconds": (float, "how long each test is searched, in place of runs"),
       "seed": (int, "where the search starts (1)"), "jobs": (int, "runs of a test at a time (1)"),
       "timeout": (float, "how long one run may take, in seconds (60)"), "failures": (None, "have CUDA calls fail that may"),
       "forced": (None, "have Python collect and switch threads where its version cannot, too"),
       "suppressions": (str, "findings that are known, one a line: KIND FUNCTION_OR_FILE REASON")}
MARK = "afterlife(runs, seconds, seed, jobs, timeout, failures, forced, suppressions, off): options of a test under --afterlife; off=True: not there"


def pytest_addoption(parser, pluginmanager):
    pluginmanager.register(Arguments(parser), ARGUMENTS)
    group = parser.getgroup("afterlife")
    group.addoption("--afterlife", action="store_true", help="run each test under `afterlife run`")
    group.addoption("--afterlife-program", metavar="FILE", help="where that is (beside this Python, or in PATH)")
    group.addoption("--afterlife-out", default="results/found", metavar="DIR", help="where findings go (results/found)")
    for name, (kind, words) in RUN.items():
        how = {"type": kind, "metavar": "FILE" if kind is str else "N"} if kind else {"action": "store_true"}
        group.addoption(f"--afterlife-{name}", default=None, help=words, **how)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.addinivalue_line("markers", MARK)
    if REPORT in os.environ:
        config.pluginmanager.register(Inner(config, os.environ.pop(REPORT), os.environ.pop(TEST)))
    elif config.getoption("--afterlife"):
        config.pluginmanager.register(Outer(config))


@pytest.fixture
def afterlife(request):
    """Runs a command under `afterlife run`, with or without --afterlife: afterlife(["./my_test"], runs=50)."""
    def run(command, **options):
        ended = subprocess.run(run_command(request.node, options) + [str(word) for word in command], capture_output=True, text=True,
                               errors="replace")
        result = result_of(ended)
        if result is None or ended.returncode not in (0, 1):
            pytest.fail(f"afterlife: exit {ended.returncode}: {ended.stderr.strip()}", pytrace=False)
        if result["findings"]:
            pytest.fail("\n".join(told(finding, request.config) for finding in result["findings"]), pytrace=False)
        return result
    return run


class Inner:
    """Runs one test and saves its reports. The plain run ends first, so later runs find that the file exists and do not write it."""

    def __init__(self, config, file, test):
        self.config, self.file, self.test, self.reports = config, file, test, []
        # Runs may execute in parallel with each other and with the outer pytest, so they must not share its files.
        config.option.basetemp = config.option.xmlpath = None

    def pytest_sessionstart(self):
        for name in ("lfplugin", "nfplugin", "stepwiseplugin"):
            if plugin := self.config.pluginmanager.get_plugin(name):
                self.config.pluginmanager.unregister(plugin)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        wanted = [item for item in items if item.nodeid == self.test]
        yield
        items[:] = wanted

    def pytest_runtest_logreport(self, report):
        self.reports.append(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_collectreport(self, report):
        if report.failed:
            self.pytest_runtest_logreport(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        try:
            with open(self.file, "xb") as file:
                pickle.dump(self.reports, file)
        except OSError:
            pass


class Outer:
    """Has each test run by inner pytests, and reports their results."""

    def __init__(self, config):
        self.config = config
        self.options = config.pluginmanager.get_plugin(ARGUMENTS).options(config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        mark = item.get_closest_marker("afterlife")
        if mark and mark.kwargs.get("off") or "afterlife" in getattr(item, "fixturenames", ()):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.reports_of(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def reports_of(self, item):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "reports")
            try:
                ended = subprocess.run(self.command_of(item), cwd=self.config.invocation_params.dir, capture_output=True,
                                       text=True, errors="replace", env=environment(file, item.nodeid))
            except OSError as error:
                return [failed(item, f"{error.filename}: {error.strerror}: name it with --afterlife-program")]
            reports = self.read(file)
        why = failure(ended, reports, self.config)
        return [failed(item, why)] if why else [report for report in reports if isinstance(report, pytest.TestReport)]

    def command_of(self, item):
        option, inipath = self.config.getoption, self.config.inipath
        conftests = option("confcutdir") or (inipath.parent if inipath else self.config.rootpath)
        return [*run_command(item, {}), sys.executable, "-m", "pytest", *self.options, "--capture=sys",
                f"--rootdir={self.config.rootpath}", f"--confcutdir={conftests}", "-c", str(inipath or os.devnull),
                f"{item.path}::{item.nodeid.partition('::')[2]}"]

    def read(self, file):
        try:
            with open(file, "rb") as data:
                kept = pickle.load(data)
        except (OSError, EOFError, pickle.UnpicklingError):
            return []
        return [self.config.hook.pytest_report_from_serializable(config=self.config, data=one) for one in kept]


class Arguments:
    """Selects the command-line arguments of this pytest that are passed on to the inner ones."""

    def __init__(self, parser):
        self.parser = parser

    def options(self, config):
        """Returns all arguments except tests and this plugin's options, and the options that keep other plugins quiet."""
        given = [str(argument) for argument in config.invocation_params.args]
        kept, index = [], 0
        while index < len(given):
            argument, following = given[index], given[index + 1:index + 2]
            is_own = argument.startswith("--afterlife") or argument == f"-p{__name__}"
            is_flag = RUN.get(argument[len("--afterlife-"):], (str,))[0] is None
            if argument.startswith("--afterlife-") and "=" not in argument and not is_flag or (argument, following) == ("-p", [__name__]):
                index += 1
            elif not is_own and argument != "--" and not self.is_test(given, index):
                kept.append(argument)
            index += 1
        return kept + [option for plugin, option in QUIET.items() if config.pluginmanager.has_plugin(plugin)]

    def is_test(self, given, index):
        """Distinguishes a test from an option and from an option's value: another text in place of a test is parsed as a test, too."""
        other = "an-argument-that-is-never-given"
        try:
            known, unknown = self.parser.parse_known_and_unknown_args([*given[:index], other, *given[index + 1:]])
        except (pytest.UsageError, SystemExit):
            return False
        return not given[index].startswith("-") and other in known.file_or_dir + unknown


def environment(file, test):
    plugins = [name for name in (os.environ.get("PYTEST_PLUGINS"), __name__) if name]
    return {**os.environ, "PYTEST_PLUGINS": ",".join(plugins), REPORT: file, TEST: test}


def program(config):
    given = config.getoption("--afterlife-program")
    beside = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", "")))
    return given or shutil.which("afterlife", path=beside) or "afterlife"


def file_name(test):
    """Returns a file name for a test. If characters had to be removed, a checksum is appended."""
    name = re.sub(r"[^\w.=,@+]+", "-", test, flags=re.ASCII).strip("-.")[-120:].lstrip("-.")
    return name if re.fullmatch(r"[\w./:]{1,120}", test, flags=re.ASCII) else f"{name}-{zlib.crc32(test.encode()):08x}"


def run_command(item, given):
    """Returns the command line up to the program. The test's own options override those of its mark, and these override ours."""
    config, mark = item.config, item.get_closest_marker("afterlife")
    chosen = {**{name: config.getoption(f"--afterlife-{name}") for name in RUN}, **(mark.kwargs if mark else {}), **given}
    if unknown := set(chosen) - set(RUN) - {"off"}:
        raise pytest.UsageError(f"{item.nodeid}: afterlife has no option {', '.join(sorted(unknown))}")
    if chosen["runs"] is None and chosen["seconds"] is None:
        chosen["runs"] = 20
    command = [program(config), "run", "--json", "--may-not-call", "--out", config.getoption("--afterlife-out"), "--name",
               file_name(item.nodeid)]
    for name, (kind, _) in RUN.items():
        if chosen[name]:
            command += [f"--{name}"] + ([str(chosen[name])] if kind else [])
    return command + ["--"]


def place(frames):
    """Returns the innermost line of the user's code, and its text."""
    frame = next((frame for frame in frames if not frame.get("library")), frames[0] if frames else None)
    if not frame:
        return "?", ""
    return f"{frame['file']}:{frame['line']} in {frame['function']}", linecache.getline(frame["file"], frame["line"]).strip()


def told(finding, config):
    lines = [f"{finding['kind']} of {finding['object']}"]
    for name in ("born", "captured", "died", "used", "other"):
        if finding.get(name):
            where, line = place(finding["places"][name])
            lines += [f"  {name:9} {where}, by {finding[name]}"] + ([f"                {line}"] if line else [])
    lines += [f"  takes     {one['who']}: {one['answer']}" for one in finding["decisions"]]
    if finding["fix"]:
        lines.append(f"  fix       {finding['fix']}")
    lines.append(f"  replays   {finding['shown']} of {finding['replays']}")
    return "\n".join(lines + [f"  {shlex.join([program(config), 'replay', finding['file']])}"])


def result_of(ended):
    return json.loads(ended.stdout) if ended.stdout.startswith("{") else None


def failure(ended, reports, config):
    """Returns the faults of a test that the reports of its plain run do not show; "" if there are none."""
    result = result_of(ended)
    if result is None:
        return f"afterlife: exit {ended.returncode}: {ended.stderr.strip()}"
    own = [report.longreprtext for report in reports if report.failed]
    lines = [told(finding, config) for finding in result["findings"]]
    lines += [f"the test {one['complaint']}, in {one['runs']} of {result['runs']} runs"
              for one in result["failures"] if one["first_run"] != 0 or not own]
    if not any(report.when == "teardown" for report in reports):
        lines += ["the test did not run, or not to its end", ended.stderr.strip()]
    return "\n".join(lines + own) if lines else ""


def failed(item, why):
    return pytest.TestReport(item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "failed", why, "call")
