#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes histories of 64 commits of the example path, has scripts/bisect.py look for the one that made a fault, and
says how often it is right.

Usage: scripts/nightly/bisections.py [--count N] [--seconds N] [--random SEED]

  --count N       how many histories (20), each with its fault made at another commit
  --seconds N     begins no other history after so long (no limit)
  --random SEED   of those commits (1)

In each history 3 commits do not build, 2 cannot read the reproducer (an axis has another name there), one renames an op of
the reproducer and one a site of its signature. The fault is a line that is taken out of the sound policy or of the server; its reproducer is
what `afterlife fuzz` finds in the last commit. Programs are built per content of a commit and kept in
build/bisections, so that histories share them and a second call builds nothing.
An answer is right where it names the commit that made it, and of its neighbours none but those that cannot be tested.
Exit: 0 all right, 1 one is not, 2 something does not build, 3 usage.
"""
import dataclasses
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import programs  # noqa: E402
from common.command_line import CommandLine  # noqa: E402

ROOT = programs.ROOT
FOLDER = ROOT / "build" / "bisections"
CLONE = FOLDER / "tree"
TREE = CLONE / "build" / "bisect" / "tree"  # The folder in which `bisect` builds.
COMMITS = 64
BROKEN, UNREADABLE = (10, 33, 50), (15, 45)
OP_RENAMED, SITE_RENAMED = 20, 40
RUNS = 4000

SERVER, POLICY = "targets/example/example.cpp", "targets/example/retain.h"
OPS, OP_CALLS = "scenarios/example/ops.def", "scenarios/example/ops.cpp"
SCENARIO, README = "scenarios/example/scenario.cpp", "scenarios/example/README.md"
# File | original text | replacement.
FAULTS = {
    "holds nothing": (POLICY, "{ ++request.buffer->holder_count; }", "{ (void)request; }"),
    "frees at once": (POLICY, "return buffer.holder_count == 0;", "return buffer.holder_count < 9;"),
}
OTHER_OP = (OPS, "OP(ask, always, ask)", "OP(request, always, ask)")
OTHER_SITE = (OP_CALLS, '"set_up"', '"fill_keys"')
OTHER_AXIS = (SCENARIO, '"stream", kStreams', '"streams", kStreams')
NO_SOURCE = (SERVER, "bool Server::enter() {", "bool Server::enter() { this is not C++;")


def git(*arguments, folder=CLONE, text=None, env=None):
    ended = subprocess.run(["git", *map(str, arguments)], cwd=folder, input=text, capture_output=True, text=True,
                           env=os.environ | (env or {}))
    if ended.returncode:
        sys.exit(f"bisections: git {arguments[0]}: {ended.stderr.strip()}")
    return ended.stdout.strip()


@dataclasses.dataclass(frozen=True)
class State:
    """The changes of a commit, relative to this tree."""
    edits: tuple = ()
    note: int = 0  # Makes commits differ that change only a text.


class Trees:
    """The contents of commits; each is written once."""

    def __init__(self, base):
        self.base, self.known = base, {}

    def of(self, state):
        if state not in self.known:
            self.known[state] = self.written(state)
        return self.known[state]

    def written(self, state):
        texts = {README: git("show", f"{self.base}:{README}") + f"\n\nNote {state.note}.\n"}
        for file, there, instead in state.edits:
            text = texts.get(file) or git("show", f"{self.base}:{file}") + "\n"
            if there not in text:
                sys.exit(f"bisections: {file} holds no {there} any more")
            texts[file] = text.replace(there, instead)
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": str(pathlib.Path(folder, "index"))}
            git("read-tree", self.base, env=index)
            for file, text in texts.items():
                blob = git("hash-object", "-w", "--stdin", text=text)
                git("update-index", "--cacheinfo", f"100644,{blob},{file}", env=index)
            return git("write-tree", env=index)


def state_of(index, made_at, fault):
    """Returns the state of the commit with this index, if the fault is made at `made_at`."""
    edits = [FAULTS[fault]] if index >= made_at else []
    edits += [OTHER_OP] if index >= OP_RENAMED else []
    edits += [OTHER_SITE] if index >= SITE_RENAMED else []
    edits += [OTHER_AXIS] if index in UNREADABLE else []
    edits += [NO_SOURCE] if index in BROKEN else []
    return State(tuple(edits), index % 2)


def history(trees, made_at, fault):
    """Makes the commits and returns them, oldest first."""
    who = {f"GIT_{role}_{what}": text for role in ("AUTHOR", "COMMITTER")
           for what, text in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", "1700000000 +0000"))}
    commits = []
    for index in range(COMMITS):
        parent = ["-p", commits[-1]] if commits else []
        commits.append(git("commit-tree", trees.of(state_of(index, made_at, fault)), *parent, "-m", f"change {index}", env=who))
    return commits


def right_answer(commits, made_at):
    """Returns the commit with the fault, and the untestable commits directly before it."""
    first = made_at
    while first - 1 in BROKEN + UNREADABLE:
        first -= 1
    return set(commits[first:made_at + 1])


def prepare():
    """Makes the clone at this tree's last commit; earlier builds in it are kept."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not (CLONE / ".git").exists():
        shutil.rmtree(CLONE, ignore_errors=True)
        git("clone", "--quiet", "--shared", "--no-checkout", ROOT, CLONE, folder=FOLDER)
    git("fetch", "--quiet", ROOT, "HEAD")
    (CLONE / "build").mkdir(exist_ok=True)
    shutil.copy(ROOT / "build" / "cuda_root.txt", CLONE / "build")
    return git("rev-parse", "FETCH_HEAD")


