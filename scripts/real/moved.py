#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays findings of `afterlife run` where their programs have moved and were edited.

Usage: scripts/real/moved.py [--preset PRESET] [--least N] [--edits N] [--only TEXT] [--self-test]

Searches the programs of harness/client/tests/clients, each in a folder of its own. Copies the program and the finding to another folder, which
another user owns (65534, if this one is root), adds a comment above each line that the finding names, and replays it as that user with
--trust: it must be *as recorded*. C++ is compiled there again. At least 50 findings (--least) of 15 programs are asked.

Then edits each of 20 findings (--edits) so that its last party does not happen any more, or does so in another function, by turns: none
may be *as recorded*. --self-test leaves the edits out, and adds them where there should be comments: both must be seen.

Prints a line for each finding that is not as it must be, and the sums. Exit: 0 all are, 1 not, 2 nothing is built, 3 usage.
"""
import ast
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from common.command_line import CommandLine  # noqa: E402

CLIENTS = ROOT / "harness/client/tests/clients"
OTHER = 65534
RACES = ("publication", "stop_token", "reference", "local_destructor", "swapped", "asleep", "lost_wakeup", "condition", "notified_one",
         "two_locks", "checked_twice", "aba", "latched", "posted_first", "flag_first", "one_barrier", "upgraded", "task")
LENT = ("host_function", "stream_callback", "moved", "unmapped", "registered", "frame", "thread_frame", "library_code", "link_output",
        "freed_in_function", "pageable", "given_others", "disabled", "shrunk", "lent_again", "numbers")
WITHOUT = ("at_random", "awaited", "called", "doubted", "finalizing", "forked_late", "locked", "polled", "sound", "unlooked")


@dataclasses.dataclass
class Program:
    source: pathlib.Path
    arguments: tuple = ()
    options: tuple = ()

    def __str__(self):
        return " ".join((self.source.name, *self.arguments))

    def command(self):
        return ["python3", self.source.name] if self.is_python() else [f"./{self.source.stem}"]

    def is_python(self):
        return self.source.suffix == ".py"

    def build(self, folder):
        if self.is_python():
            return
        include = (ROOT / "build/cuda_root.txt").read_text().strip() + "/include"
        subprocess.run(["clang++-19", "-std=c++20", "-g", "-O1", "-rdynamic", "-pthread", f"-I{include}", f"-I{ROOT}", self.source.name, "-o",
                        self.source.stem, "-ldl"], cwd=folder, check=True)


def programs():
    arguments = {"alike": (("",), ("race",), ("twice",)), "unwaited": (("read",), ("rewritten",)), "staged": (("raced",), ("large",))}
    for file in sorted(CLIENTS.glob("*.py")):
        if file.stem not in WITHOUT:
            for given in arguments.get(file.stem, ((),)):
                yield Program(file, tuple(filter(None, given)), ("--failures",) if file.stem == "unchecked" else ())
    for source, ways in (("racing", RACES), ("lending", LENT), ("unmapped", ("",))):
        for way in ways:
            yield Program(CLIENTS / f"{source}.cpp", (way,) if way else (), ("--failures",) if source == "unmapped" else ())


def found(build, program, folder):
    """Returns the files of the findings that every replay showed, with the reports of `run`."""
    shutil.copy(program.source, folder)
    program.build(folder)
    ended = subprocess.run([build / "afterlife", "run", "--runs", "100", "--out", "found", "--json", *program.options, "--",
                            *program.command(), *program.arguments], cwd=folder, capture_output=True, text=True)
    findings = json.loads(ended.stdout)["findings"] if ended.stdout.startswith("{") else []
    return [(folder / finding["file"], finding) for finding in findings if finding["shown"] == finding["replays"] == 3]


def lines_of(finding, name):
    """Returns the lines of the program that the finding names."""
    places = [*finding["places"].values(), *(decision["place"] for decision in finding["decisions"])]
    lines = {frame["line"] for place in places for frame in place if pathlib.Path(frame["file"]).name == name and frame.get("line")}
    for decision in finding["decisions"]:
        if at := re.match(re.escape(name) + r":(\d+)", decision["who"]):
            lines.add(int(at[1]))
    return lines


def commented(text, lines, mark):
    """Adds a comment above each of the lines. If a line continues a call, a macro or a text, the comment is put above its first line."""
    all_lines = text.splitlines(keepends=True)
    for number in sorted(lines, reverse=True):
        while number > 1 and (all_lines[number - 2].endswith("\\\n") or all_lines[number - 1].startswith(("extern", "}"))):
            number -= 1
        indent = all_lines[number - 1][:len(all_lines[number - 1]) - len(all_lines[number - 1].lstrip())]
        all_lines.insert(number - 1, f"{indent}{mark} A comment.\n")
    return "".join(all_lines)


def statement_at(text, line):
    """Returns the innermost expression statement of the Python text at this line."""
    inside = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr) and node.lineno <= line <= node.end_lineno]
    return max(inside, key=lambda node: node.lineno, default=None)


def edited(text, finding, name, moves):
    """Returns the program with the last party's statement removed, or moved to a separate function; None if it is not a simple statement."""
    for party in ("used", "died", "captured"):
        frames = [frame for frame in finding["places"].get(party, ()) if pathlib.Path(frame["file"]).name == name]
        statement = statement_at(text, frames[0]["line"]) if frames else None
        if statement is None:
            continue
        lines = text.splitlines(keepends=True)
        told = ast.get_source_segment(text, statement)
        new = f"(lambda: {told})()\n" if moves else "pass\n"
        lines[statement.lineno - 1:statement.end_lineno] = [" " * statement.col_offset + new]
        return "".join(lines)
    return None


