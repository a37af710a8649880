#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutates what the sound claims rest on, and expects each mutant to be refuted.

Usage: scripts/mutation/mutate_policies.py [PATH...] [--runs N | --seconds N] [--only TEXT] [--survivors DIR]
       scripts/mutation/mutate_policies.py --check [--few N] | --self-test | --list [PATH...]

Each path declares in scenarios/<path>/policies.py which functions of targets/<path>/ its sound variants rest
on. In a copy of the tree every guard, call, assignment, lock, wait and order in them becomes a switch
(mutation_points.py says which kinds there are); the copy is built once. Then `afterlife fuzz --first` runs
each sound variant of the path with one mutant active, in as many runs as a quiet core does in --seconds (20),
first in few of them, and those that are left in more. `afterlife prove` has the last word. A mutant that a
variant's search never reaches, or never turns, is not run: nothing that is run could differ.

scenarios/<path>/equivalent_mutants.txt lists the mutants that are equivalent, and why; every other survivor is
a miss. The score is what is refuted of all that are not equivalent.

  --check       every entry that is listed still fits a mutant, and is not refuted in 1 % of the runs; the planted
                mutant of each path is, in 3 %, and what becomes of --few others is told
  --self-test   the mutation points of a small source, and whether every entry that is listed fits a mutant, without building
  --list        the mutants, without building
  --survivors   where a file per path goes with all survivors and what is known of each
  --fresh       forget the answers of earlier runs. They are kept in build/mutation, as long as the sources are the
                same: a search that was stopped goes on where it was.

Prints a line per survivor and a score per path. Exit: 0 every score is at least 95 %, 1 one is not or an entry is
stale, 2 a copy does not build, 3 usage.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from mutation import mutation_points  # noqa: E402
from mutation import mutation_self_test  # noqa: E402
from mutation.mutation_asking import CALIBRATION_RUNS, Answers, Baseline, fuzz, prove, sound_variants, stopped  # noqa: E402
from mutation.mutation_copy import NO_MUTANT, CannotMutate, all_paths, build, copy_tree, read_paths  # noqa: E402

BAR = 0.95
SHARES = (0.003, 0.03, 0.2, 1)  # Fractions of all runs, tried in turn, since most mutants need few runs.
CHECK_SHARE = 0.01
NEVER = "never reached"


class Search:
    """The mutants of one path, and the results found for them."""

    def __init__(self, path, baselines, answers, options):
        self.path, self.baselines, self.answers, self.options = path, baselines, answers, options
        self.numbers = {point.id: point.number for point in path.mutants}
        self.refuted, self.survived = {}, {}  # Mutant names with a note each.

    def run(self, names, shares, proves):
        left = list(names)
        for share in shares:
            for baseline in self.baselines:
                baseline.turns(0, max(1, int(baseline.runs * share)))  # Done outside of the pool: one thread measures while the others would just wait.
            left = self.round(left, lambda name: self.search(name, share), f"{share:g} of the runs")
        if proves and left:
            for baseline in self.baselines:
                baseline.prove()
            left = self.round(left, self.prove, "proofs")
        for name in left:
            self.survived.setdefault(name, "held")

    def round(self, names, question, what):
        left, done = [], 0
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for name, note in zip(names, pool.map(question, names)):
                done += 1
                if note is not None:
                    self.refuted[name] = note
                else:
                    left.append(name)
                if sys.stderr.isatty():
                    print(f"\r  {self.path.name}: {what}: {done} of {len(names)}, {len(left)} left ", end="",
                          file=sys.stderr)
                if stopped.is_set():
                    raise KeyboardInterrupt
        print(f"  {self.path.name}: {what}: {len(names) - len(left)} of {len(names)} refuted", flush=True)
        return left

    def search(self, name, share):
        """Returns how the mutant was refuted, or None."""
        for baseline in self.baselines:
            if stopped.is_set():
                return None
            runs = max(1, int(baseline.runs * share))
            if not baseline.turns(self.numbers[name], runs):
                self.survived.setdefault(name, NEVER)
                continue
            word, note = self.answers.ask(name, baseline.variant, share, lambda: fuzz(
                baseline.variant, runs, baseline.limit_seconds(runs), mutant=self.numbers[name]))
            if word == "refuted":
                return note
            self.survived[name] = word if word == "held" else f"{word} ({baseline.variant}) {note}".strip()
        return None

    def prove(self, name):
        for baseline in self.baselines:
            if stopped.is_set() or not baseline.turned_by_proof[self.numbers[name]]:
                continue
            def question(baseline=baseline):
                code, line = prove(baseline.variant, mutant=self.numbers[name])
                if stopped.is_set():
                    return "stopped", ""
                return ("refuted", line) if code == 1 and baseline.proof[0] == 0 else ("held", "")
            word, note = self.answers.ask(name, baseline.variant, "prove", question)
            if word == "refuted":
                return f"prove {baseline.variant}: {note}"
        return None