def build(commit):
    """Builds a commit in the folder that `bisect` uses."""
    if not (TREE / ".git").exists():
        git("worktree", "prune")
        git("worktree", "add", "--quiet", "--force", "--detach", TREE, commit)
    git("checkout", "--quiet", "--force", "--detach", commit, folder=TREE)
    (TREE / "build").mkdir(exist_ok=True)
    shutil.copy(ROOT / "build" / "cuda_root.txt", TREE / "build")
    ended = subprocess.run(["./scripts/build.sh", "dev", "afterlife"], cwd=TREE, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"bisections: the last commit does not build: {ended.stderr[-2000:]}")


def reproducer(commit, fault):
    """Returns the reproducer that a search finds in the commit; it names the op that was renamed."""
    file = FOLDER / f"{fault.replace(' ', '_')}.repro"
    build(commit)
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([TREE / "build/dev/afterlife", "fuzz", "example/retain", "--runs", str(RUNS), "--seed", "1", "--out", out],
                       cwd=TREE, capture_output=True)
        found = [one for one in sorted(pathlib.Path(out).glob("*.repro")) if " op request" in one.read_text()]
        if not found:
            sys.exit(f"bisections: no search finds what {fault} does")
        shutil.copy(found[0], file)
    return file


def bisected(file, commits):
    """The commits that are left, how many were looked at, and how long it took."""
    begin = time.monotonic()
    ended = subprocess.run([sys.executable, ROOT / "scripts/bisect.py", file, "--good", commits[0], "--bad", commits[-1]], cwd=CLONE, capture_output=True,
                           text=True)
    if ended.returncode not in (0, 1):
        sys.exit(f"bisections: bisect.py ended with {ended.returncode}: {ended.stderr.strip()}")
    looks = sum(line.startswith(("shown", "absent", "untestable")) for line in ended.stderr.splitlines())
    return set(re.findall(r"^[0-9a-f]{40}", ended.stdout, re.M)), looks, time.monotonic() - begin


def drawn(count, seed):
    """Returns the commit in which each history gets its fault; never a commit that cannot be tested."""
    places = [index for index in range(1, COMMITS) if index not in BROKEN + UNREADABLE]
    chosen = random.Random(seed).sample(places, min(count, len(places)))
    return [(place, list(FAULTS)[i % len(FAULTS)]) for i, place in enumerate(chosen)]


def tried(trees, files, made_at, fault):
    """Prints a line about one history. Returns whether the answer is right."""
    commits = history(trees, made_at, fault)
    if fault not in files:
        files[fault] = reproducer(commits[-1], fault)
    left, looks, seconds = bisected(files[fault], commits)
    is_right = left == right_answer(commits, made_at)
    names = ", ".join(sorted(str(commits.index(one)) for one in left))
    print(f"{'right' if is_right else 'WRONG'}: {fault} since {made_at}: said {names}; {looks} looks, {seconds:.0f} s", flush=True)
    return is_right


def parsed():
    parser = CommandLine(__doc__)
    for name, kind, default in (("count", int, 20), ("random", int, 1), ("seconds", float, 1e9)):
        parser.add_argument(f"--{name}", type=kind, default=default)
    return parser.parse_args()


def main():
    arguments = parsed()
    begin, trees, files = time.monotonic(), Trees(prepare()), {}
    answers = []
    for made_at, fault in drawn(arguments.count, arguments.random):
        if time.monotonic() - begin > arguments.seconds:
            break
        answers.append(tried(trees, files, made_at, fault))
    right = sum(answers)
    print(f"right in {right} of {len(answers)} histories of {COMMITS} commits ({arguments.count} were asked for), "
          f"{time.monotonic() - begin:.0f} s")
    return 0 if right == len(answers) == arguments.count else 1


if __name__ == "__main__":
    sys.exit(main())
