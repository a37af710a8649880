# SPDX-License-Identifier: Apache-2.0
"""Asking: runs the driver's tests on the copy with one mutant on, and tells which of them saw it."""
import collections
import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from mutation.driver_mutants.rules import NO_MUTANT

RESTARTS = 12  # A test that ends the process also ends the tests after it, which are then run in a new process.
PATIENCE_SECONDS = 30
VISIBLE_SHARE = 0.1  # A mutant that a larger share of the tests detects is too coarse to check the tests.


@dataclasses.dataclass
class Answer:
    """The result of testing a mutant."""
    word: str  # red, green, coarse or unreached
    seen_by: list
    asked: int
    seconds: float


class Tests:
    """The tests of a copy, the mutants that each of them reaches, and how long each takes."""

    def __init__(self, program, cwd):
        self.program, self.cwd = program, cwd
        self.milliseconds, self.reaching = {}, collections.defaultdict(list)

    def learn(self):
        """Runs all tests without a mutant. Returns the tests that failed."""
        with tempfile.TemporaryDirectory() as folder:
            record, reached = pathlib.Path(folder, "record"), pathlib.Path(folder, "reached")
            reached.write_bytes(bytes(NO_MUTANT + 1))
            failed, _ = self.run(NO_MUTANT, None, 1200, {"AFTERLIFE_REACHED": str(reached), "AFTERLIFE_REACHED_BY": str(record)})
            for line in record.read_text().splitlines():
                name, milliseconds, *numbers = line.split()
                self.milliseconds[name] = int(milliseconds)
                for number in numbers:
                    self.reaching[int(number)].append(name)
        return failed

    def ask(self, number):
        began = time.monotonic()
        left = sorted(self.reaching[number], key=self.milliseconds.get)
        asked, seen = len(left), []
        most = max(1, int(VISIBLE_SHARE * len(self.milliseconds)))
        for _ in range(RESTARTS):
            if not left or len(seen) > most:
                break
            limit = PATIENCE_SECONDS + 4 * sum(self.milliseconds[name] for name in left) / 1000
            failed, ran = self.run(number, left, limit)
            seen += failed
            left = [name for name in left if name not in ran]
        word = "unreached" if not asked else "green" if not seen else "coarse" if len(seen) > most else "red"
        return Answer(word, seen, asked, time.monotonic() - began)

    def run(self, number, names, limit_seconds, env=None):
        """Returns the tests that failed or ended the process, and the tests that ran."""
        with tempfile.TemporaryDirectory() as folder:
            notes = pathlib.Path(folder, "notes")
            notes.touch()
            command = [self.program, "--gtest_brief=1"]
            if names is not None:
                flags = pathlib.Path(folder, "flags")
                flags.write_text("--gtest_filter=" + ":".join(names) + "\n")
                command.append(f"--gtest_flagfile={flags}")
            child = subprocess.Popen(command, cwd=self.cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     start_new_session=True, env=os.environ | (env or {}) | {
                                         "AFTERLIFE_MUTANT": str(number), "AFTERLIFE_FAILED": str(notes)})
            try:
                child.wait(limit_seconds)
            except subprocess.TimeoutExpired:
                pass
            finally:
                stop(child)
            return read_notes(notes.read_text())


def stop(child):
    """Kills the child and the processes that it has started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def read_notes(text):
    """Returns the tests that failed or did not end, and the tests that began."""
    failed, ended, began = [], set(), []
    for line in text.splitlines():
        word, name = line.split()
        if word == "began":
            began.append(name)
        else:
            ended.add(name)
            failed += [name] if word == "failed" else []
    return failed + [name for name in began if name not in ended], set(began)