# ---- the score ----

def excused(path, search):
    """Returns the survivors that do not count as misses, with the reasons. One that is listed as never reached must not have been reached."""
    reasons = {name: why for name, why in path.unreached().items() if search.survived.get(name) == NEVER}
    return reasons | path.equivalents()


def stale_entries(path):
    """Yields the complaints about the list itself, one per entry."""
    names = {point.id for point in path.mutants}
    for entry, reason in path.listed():
        if not reason:
            yield f"is listed without a reason: {entry[0]}"
        for name in entry:
            if name.endswith("*") and not any(one.startswith(name[:-1]) for one in names):
                yield f"is listed, and no mutant begins so: {name}"
            elif not name.endswith("*") and name not in names:
                yield f"is listed and no longer there: {name}"


def wrong_entries(path, search):
    """Yields the same complaints, and those about listed mutants that were refuted."""
    yield from stale_entries(path)
    for name in path.equivalents():
        if name in search.refuted:
            yield f"is listed as equivalent and was refuted: {name} [{search.refuted[name]}]"


def judge(path, search, tested, bar):
    """Prints the misses and the score of one path. Returns whether the bar is reached and the list is correct."""
    reasons = excused(path, search)
    by_name = {point.id: point for point in path.mutants}
    left = [name for name in tested if name not in search.refuted]
    misses = [name for name in left if name not in reasons]
    equivalent = len(left) - len(misses)
    counted = len(tested) - equivalent
    for name in misses:
        point = by_name[name]
        print(f"  miss: targets/{path.name}/{point.file}:{point.line}: {name} [{search.survived[name]}]")
    wrong = list(wrong_entries(path, search))
    for line in wrong:
        print(f"  {line}")
    score = 1 - len(misses) / counted if counted else 0
    print(f"{path.name}: {len(tested)} mutants, {counted - len(misses)} of {counted} refuted: {100 * score:.1f} %; "
          f"{len(misses)} missed, {equivalent} equivalent, {len(wrong)} wrong entries", flush=True)
    return score >= bar and not wrong


def write_survivors(folder, path, search):
    """Writes a list of the survivors, as a help for closing the gaps in the tests."""
    folder.mkdir(parents=True, exist_ok=True)
    reasons = excused(path, search)
    lines = [f"{'equivalent' if point.id in reasons else 'MISS'} | targets/{path.name}/{point.file}:{point.line} | "
             f"{point.function} | {point.kind}: `{point.what}` {point.now} | {search.survived[point.id]} | {point.id}"
             for point in path.mutants if point.id in search.survived and point.id not in search.refuted]
    (folder / f"{path.name}.txt").write_text("\n".join(lines) + "\n")


def chosen(path, options):
    """Returns the mutants to run: in the short form the listed mutants, the planted one, and a few more."""
    names = [point.id for point in path.mutants if not options.only or options.only in point.id]
    if not options.check:
        return names
    listed = path.equivalents()
    by_hash = sorted((n for n in names if n not in listed), key=lambda n: hashlib.sha256(n.encode()).hexdigest())
    return [n for n in names if n in listed or n == path.declared.PLANTED] + \
           [n for n in by_hash if n != path.declared.PLANTED][:options.few]