def is_as_recorded(build, program, text, file):
    """Replays the finding with this program in a new folder, as another user. Returns the answer, or the reason why there is none."""
    with tempfile.TemporaryDirectory() as kept:
        folder = pathlib.Path(kept)
        (folder / program.source.name).write_text(text)
        program.build(folder)
        shutil.copy(file, folder)
        other = []
        if os.geteuid() == 0:
            folder.chmod(0o755)
            for path in (folder, *folder.iterdir()):
                os.chown(path, OTHER, OTHER)
            other = ["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", "env", "HOME=/nonexistent", "USER=other",
                     "PATH=/usr/local/bin:/usr/bin:/bin"]
        ended = subprocess.run([*other, build / "afterlife", "replay", "--trust", "--json", file.name], cwd=folder, capture_output=True,
                               text=True)
        if not ended.stdout.startswith("{"):
            return None, ended.stderr.strip()[-300:]
        told = json.loads(ended.stdout)
        return told["as_recorded"], told.get("differs", "")


class Trial:
    def __init__(self, build, options):
        self.build, self.options = build, options
        self.findings, self.programs, self.alike, self.edits, self.seen = 0, set(), 0, 0, 0

    def take(self, program, file, finding):
        text = program.source.read_text()
        name = program.source.name
        moved = commented(text, lines_of(finding, name), "#" if program.is_python() else "//")
        if self.options.self_test:
            moved = program.is_python() and edited(text, finding, name, False) or moved
        alike, why = is_as_recorded(self.build, program, moved, file)
        self.findings += 1
        self.programs.add(str(program))
        self.alike += bool(alike)
        if not alike:
            print(f"  {program}: {finding['signature']}: not as recorded: {why}", flush=True)
        if program.is_python() and self.edits < self.options.edits:
            self.edit(program, file, finding, text)

    def edit(self, program, file, finding, text):
        changed = edited(text, finding, program.source.name, self.edits % 2 == 1)
        if changed is None:
            return
        self.edits += 1
        alike, why = is_as_recorded(self.build, program, text if self.options.self_test else changed, file)
        self.seen += alike is False
        if alike is not False:
            print(f"  {program}: {finding['signature']}: as recorded after an edit{': ' + why if why else ''}", flush=True)


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("--preset", default="release", choices=("release", "dev"))
    parser.add_argument("--least", type=int, default=50)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    build = ROOT / "build" / options.preset
    if not (build / "lib/libcuda.so.1").is_file():
        sys.exit(print(f"moved: build/{options.preset} is not built: ./scripts/build.sh {options.preset}", file=sys.stderr) or 2)
    trial = Trial(build, options)
    for program in programs():
        if options.only not in str(program):
            continue
        with tempfile.TemporaryDirectory() as folder:
            findings = found(build, program, pathlib.Path(folder))
            print(f"moved: {program}: {len(findings)}", file=sys.stderr, flush=True)
            for file, finding in findings:
                trial.take(program, file, finding)
    print(f"{trial.alike} of {trial.findings} findings of {len(trial.programs)} programs as recorded where they moved, at least "
          f"{options.least} of 15 asked; {trial.edits - trial.seen} of {trial.edits} as recorded after an edit")
    if options.self_test:
        sys.exit(0 if trial.alike < trial.findings and trial.seen == 0 and trial.edits else 1)
    good = trial.alike == trial.findings and trial.seen == trial.edits
    sys.exit(0 if good and trial.findings >= options.least and len(trial.programs) >= 15 else 1)


if __name__ == "__main__":
    main()
