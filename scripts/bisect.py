#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the commit that introduced the fault of a reproducer, or fixed it, with `git bisect run`.

Usage: scripts/bisect.py FILE --good REV [--bad REV] [--build COMMAND] [--program FILE]

FILE is a reproducer. If --good is later than --bad (HEAD), the commit that fixed the fault is found. --build is the command
that builds a commit (./scripts/build.sh dev afterlife), and --program is what it creates (build/dev/afterlife). Commits are
built in the worktree build/bisect/tree; programs are kept by content. A commit has the fault if the recorded schedule ends
in one of its kind. If not, a search decides: it is ten times as long as what finds the fault at --bad, so it misses with a
chance of exp(-10). Commits that do not build or cannot read the file are left out. An operation that is renamed is found.

Example: scripts/bisect.py results/found/argpack-own-08fa146f.repro --good v1.2
Exit: 0 one commit is left, 1 several (commits between them cannot be tested), 2 a file, git or a build, 3 usage.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

from common.command_line import CommandLine

CANNOT_TEST, SEARCHES, CARE = 125, (500, 2000, 8000, 32000), 10


def stop(why):
    print(f"bisect: {why}", file=sys.stderr)
    sys.exit(2)


def git(*arguments, folder=None):
    ended = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    return ended.stdout.strip() if ended.returncode == 0 else stop(f"git {arguments[0]}: {ended.stderr.strip()}")


class Subject:
    """What a fault is known by. It lives in a file between the steps of `git bisect run`."""

    def __init__(self, options=None):
        self.folder = pathlib.Path(git("rev-parse", "--path-format=absolute", "--git-common-dir")).parent / "build/bisect"
        self.tree, self.file = self.folder / "tree", self.folder / "subject.json"
        self.known = vars(options) if options else json.loads(self.file.read_text())

    def built(self):
        """The program of the commit in the worktree; None if it does not build."""
        content = f"{git('rev-parse', 'HEAD^{tree}', folder=self.tree)} {self.known['build']}"
        kept = self.folder / "programs" / hashlib.sha256(content.encode()).hexdigest()[:16]
        if not kept.exists():
            note = self.folder.parent / "cuda_root.txt"  # What the set-up found, which each tree needs.
            subprocess.run(["install", "-D", note, self.tree / "build" / note.name], stderr=subprocess.DEVNULL)
            with open(self.folder / "build.log", "w") as log:
                ended = subprocess.run(self.known["build"], shell=True, cwd=self.tree, stdout=log, stderr=log)
            if ended.returncode or subprocess.run(["install", "-D", self.tree / self.known["program"], f"{kept}.draft"]).returncode:
                return None
            pathlib.Path(f"{kept}.draft").rename(kept)
        return kept

    def asked(self, *command):
        """What a program prints as JSON; None if it refuses the command."""
        ended = subprocess.run([*map(str, command), "--json"], cwd=self.tree, capture_output=True, text=True)
        return json.loads(ended.stdout) if ended.returncode in (0, 1) else None

    def search(self, program, runs):
        said = self.asked(program, "fuzz", self.known["variant"], "--runs", runs, "--seed", 1, "--out", self.folder / "found")
        return said and {one for row in said["results"] for one in row["signatures"]} & set(self.known["names"])

    def ops(self, program):
        return {op for path in self.asked(program, "list", self.known["variant"].split("/")[0])["paths"] for op in path["ops"]}

    def shows(self, program):
        """Whether a program has the fault; None if it cannot tell."""
        text, known, case = self.known["text"], self.ops(program), self.folder / "case.repro"
        missing, others = set(re.findall(r"^\S+ op (\w+)", text, re.M)) - known, known - set(self.known.get("ops", known))
        if len(missing) == len(others) == 1:
            text = re.sub(rf"^(\S+ op ){missing.pop()}\b", rf"\g<1>{others.pop()}", text, flags=re.M)
        case.write_text(text)
        if (said := self.asked(program, "replay", case)) is None:
            return None
        kind = self.known["names"][0].split()[0]
        found = {fault["signature"] for fault in said["faults"] if fault["signature"].split()[0] == kind}
        self.known["names"] += sorted(found - set(self.known["names"]))  # A site may have another name here.
        if found or not self.known.get("within"):
            return bool(found)
        found = self.search(program, CARE * self.known["within"])
        return None if found is None else bool(found)

    def look(self, commit=None):
        if commit:
            git("checkout", "--quiet", "--force", "--detach", commit, folder=self.tree)
        shown = self.shows(program) if (program := self.built()) else None
        print({True: "shown", False: "absent", None: "untestable"}[shown], git("log", "-1", "--format= %h %s", folder=self.tree), file=sys.stderr)
        self.file.write_text(json.dumps(self.known))
        return shown

    def begin(self, good, bad):
        if not (self.tree / ".git").exists():
            git("worktree", "prune")
            git("worktree", "add", "--quiet", "--force", "--detach", str(self.tree), bad)
        if not self.look(bad):
            stop(f"{bad} does not show the fault: name a revision that does with --bad")
        program = self.built()
        self.known |= {"ops": sorted(self.ops(program)), "within": next((runs for runs in SEARCHES if self.search(program, runs)), None)}
        if self.look(good) is not False:
            stop(f"{good} may have the fault, too: name another revision with --good")


def main():
    if sys.argv[1:] == ["--step"]:  # What `git bisect run` starts in each commit.
        subject = Subject()
        shown = subject.look()
        return CANNOT_TEST if shown is None else int(shown != subject.known["fixed"])
    parser = CommandLine(__doc__)
    parser.add_argument("file")
    for name, default in (("good", None), ("bad", "HEAD"), ("build", "./scripts/build.sh dev afterlife"), ("program", "build/dev/afterlife")):
        parser.add_argument(f"--{name}", default=default, required=default is None)
    options = parser.parse_args()
    options.text = pathlib.Path(options.file).read_text()
    path, variant, fault = (re.search(rf"^{word} (.+)$|\Z", options.text, re.M)[1] for word in ("path", "variant", "fault"))
    if not options.text.startswith("afterlife reproducer") or not fault:
        stop(f"{options.file} is no reproducer that names a fault")
    good, bad = (git("rev-parse", "--verify", f"{one}^{{commit}}") for one in (options.good, options.bad))
    options.variant, options.names, options.fixed = f"{path}/{variant}", [fault], git("merge-base", good, bad) == bad
    subject = Subject(options)
    subject.folder.mkdir(parents=True, exist_ok=True)
    subject.begin(good, bad)
    git("bisect", "start", *((good, bad) if options.fixed else (bad, good)), folder=subject.tree)
    run = ["git", "bisect", "run", sys.executable, __file__, "--step"]
    said = subprocess.run(run, cwd=subject.tree, stdout=subprocess.PIPE, text=True).stdout
    git("bisect", "reset", bad, folder=subject.tree)
    left = re.findall(r"^([0-9a-f]{40})(?: is the first|$)", said, re.M)
    print(f"the first {'without' if options.fixed else 'with'} it is{'' if len(left) == 1 else ' one of'}:")
    print("\n".join(git("log", "-1", "--format=%H %s", one) for one in left))
    return 0 if len(left) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
