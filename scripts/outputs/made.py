# SPDX-License-Identifier: Apache-2.0
"""Made: every kind of output that other programs read, written by the real commands into one folder."""
import dataclasses
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = pathlib.Path("corpus/graph_argument/repros/borrow-argument_dropped.repro")  # The name as it is given on the command line.
PROGRAMS = ("alike", "capturing", "collected", "deadlocking", "early_event")  # Names in harness/client/tests/clients.
NUMBER = "import itertools, os, sys; print({number} + os.getpid() % 7 / 100)"


@dataclasses.dataclass
class Made:
    """The folder of the outputs, and the JSON output of the commands."""
    folder: pathlib.Path
    night: dict
    case: dict
    gate: dict
    runs: dict  # The key is the program's name.
    case_file: str = str(CASE)

    def file(self, name):
        return self.folder / name

    @property
    def pages(self):
        """Returns all pages: those of the nightly run, the case and the gate, and the first ones of the findings."""
        findings = sorted(self.folder.glob("history/findings/*.html"))
        return [self.file("history/page.html"), self.file("case.html"), self.file("gate.html"), *findings[:3], *sorted(self.folder.glob("run-*/*.html"))]


def run(program, *arguments, good=(0, 1)):
    """Returns a command's JSON output; exits this script if the command has a bad exit code."""
    command = list(map(str, (program, *arguments)))
    ended = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if ended.returncode not in good:
        print(f"outputs: exit {ended.returncode} of: {' '.join(command)}", file=sys.stderr)
        sys.exit(2)
    return json.loads(ended.stdout)


def search(program, folder, name):
    """Searches a program with `afterlife run`, and writes the findings in every format."""
    reports = [part for form in ("junit", "sarif", "markdown") for part in (f"--{form}", folder / f"run-{name}.{form}")]
    return run(program, "run", "--runs", "60", "--out", folder / f"found-{name}", "--html", folder / f"run-{name}", *reports, "--json", "--",
               sys.executable, f"harness/client/tests/clients/{name}.py")


def make(program, folder):
    """Makes two nightly runs, so that there are curves and known findings, a replay, a gate over two numbers, and searches of programs."""
    history = folder / "history"
    reports = [part for name in ("junit", "sarif", "markdown", "metrics") for part in (f"--{name}", folder / f"night.{name}")]
    run(program, "nightly", "--runs", "400", "--seed", "1", "--only", "argpack", "--history", history, "--json")
    night = run(program, "nightly", "--runs", "1200", "--seed", "2", "--history", history, *reports, "--json")
    case = run(program, "replay", CASE, "--html", folder / "case.html", "--trace", folder / "case.trace",
               "--sarif", folder / "case.sarif", "--json")
    sides = [part for number in (100, 130) for part in ("--", sys.executable, "-c", NUMBER.format(number=number))]
    gate = run(program, "gate", "--rounds", "20", "--junit", folder / "gate.junit", "--markdown", folder / "gate.markdown",
               "--html", folder / "gate.html", "--json", *sides, good=(0, 1, 5))
    return Made(folder, night, case, gate, {name: search(program, folder, name) for name in PROGRAMS})