def mutate(path, options, answers):
    """Returns whether the path's score and its list are as required."""
    baselines = [Baseline(variant, options) for variant in sound_variants(path)]
    if not baselines:
        raise CannotMutate(f"{path.name} claims nothing sound")
    print(f"{path.name}: {len(path.mutants)} mutants; " +
          ", ".join(f"{b.variant} {b.runs} runs ({b.rate:.0f}/s)" for b in baselines), flush=True)
    search = Search(path, baselines, answers, options)
    tested = chosen(path, options)
    if path.declared.PLANTED not in search.numbers:
        raise CannotMutate(f"{path.name} has no mutant {path.declared.PLANTED}")
    listed = path.equivalents()
    if options.check:
        search.run([n for n in tested if n in listed], (CHECK_SHARE,), False)
        search.run([n for n in tested if n not in listed], SHARES[:2], False)
    else:
        search.run([n for n in tested if n in listed], SHARES[:options.rounds][:2], False)
        search.run([n for n in tested if n not in listed], SHARES[:options.rounds], options.rounds == len(SHARES))
    if options.survivors:
        write_survivors(options.survivors, path, search)
    well = judge(path, search, tested, 0 if options.check else BAR)  # A small sample says nothing about the score.
    if path.declared.PLANTED in tested and path.declared.PLANTED not in search.refuted:
        print(f"  the planted mutant was not refuted: {path.declared.PLANTED}")
        return False
    return well


def inactive_survives(paths):
    """Checks that a mutant number that no point has changes nothing; if it does, the copy itself is broken."""
    for path in paths:
        for variant in sound_variants(path):
            word, note = fuzz(variant, CALIBRATION_RUNS, 600, mutant=NO_MUTANT)
            if word != "held":
                raise CannotMutate(f"{variant} in the copy, without a mutant: {word} {note}")


def stop(*_):
    stopped.set()
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--runs", type=int, metavar="N", help="of each variant, instead of --seconds")
    parser.add_argument("--seconds", type=float, default=20, metavar="N", help="of one quiet core, per variant (20)")
    parser.add_argument("--rounds", type=int, default=len(SHARES), metavar="N", choices=range(1, len(SHARES) + 1),
                        help="only the first N rounds: 0.3 %%, 3 %%, 20 %%, all of the runs; then the proofs")
    parser.add_argument("--only", metavar="TEXT", help="mutants whose name contains this")
    parser.add_argument("--check", action="store_true", help="the short form")
    parser.add_argument("--few", type=int, default=5, metavar="N", help="with --check, of each path")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--survivors", type=pathlib.Path, metavar="DIR")
    try:
        options = parser.parse_args()
        if unknown := set(options.paths) - set(all_paths()):
            parser.error(f"no path {', '.join(sorted(unknown))} has a policies.py")
    except SystemExit as ended:
        return 3 if ended.code else 0
    try:
        return self_test() if options.self_test else run(options)
    except CannotMutate as reason:
        print(f"mutate_policies: {reason}", file=sys.stderr)
        return 2
    except mutation_points.CannotRead as reason:
        print(f"mutate_policies: {reason}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 4


def self_test():
    """Checks the mutation points of a small source, and that every entry of the lists still matches a mutant."""
    stale = [f"{path.name}: {line}" for path in read_paths([])[0] for line in stale_entries(path)]
    for line in stale:
        print(f"mutation points: {line}")
    return mutation_self_test.run() or (1 if stale else 0)


def run(options):
    wanted, paths = read_paths(options.paths)
    if options.list:
        for path in wanted:
            for point in path.mutants:
                print(f"targets/{path.name}/{point.file}:{point.line}: {point.id}")
        return 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    tree = copy_tree(paths)
    build()
    inactive_survives(wanted)
    answers = Answers(tree + str(options.runs or options.seconds), options.fresh)
    return 0 if all([mutate(path, options, answers) for path in wanted]) else 1


if __name__ == "__main__":
    sys.exit(main())
