#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scores `afterlife triage` against labels that it does not see: which one-line defect each finding is of.

Usage: scripts/mutation/triage_score.py [PATH...] [--set FILE] [--half look|held|all] [--seed N] [--alone] [--confusion] | --self-test

In a copy of the tree every defect of the set (scripts/mutation/triage_defects.toml) is a switch. The sound variants of its path are
searched with each one on by itself, and what is found is minimized. Then one triage sorts the findings of a path together,
as after a night, each run with its defect on; it sees neither defect nor signature nor window.

Prints per kind of defect, per path and in all: findings, the defects that were found, causes, the share of findings that no
cause explains; then precision and recall over pairs of findings of one path. A pair is right where both are of one defect.
Unexplained findings count as one where the same goes wrong first. Below: the same for the kind of fault and of thing as the
answer, and which defects no search has found. A kind's precision is of the pairs with a finding of that kind.

  --set        another file of defects
  --half       those that may be looked at while triage is improved, those that are held out, or all (drawn by --seed)
  --runs       of each search (1000); --minimize: runs for each finding (300); --most: findings of a defect, drawn by hash (16)
  --search     other schedules that a repair is tried on (240)
  --jobs       searches and triages at a time (as many as there are cores)
  --keep       a folder where the findings stay, so that another triage is scored on the same ones
  --alone      without a program that shows no fault, which is the copy with all defects off
  --confusion  the table of defects and causes
  --self-test  the arithmetic, on answers that are known, and the switches in a small source

