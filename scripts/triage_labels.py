"""The findings of mutants and of pairs of them, the guard that each is of, and what one triage makes of all.

The label of a finding is the guard whose return makes it vanish: the mutant that is off, or the one of a pair without
which its run, minimized, no longer shows it. Where that is both, or neither, it has none and does not count.

A *guard* is a mutant that costs lifetimes and nothing else: in all that its search finds, a use of the dead, a leak, a
stale generation or a data race is what goes wrong first. A line that guards several things, or that lets one die early
and another leak, is as many guards as repairs would have to be: a *thing* is a guard, whether something ends too early,
twice (or in another's name) or too late, and the kind of what goes wrong first.
"""
import argparse
import collections
import hashlib
import itertools
import json
import re
import subprocess

from mutation_asking import sound_variants
from mutation_copy import COPY, PROGRAM, SCORER, CannotMutate

CHUNK = 8
EARLY = {"use_after_death", "recycled_use", "order"}
TWICE = {"double_free", "wrong_owner"}
LIFETIMES = EARLY | TWICE | {"retention", "ghost_generation", "data_race"}


def hashed(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def ask(arguments, lines):
    """Runs the program of the copy. Returns its answers."""
    ended = subprocess.run([str(PROGRAM.parent / SCORER), *map(str, arguments)], input="\n".join(lines) + "\n", cwd=COPY,
                           capture_output=True, text=True, errors="replace")
    if ended.returncode:
        raise CannotMutate(f"{SCORER} {arguments[0]} ended with {ended.returncode}: {ended.stderr[-500:]}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def what_of(signature):
    """The kind of a fault and of what it is about, of its signature."""
    kind, _, about = re.split(r" (?:born|died|used):", signature, maxsplit=1)[0].partition(" ")
    return kind, about


def is_of_lifetimes(row):
    return what_of(row["first"])[0] in LIFETIMES


def guard_of(row):
    """The one mutant that the finding needs; none where that is no single one."""
    return str(row["needed"][0]) if len(row["needed"]) == 1 else None


def thing_of(row):
    kind, about = what_of(row["first"])
    when = "early" if kind in EARLY else "twice" if kind in TWICE else kind
    return "/".join((guard_of(row), when, about.replace(" ", "_")))


class Labels:
    """The findings of one path's mutants, and what triage says of them."""

    def __init__(self, path, options):
        self.name = path.name
        known = path.equivalents() | path.unreached()
        self.mutants = {str(point.number): point for point in path.mutants
                        if point.id not in known and self.wanted(point.id, options)}
        self.findings, self.ended = [], []

    @staticmethod
    def wanted(name, options):
        half = "tune" if hashed(name) % 2 else "held"
        return options.set in (half, "all") and hashed("share " + name) % options.share == 0

    # ---- findings ----

    def collect(self, pool, folder, options):
        self.take_in(self.mutants, pool, folder, options)
        self.take_in(self.pairs(), pool, folder, options)

    def pairs(self):
        """Each guard with the next one, in an order by hash: each is in two pairs."""
        order = sorted(self.guards(), key=lambda number: hashed("pair " + self.mutants[number].id))
        return ["+".join(pair) for pair in zip(order, order[1:] + order[:1])] if len(order) > 2 else []

    def take_in(self, mutants, pool, folder, options):
        targets = sound_variants(argparse.Namespace(name=self.name))
        lines = [f"{mutant} {target}" for mutant in mutants for target in targets]
        chunks = [lines[i:i + CHUNK] for i in range(0, len(lines), CHUNK)]
        for rows in pool.map(lambda chunk: ask(["collect", folder, options.runs, options.minimize], chunk), chunks):
            for row in rows:
                (self.ended if "ended" in row else self.findings).append(row)

    def guards(self):
        """The mutants that cost lifetimes and nothing else."""
        kinds = collections.defaultdict(set)
        for row in self.findings:
            if "+" not in row["mutant"]:
                kinds[row["mutant"]].add(is_of_lifetimes(row))
        return {mutant for mutant, found in kinds.items() if found == {True}}

    def labelled(self):
        return [row for row in self.findings if guard_of(row)]

    def of_guards(self):
        """The findings of guards and of their pairs."""
        guards = self.guards()
        return [row for row in self.labelled() if set(row["mutant"].split("+")) <= guards]

    # ---- answers ----

    def triage(self, options):
        """Sorts the findings, and merges labels: `merged` has what each becomes, by what labels are of."""
        self.causes, self.cause_of, self.sort_of, self.removed_by = {}, {}, {}, {}
        lines = [f"{row['mutant']} {thing_of(row)} {row['file']}" for row in self.labelled()]
        for row in ask(["triage", options.search, options.tried], lines) if lines else ():
            if "tried" in row:
                self.removed_by[row["tried"]] = set(row["removed_by"])
            elif "cause" in row:
                self.causes[row["cause"]] = row
                self.cause_of |= {file: row["cause"] for file in row["files"]}
            elif "unexplained" in row:
                self.sort_of |= {file: row["unexplained"] for file in row["files"]}
        self.merged = {label_of: self.merge(label_of) for label_of in (guard_of, thing_of)}

    def answer(self, row):
        """The number of its cause, or the sort of what has none, or the file that showed no fault."""
        file = row["file"]
        return self.cause_of.get(file, self.sort_of.get(file, file))

    def merge(self, label_of):
        """Labels that are repaired alike are one: the repairs of either's findings remove the other's, all that were
        tried. What no repair removes says nothing. Returns what each label becomes."""
        repairs, findings = collections.defaultdict(set), collections.defaultdict(list)
        for row in self.labelled():
            label, file = label_of(row), row["file"]
            if file in self.cause_of:
                repairs[label].add(self.cause_of[file])
            if self.removed_by.get(file):
                findings[label].append(self.removed_by[file])
        def covers(one, other):
            return all(removed & repairs[one] for removed in findings[other])
        merged = {label: label for label in map(label_of, self.labelled())}
        for one, other in itertools.combinations(sorted(label for label in findings if repairs[label]), 2):
            if covers(one, other) and covers(other, one):
                names = {merged[one], merged[other]}
                merged = {label: min(names) if name in names else name for label, name in merged.items()}
        return merged
