#!/usr/bin/env python3
"""Scores `afterlife triage` against labels that it does not see: the guards of the sound policies.

Usage: scripts/triage_score.py [PATH...] [--set tune|held|all] [--share N] [--runs N] [--show]

In the copy of the tree that scripts/mutate_policies.py makes, every line of the policies is a switch. Each mutant
is searched by itself, and guards in pairs; each finding, minimized, has as its label the mutant whose return makes it
vanish (scripts/triage_labels.py says which count as guards, and when a guard counts as several). Then one triage sorts the findings of a path together, each run with its
mutants on, and sees neither mutant nor signature nor window. Labels that are repaired alike (the repairs of
either's findings remove the plainest findings of the other, all that any repair removes) count as one; --show lists
them.

Per path and of all together, for all mutants and again for the guards of lifetimes: findings, labels, labels after merging, causes,
how much is unexplained and into how many sorts it falls, and causes per label; then precision and recall over pairs of
findings, once with the mutant as label and once with the thing that it guards. `plain` is the same with no label merged.
Beside it: one cause for all, one for each finding, and the window and kind that the search told. Unexplained findings
are sorted by what goes wrong first.

  --set    the mutants triage was tuned on, those it was not (by a hash of their name), or all
  --share  only each Nth mutant, by another hash
  --runs   of each mutant's search (1000); --minimize and --search are runs, too: per finding, and per repair
  --tried  findings of a label that a repair is tried on, the plainest (6)
  --jobs   searches and triages at a time (as many as there are cores)
  --keep   a folder where the findings stay, so that another triage is scored on the same ones
  --show   causes, merged labels and what is unexplained

Exit: 0 scored, 2 the copy does not build, 3 usage.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile

from command_line import CommandLine
from mutation_copy import BUILD, SCORER, CannotMutate, all_paths, build, copy_tree, read_paths
from triage_labels import Labels, guard_of, thing_of


def pairs(groups):
    return sum(n * (n - 1) // 2 for n in collections.Counter(groups).values())


class Agreement:
    """Pairs of findings that are one by the answers, by the labels, and by both; of several paths in sum."""

    def __init__(self, answers=(), labels=()):
        answers, labels = list(answers), list(labels)
        self.both, self.said, self.meant = pairs(zip(answers, labels)), pairs(answers), pairs(labels)

    def __add__(self, other):
        total = Agreement()
        for name in ("both", "said", "meant"):
            setattr(total, name, getattr(self, name) + getattr(other, name))
        return total

    def __str__(self):
        precision = 100 * self.both / self.said if self.said else 100
        recall = 100 * self.both / self.meant if self.meant else 100
        return f"{precision:5.1f} % {recall:5.1f} %"


class Score:
    """The figures of some findings of one path, or of all."""

    def __init__(self, name):
        self.name, self.counts, self.agreements = name, collections.Counter(), {}

    @classmethod
    def of(cls, name, found, rows):
        score = cls(name)
        answers = [found.answer(row) for row in rows]
        windows = [row["window"] for row in rows]
        explained = [not isinstance(answer, str) for answer in answers]
        for kind, label_of in (("labels", guard_of), ("things", thing_of)):
            plain = [label_of(row) for row in rows]
            merged = [found.merged[label_of][label] for label in plain]
            score.counts += {kind: len(set(plain)), "merged " + kind: len(set(merged)), "causes of " + kind: len(set(zip(merged, answers)))}
            score.agreements[kind] = {
                "triage": Agreement(answers, merged), "  plain labels": Agreement(answers, plain),
                "  explained alone": Agreement(*zip(*(pair for pair, has in zip(zip(answers, merged), explained) if has)))
                if any(explained) else Agreement(),
                "  one for all": Agreement([0] * len(rows), merged), "  one for each": Agreement(range(len(rows)), merged),
                "  the window": Agreement(windows, merged)}
        sorts = {answer for answer in answers if isinstance(answer, str)}
        score.counts += {"findings": len(rows), "causes": len(set(answers) - sorts), "sorts": len(sorts),
                         "unexplained": len(rows) - sum(explained)}
        return score

    def add(self, other):
        self.counts += other.counts
        for kind, rows in other.agreements.items():
            known = self.agreements.setdefault(kind, {})
            for name, agreement in rows.items():
                known[name] = known.get(name, Agreement()) + agreement

    def lines(self):
        """A line of counts, and one for each way to answer."""
        c = self.counts
        if not c["findings"]:
            return
        yield (f"{self.name:<22}{c['findings']:>9}{c['labels']:>8}{c['merged labels']:>7}{c['things']:>8}{c['merged things']:>7}{c['causes']:>8}"
               f"{100 * c['unexplained'] / c['findings']:>12.1f} %{c['sorts']:>6}{c['causes of labels'] / c['merged labels']:>8.2f}"
               f"{c['causes of things'] / c['merged things']:>8.2f}")
        for what, agreement in self.agreements["labels"].items():
            yield f"  {what:<20}{agreement}   of things{self.agreements['things'][what]}"


HEAD = (f"{'path':<22}{'findings':>9}{'labels':>8}{'merged':>7}{'things':>8}{'merged':>7}{'causes':>8}{'unexplained':>14}{'sorts':>6}"
        f"{'/label':>8}{'/thing':>8}\n  {'':<20}precision recall")


def show(found):
    """What a person needs who wants to know why."""
    for label_of in (guard_of, thing_of):
        groups = collections.defaultdict(list)
        for label, first in found.merged[label_of].items():
            groups[first].append(label)
        for labels in groups.values():
            if len(labels) > 1:
                print("  repaired alike:", *(f"\n    {label} {found.mutants[label.split('/')[0]].id}" for label in sorted(labels)))
    rows, becomes = {row["file"]: row for row in found.labelled()}, found.merged[thing_of]
    def labels_of(files):
        return f"{len(files)} of {dict(collections.Counter(becomes[thing_of(rows[file])] for file in files))}"
    for cause in found.causes.values():
        named = [f"{what} {name}" for what, name in zip(("got", "let go", "used"), cause["named"]) if name]
        print(f"  cause {cause['cause']}: {('hold', 'release', 'spare', 'order')[cause['kind']]} {cause['of']} {' '.join(named)}: "
              f"{labels_of(cause['files'])}")
    for what in sorted(set(found.sort_of.values())):
        print(f"  unexplained: {what}: {labels_of([file for file, sort in found.sort_of.items() if sort == what])}")


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
    print(HEAD)
    totals = Score("all paths"), Score("all paths, guards")
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = (options.keep or pathlib.Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        every = list(findings(wanted, pool, folder, options))
        for found, _ in zip(every, pool.map(lambda one: one.triage(options), every)):
            for total, name, rows in zip(totals, (found.name, found.name + ", guards"), (found.labelled(), found.of_guards())):
                score = Score.of(name, found, rows)
                total.add(score)
                print(*score.lines(), sep="\n", flush=True)
            pair_count = sum("+" in row["mutant"] for row in found.labelled())
            print(f"  {pair_count} findings are of pairs; {len(found.findings) - len(found.labelled())} have no single label; "
                  f"{len({row['mutant'] for row in found.ended})} mutants or pairs crashed or hung: not counted", flush=True)
            if options.show:
                show(found)
    for total in totals:
        print(*total.lines(), sep="\n")


def main():
    parser = CommandLine(__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--set", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--minimize", type=int, default=500)
    parser.add_argument("--search", type=int, default=600)
    parser.add_argument("--tried", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.paths) - set(all_paths()):
        parser.error(f"no path {', '.join(sorted(unknown))} has a policies.py")
    try:
        run(options)
    except CannotMutate as reason:
        print(f"triage_score: {reason}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
