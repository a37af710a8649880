#!/usr/bin/env python3
"""Scores `afterlife triage` against labels that it does not see: the guards of the sound policies.

Usage: scripts/triage_score.py [PATH...] [--set tune|held|all] [--share N] [--runs N] [--show]

In the copy of the tree that scripts/mutate_policies.py makes, every guard of the policies is a switch. Each mutant
is searched by itself; each finding, minimized, has as its label the guard that is off. Then one triage sorts the findings of all mutants of a path together, with the mutant of each
active in its runs, and sees neither mutant nor signature nor window. Labels that are repaired alike (the repairs of
either's findings remove the plainest findings of the other, all that any repair removes) count as one; --show lists
them.

Per path, and again for the findings that are about lifetimes (a use of the dead, a leak, a stale generation, a data
race), without those that only show that a mutant does something else (a wrong value, a refusal, a crash) or follow
from that: findings, labels, labels after merging, causes, how much is unexplained and into how many sorts it falls,
causes per label, precision and recall over pairs of findings; `plain` is the same with no label merged. Beside it: one
cause for all, one for each finding, and the window and kind that the search told. Unexplained findings are sorted by
what goes wrong first.

  --set    the mutants triage was tuned on, those it was not (by a hash of their name), or all
  --share  only each Nth mutant, by another hash
  --runs   of each mutant's search (1000); --minimize and --search are runs, too: per finding, and per repair

Exit: 0 scored, 2 the copy does not build, 3 usage.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from mutation_asking import sound_variants
from mutation_copy import BUILD, COPY, PROGRAM, SCORER, CannotMutate, all_paths, build, copy_tree, read_paths

CHUNK = 8
LIFETIMES = {"use_after_death", "recycled_use", "double_free", "wrong_owner", "retention", "ghost_generation", "order"}


def hashed(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def ask(arguments, lines):
    """Runs the program of the copy. Returns its answers."""
    ended = subprocess.run([str(PROGRAM.parent / SCORER), *map(str, arguments)], input="\n".join(lines) + "\n", cwd=COPY,
                           capture_output=True, text=True, errors="replace")
    if ended.returncode:
        raise CannotMutate(f"{SCORER} {arguments[0]} ended with {ended.returncode}: {ended.stderr[-500:]}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


class Labels:
    """The findings of one path's mutants, and the guard that each is of."""

    def __init__(self, path, options):
        self.name = path.name
        known = path.equivalents() | path.unreached()
        self.guards = {point.number: point for point in path.mutants
                       if point.id not in known and self.wanted(point.id, options)}
        self.findings, self.ended = [], []

    @staticmethod
    def wanted(name, options):
        half = "tune" if hashed(name) % 2 else "held"
        return options.set in (half, "all") and hashed("share " + name) % options.share == 0

    def collect(self, pool, folder, options):
        targets = sound_variants(argparse.Namespace(name=self.name))
        lines = [f"{number} {target}" for number in self.guards for target in targets]
        chunks = [lines[i:i + CHUNK] for i in range(0, len(lines), CHUNK)]
        for rows in pool.map(lambda chunk: ask(["collect", folder, options.runs, options.minimize], chunk), chunks):
            for row in rows:
                (self.ended if "ended" in row else self.findings).append(row)
        for row in self.findings:
            row["label"] = str(row["mutant"])

    def of_lifetimes(self):
        """Those that are about something that died too early, or did not, and follow from nothing else."""
        return [row for row in self.findings if row["signature"].split()[0] in LIFETIMES
                and self.first_of.get(row["file"], row["signature"]).split()[0] in LIFETIMES]

    def triage(self, options):
        if not self.findings:
            return
        lines = [f"{row['mutant']} {row['label']} {row['file']}" for row in self.findings]
        self.causes, self.cause_of, self.first_of, tried = {}, {}, {}, {}
        for row in ask(["triage", options.search, options.tried], lines):
            if "tried" in row:
                tried[row["tried"]] = set(row["removed_by"])
            elif "cause" in row:
                self.causes[row["cause"]] = row
                self.cause_of |= {file: row["cause"] for file in row["files"]}
            elif "unexplained" in row:
                self.first_of |= {file: row["unexplained"] for file in row["files"]}
        self.merge(tried)

    def merge(self, tried):
        """Labels that are repaired alike are one: the repairs of either's findings remove the other's, all that were
        tried. What no repair removes says nothing."""
        repairs, findings = collections.defaultdict(set), collections.defaultdict(list)
        for row in self.findings:
            if row["file"] in self.cause_of:
                repairs[row["label"]].add(self.cause_of[row["file"]])
            if tried.get(row["file"]):
                findings[row["label"]].append(tried[row["file"]])
        def covers(one, other):
            return all(removed & repairs[one] for removed in findings[other])
        self.merged = {row["label"]: row["label"] for row in self.findings}
        labels = sorted(label for label in findings if repairs[label])
        for one, other in itertools.combinations(labels, 2):
            if covers(one, other) and covers(other, one):
                names = {self.merged[one], self.merged[other]}
                self.merged = {label: min(names) if name in names else name for label, name in self.merged.items()}


# ---- the score ----

