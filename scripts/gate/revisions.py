#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Revisions: the two trees that the gate compares, in folders of the same length, and their builds.

Usage: scripts/gate/revisions.py --self-test

Exit: 0 all plants were judged rightly, 1 not, 3 usage.
"""
import functools
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import self_tested

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import programs  # noqa: E402
from common import tree_copy  # noqa: E402

ROOT = programs.ROOT
FOLDER = ROOT / "build/gate"
WORKING_TREE = "the working tree"
UNPROFILED = os.environ | {"AFTERLIFE_UNPROFILED": "1"}  # Neither side uses the release build's profile: see scripts/cmake/profile.cmake.


class CannotCompare(Exception):
    """A side cannot be built or measured; the text says why in one line."""


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def git(*command, **how):
    ended = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, **how)
    if ended.returncode:
        raise CannotCompare(f"git {command[0]}: {last_line(ended.stderr.decode(errors='replace'))}")
    return ended.stdout


def commit_of(revision):
    try:
        return git("rev-parse", "--verify", "--end-of-options", revision + "^{commit}").decode().strip()
    except CannotCompare:
        raise CannotCompare(f"there is no revision '{revision}'") from None


def default_base():
    """Returns the commit where the branch left main; on main itself, the previous commit."""
    for main in ("main", "origin/main"):
        try:
            base = git("merge-base", "HEAD", main).decode().strip()
        except CannotCompare:
            continue
        return base if base != commit_of("HEAD") or git("status", "--porcelain") else commit_of("HEAD~1")
    raise CannotCompare("there is no main to compare with: name the base")


class Side:
    """One source tree and its build."""

    def __init__(self, folder, revision, preset):
        self.tree = FOLDER / folder
        self.commit = commit_of(revision) if revision else None
        self.name = self.commit[:12] if self.commit else WORKING_TREE
        self.preset = preset
        self.build = self.tree / "build" / preset
        self.log = FOLDER / f"{folder}.log"

    def make(self):
        """Updates the tree to the revision and builds it. Unchanged files are not built again."""
        self.tree.mkdir(parents=True, exist_ok=True)
        if self.commit:
            self.export()
        else:
            tree_copy.copy_tree(self.tree)
        targets = ["afterlife", *self.benchmarks()]
        with self.log.open("w") as log:
            ended = subprocess.run([self.tree / "scripts/build.sh", self.preset, *targets], stdout=log, stderr=log,
                                   env=UNPROFILED)
        if ended.returncode:
            raise CannotCompare(f"{self.name} does not build: see {self.log}")

    def export(self):
        """Writes the files of the commit that are missing or different, and removes all others except the build."""
        with tarfile.open(fileobj=io.BytesIO(git("archive", self.commit))) as archive:
            members = {member.name: member for member in archive.getmembers() if member.isfile()}
            for name, member in members.items():
                write_if_new(self.tree / name, archive.extractfile(member).read(), member.mode)
        note = tree_copy.NOTE
        if (ROOT / note).is_file():
            write_if_new(self.tree / note, (ROOT / note).read_bytes(), 0o644)
        for file in self.tree.rglob("*"):
            name = file.relative_to(self.tree)
            if name.parts[0] != "build" and file.is_file() and name.as_posix() not in members:
                file.unlink()

    def benchmarks(self):
        return ["bench_gpu", "bench_spine", *sorted(f"bench_{file.parent.name}" for file in self.tree.glob("scenarios/*/bench.cpp"))]

    def program(self, name):
        return self.build / name

    @functools.cache
    def sound_of_each_path(self):
        return sound_of_each_path(self.program("afterlife"))


def sound_of_each_path(program):
    """Returns the first sound variant of each path."""
    ended = subprocess.run([program, "list", "--json"], capture_output=True, text=True)
    try:
        paths = json.loads(ended.stdout)["paths"]
    except (json.JSONDecodeError, KeyError):
        raise CannotCompare(f"{program} list --json: exit {ended.returncode}, no list of paths") from None
    sound = [[f"{path['path']}/{row['variant']}" for row in path["variants"] if row["claim"] == "sound"] for path in paths]
    return tuple(names[0] for names in sound if names)


def write_if_new(file, content, mode):
    if file.is_file() and file.read_bytes() == content:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    file.chmod(mode | 0o200)


def messages(base, head):
    """Returns the messages of the commits that are in the head but not in the base."""
    return git("log", "--format=%B", f"{base.commit}..{head.commit or 'HEAD'}").decode(errors="replace")


def sides(base, head, preset):
    """Returns base and head, neither of them made yet."""
    if shutil.which("git") is None:
        raise CannotCompare("there is no git")
    return Side("base", base or default_base(), preset), Side("head", head, preset)


# ---- the self-test ----

class PlantedSide(Side):
    """A side with its own folder, built by its own script."""

    def __init__(self, folder, script):
        super().__init__("base", None, "dev")
        self.tree, self.log, self.commit = folder / "tree", folder / "log", "planted"
        self.script = script

    def export(self):
        write_if_new(self.tree / "scripts/build.sh", f"#!/bin/sh\n{self.script}\n".encode(), 0o755)


def why_not(call, *arguments):
    """Returns the reason why a comparison cannot be made, or ""."""
    try:
        call(*arguments)
    except CannotCompare as why:
        return str(why)
    return ""


def self_test():
    rightly = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for script, wanted in (("exit 0", ""), ("echo oh no >&2; exit 2", "does not build: see"), ("kill -9 $$", "does not build: see")):
            why = why_not(PlantedSide(folder, script).make)
            rightly.append(wanted in why if wanted else not why)
            rightly.append("\n" not in why)
        for index, text in enumerate(('{"paths": [{"path": "p", "variants": [{"variant": "v", "claim": "sound"}]}]}', "nonsense", "")):
            program = folder / f"program_{index}"
            write_if_new(program, f"#!/bin/sh\necho '{text}'\n".encode(), 0o755)
            why = why_not(sound_of_each_path, program)
            rightly.append("no list of paths" in why if index else not why)
    rightly.append("there is no revision" in why_not(commit_of, "no-such-revision"))
    print(f"revisions: {sum(rightly)} of {len(rightly)} plants judged rightly")
    return 0 if all(rightly) else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