Exit: 0 scored, 1 the self-test fails, 2 the copy does not build, 3 usage.
"""
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from mutation import triage_defects  # noqa: E402
from common.command_line import CommandLine  # noqa: E402
from mutation.mutation_copy import BUILD, COPY, ROOT, SCORER, CannotMutate, build, copy_tree, folder_of  # noqa: E402

PRESET = "release"
CHUNK = 2


# ---- the score ----

def pairs(groups):
    return sum(n * (n - 1) // 2 for n in collections.Counter(groups).values())


class Agreement:
    """The number of pairs of findings that are equal by the answers, by the labels, and by both; summed over paths."""

    def __init__(self, both=0, said=0, meant=0):
        self.both, self.said, self.meant = both, said, meant

    @classmethod
    def of(cls, answers, labels, wanted=None):
        """Counts all pairs, or only those with a wanted finding."""
        answers, labels = list(answers), list(labels)
        total = cls(pairs(zip(answers, labels)), pairs(answers), pairs(labels))
        if wanted is None:
            return total
        others = [index for index, one in enumerate(wanted) if not one]
        rest = cls.of([answers[i] for i in others], [labels[i] for i in others])
        return cls(total.both - rest.both, total.said - rest.said, total.meant - rest.meant)

    def __add__(self, other):
        return Agreement(self.both + other.both, self.said + other.said, self.meant + other.meant)

    def __str__(self):
        precision = 100 * self.both / self.said if self.said else 100
        recall = 100 * self.both / self.meant if self.meant else 100
        return f"{precision:7.1f} % {recall:6.1f} %"


class Score:
    """The figures for some findings: of a path, of a kind of defect, or of all."""

    def __init__(self):
        self.findings = self.causes = self.unexplained = 0
        self.defects = set()
        self.agreement, self.by_fault = Agreement(), Agreement()

    def add(self, rows, wanted):
        """Adds the wanted findings of one path. A row has the defect, its kind, the cause or None, and the fault."""
        chosen = [wanted(row) for row in rows]
        own = [row for row, one in zip(rows, chosen) if one]
        self.findings += len(own)
        self.defects |= {row["defect"] for row in own}
        self.causes += len({row["cause"] for row in own} - {None})
        self.unexplained += sum(row["cause"] is None for row in own)
        labels = [row["defect"] for row in rows]
        self.agreement += Agreement.of([row["cause"] if row["cause"] is not None else row["fault"] for row in rows], labels, chosen)
        self.by_fault += Agreement.of([row["fault"] for row in rows], labels, chosen)

    def line(self, name):
        share = 100 * self.unexplained / self.findings if self.findings else 0
        return (f"{name:<16}{self.findings:>9}{len(self.defects):>9}{self.causes:>8}{share:>12.1f} %{self.agreement}   {self.by_fault}")


HEAD = (f"{'':<16}{'findings':>9}{'defects':>9}{'causes':>8}{'unexplained':>14}{'precision':>9}{'recall':>9}   by fault alone\n")


def report(found, out=print):
    """Prints the report. `found` has the rows of each path, by name."""
    out(HEAD, end="")
    for kind in triage_defects.KINDS:
        score = Score()
        for rows in found.values():
            score.add(rows, lambda row: row["kind"] == kind)
        out(score.line(kind))
    total = Score()
    for name, rows in found.items():
        score = Score()
        score.add(rows, lambda row: True)
        total.add(rows, lambda row: True)
        out(score.line(name))
    out(total.line("all"))


def confusion(name, rows, words, out=print):
    """Prints the causes to which the findings of each defect were assigned."""
    answers = collections.Counter(row["cause"] if row["cause"] is not None else "none: " + row["fault"] for row in rows)
    order = [answer for answer, _ in answers.most_common()]
    out(f"\n{name}")
    for number, answer in enumerate(order):
        out(f"  {number:>3}  {answers[answer]:>4}  {words.get(answer, answer)}")
    counts = collections.Counter((row["defect"], row["cause"] if row["cause"] is not None else "none: " + row["fault"]) for row in rows)
    for defect in sorted({row["defect"] for row in rows}):
        told = ", ".join(f"{counts[defect, answer]} in {number}" for number, answer in enumerate(order) if counts[defect, answer])
        out(f"  {defect.split('/', 1)[1]}: {told}")


# ---- the findings, and what triage says of them ----

def ask(arguments, lines):
    """Runs the program of the copy. Returns its answers."""
    ended = subprocess.run([str(folder_of(PRESET) / SCORER), *map(str, arguments)], input="\n".join(lines) + "\n", cwd=COPY,
                           capture_output=True, text=True, errors="replace")
    if ended.returncode:
        raise CannotMutate(f"{SCORER} {arguments[0]} ended with {ended.returncode}: {ended.stderr[-500:]}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def collect(defects, pool, folder, options):
    """Returns the findings of each defect by its id: the saved ones, or new ones."""
    kept = folder / "findings.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    new = [one for one in defects if one.id not in known]
    lines = [f"{one.number} {one.path}" for one in new]
    chunks = [lines[i:i + CHUNK] for i in range(0, len(lines), CHUNK)]
    known |= {one.id: [] for one in new}
    by_number = {one.number: one.id for one in new}
    arguments = ["collect", folder, options.runs, options.minimize, options.most]
    for rows in pool.map(lambda chunk: ask(arguments, chunk), chunks):
        for row in rows:
            known[by_number[row["mutant"]]].append(row)
    kept.write_text(json.dumps(known))
    def drawn(rows):
        names = {row["file"]: pathlib.Path(row["file"]).name for row in rows if "file" in row}
        return sorted((row for row in rows if "file" in row), key=lambda row: triage_defects.hashed(names[row["file"]]))[:options.most]
    return {one.id: drawn(known[one.id]) for one in defects}


def triage(defects, findings, options):
    """Triages all findings of a path at once. Returns a row for each, and the descriptions of the causes."""
    asked = [(one, row) for one in defects for row in findings[one.id]]
    rows = {row["file"]: {"defect": one.id, "kind": one.kind, "cause": None, "fault": row["first"]} for one, row in asked}
    words = {}
    for answer in ask(["triage", options.search, "alone" if options.alone else "good"], [f"{one.number} {row['file']}" for one, row in asked]) if asked else ():
        for file in answer["files"]:
            if "cause" in answer:
                rows[file]["cause"] = answer["cause"]
                words[answer["cause"]] = answer["words"]
            elif "unexplained" in answer:
                rows[file]["fault"] = answer["unexplained"]
    return list(rows.values()), words


def build_switches(every):
    """Builds the copy with a switch for each defect. Returns the defects that compile."""
    copy_tree(triage_defects.paths_of(every))
    try:
        build(SCORER, preset=PRESET)
        return every
    except CannotMutate as failed:
        broken = triage_defects.broken_by(str(failed), every)
        if not broken:
            raise
    print(f"not built: {', '.join(one.id for one in broken)}")
    return build_switches([one for one in every if one not in broken])


def run(options):
    every = triage_defects.read(options.set, options.seed)
    if unknown := set(options.paths) - {one.path for one in every}:
        raise CannotMutate(f"the set has no defect of {', '.join(sorted(unknown))}")
    every = build_switches(every)
    chosen = [one for one in every if options.half in (one.half, "all") and (not options.paths or one.path in options.paths)]
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = (options.keep or pathlib.Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        findings = collect(chosen, pool, folder, options)
        paths = sorted({one.path for one in chosen})
        of_path = {path: [one for one in chosen if one.path == path] for path in paths}
        sorted_ = dict(zip(paths, pool.map(lambda path: triage(of_path[path], findings, options), paths)))
    print(f"{len(chosen)} defects of {options.set.name}, half {options.half} of seed {options.seed}")
    report({path: rows for path, (rows, _) in sorted_.items()})
    never = [one.id for one in chosen if not findings[one.id]]
    print(f"never found: {len(never)}{': ' if never else ''}{', '.join(never)}")
    if options.confusion:
        for path, (rows, words) in sorted_.items():
            confusion(path, rows, words)


# ---- the self-test ----

def self_test():
    rows = [dict(zip(("defect", "kind", "cause", "fault"), row)) for row in (
        ("a", "wrong stream", 1, "x"), ("a", "wrong stream", 1, "y"), ("a", "wrong stream", 2, "x"),
        ("b", "stale key", 1, "x"), ("c", "stale key", None, "x"))]
    told = []
    report({"path": rows}, out=lambda text, end="": told.append(" ".join(text.split())))
    wanted = [line for line in told if line.startswith(("wrong stream", "stale key", "all"))]
    right = ["wrong stream 3 1 2 0.0 % 33.3 % 33.3 % 20.0 % 33.3 %", "stale key 2 2 1 50.0 % 0.0 % 100.0 % 0.0 % 100.0 %",
             "all 5 3 2 20.0 % 33.3 % 33.3 % 16.7 % 33.3 %"]
    for line, expected in itertools.zip_longest(wanted, right):
        if line != expected:
            print(f"triage_score: '{line}' is not '{expected}'")
    return 0 if wanted == right and triage_defects.self_test() else 1


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--set", type=pathlib.Path, default=ROOT / "scripts/mutation/triage_defects.toml")
    parser.add_argument("--half", choices=("look", "held", "all"), default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--minimize", type=int, default=300)
    parser.add_argument("--most", type=int, default=16)
    parser.add_argument("--search", type=int, default=240)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--confusion", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    try:
        return self_test() if options.self_test else run(options)
    except CannotMutate as reason:
        print(f"triage_score: {reason}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