def pairs(groups):
    return sum(n * (n - 1) // 2 for n in collections.Counter(groups).values())


def score(answers, labels):
    """Precision and recall over pairs."""
    both, said, meant = pairs(zip(answers, labels)), pairs(answers), pairs(labels)
    return both / said if said else 1.0, both / meant if meant else 1.0


class Score:
    """The figures of one path, over some of its findings."""

    def __init__(self, found, rows):
        self.answers = [found.cause_of.get(row["file"], found.first_of.get(row["file"], row["file"])) for row in rows]
        self.windows = [row["window"] for row in rows]
        self.plain = [row["label"] for row in rows]
        self.merged = [found.merged[row["label"]] for row in rows]
        self.unexplained = sum(isinstance(answer, str) for answer in self.answers)
        named = collections.defaultdict(set)
        for answer, label in zip(self.answers, self.merged):
            named[label].add(answer)
        self.sorts = len({answer for answer in self.answers if isinstance(answer, str)})
        self.causes = len(set(self.answers)) - self.sorts
        self.per_label = sum(map(len, named.values())) / len(named) if named else 0

    def lines(self, name):
        """A line of counts, and one for each way to answer."""
        count = len(self.answers)
        yield (f"{name:<15}{count:>9}{len(set(self.plain)):>8}{len(set(self.merged)):>8}{self.causes:>8}"
               f"{100 * self.unexplained / count:>12.1f} %{self.sorts:>7}{self.per_label:>8.2f}")
        rows = {"triage": (self.answers, self.merged), "  plain labels": (self.answers, self.plain),
                "  one for all": ([0] * count, self.merged), "  one for each": (range(count), self.merged),
                "  the window": (self.windows, self.merged)}
        for what, (answers, labels) in rows.items():
            precision, recall = score(list(answers), labels)
            yield f"  {what:<18} precision {100 * precision:5.1f} %  recall {100 * recall:5.1f} %"
        explained = [i for i, answer in enumerate(self.answers) if not isinstance(answer, str)]
        precision, recall = score([self.answers[i] for i in explained], [self.merged[i] for i in explained])
        yield f"    {'explained alone':<16} precision {100 * precision:5.1f} %  recall {100 * recall:5.1f} %"


def show(found):
    """What a person needs who wants to know why."""
    groups = collections.defaultdict(list)
    for label, first in found.merged.items():
        groups[first].append(label)
    for labels in groups.values():
        if len(labels) > 1:
            print("  one label:", *(f"\n    {found.guards[int(label)].id}" for label in sorted(labels, key=int)))
    rows = {row["file"]: row for row in found.findings}
    for cause in found.causes.values():
        labels = collections.Counter(found.merged[rows[file]["label"]] for file in cause["files"])
        named = [f"{what} {name}" for what, name in zip(("got", "let go", "used"), cause["named"]) if name]
        print(f"  cause {cause['cause']}: {('hold', 'release', 'spare', 'order')[cause['kind']]} {cause['of']} {' '.join(named)}: "
              f"{len(cause['files'])} of {dict(labels)}")
    sorts = collections.defaultdict(collections.Counter)
    for file, what in found.first_of.items():
        sorts[what][found.merged[rows[file]["label"]]] += 1
    for what, labels in sorts.items():
        print(f"  unexplained: {what}: {sum(labels.values())} of {dict(labels)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--set", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--share", type=int, default=1, metavar="N")
    parser.add_argument("--runs", type=int, default=1000, metavar="N")
    parser.add_argument("--minimize", type=int, default=500, metavar="N")
    parser.add_argument("--search", type=int, default=600, metavar="N")
    parser.add_argument("--tried", type=int, default=6, metavar="N", help="findings of a label that a repair is tried on")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="where the findings stay, for another triage")
    parser.add_argument("--show", action="store_true", help="causes, merged labels and what is unexplained")
    try:
        options = parser.parse_args()
        if unknown := set(options.paths) - set(all_paths()):
            parser.error(f"no path {', '.join(sorted(unknown))} has a policies.py")
    except SystemExit as ended:
        return 3 if ended.code else 0
    try:
        run(options)
    except CannotMutate as reason:
        print(f"triage_score: {reason}", file=sys.stderr)
        return 2
    return 0


def findings(paths, pool, folder, options):
    """Collects them, or takes those that are kept."""
    kept = folder / "findings.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    for path in paths:
        found = Labels(path, options)
        if path.name in known:
            found.findings, found.ended = known[path.name]
        else:
            found.collect(pool, folder, options)
            known[path.name] = found.findings, found.ended
            kept.write_text(json.dumps(known))
        yield found


def run(options):
    wanted, paths = read_paths(options.paths)
    copy_tree(paths)
    build("afterlife", SCORER)
    print(f"{'path':<15}{'findings':>9}{'labels':>8}{'merged':>8}{'causes':>8}{'unexplained':>14}{'sorts':>7}{'/label':>8}")
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = (options.keep or pathlib.Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        every = list(findings(wanted, pool, folder, options))
        for found, _ in zip(every, pool.map(lambda one: one.triage(options), every)):
            if not found.findings:
                continue
            for name, rows in ((found.name, found.findings), ("  of lifetimes", found.of_lifetimes())):
                for line in Score(found, rows).lines(name) if rows else ():
                    print(line, flush=True)
            print(f"  {len({row['mutant'] for row in found.ended})} mutants crashed or hung: not counted", flush=True)
            if options.show:
                show(found)


if __name__ == "__main__":
    sys.exit(main())
