#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants: breaks rules of the simulated driver, one at a time, and expects its tests to go red.

Usage: scripts/mutation/mutants.py [--few N | --all | --only TEXT] [--jobs N] [--build DIR]
       scripts/mutation/mutants.py --check | --list | --self-test

Each rule in scripts/mutation/driver_mutants/rules/ is a name and a change of one place in the sources that breaks it. A copy
of the tree, in DIR/tree (build/mutants), holds all changes as switches and is built once. One run without a mutant
finds which tests reach which place; each mutant is then asked of those tests alone. The tree itself is only read.

Thirty rules are taken, by the hash of their names, so that no one chooses them; --few takes the first N of those.
A mutant counts if at least one test sees it and at most a tenth of the tests do: one that breaks more than that
(coarse) is no test of the tests. scripts/mutation/driver_mutants/unseen.txt lists the rules that no test sees, with the
reason; they are printed. An entry of that list that a test sees, or that is no rule, is an error.

  --check       only whether every change fits its place, and every entry of the list a rule
  --list        the rules, by file
  --self-test   the switches of a small source; every change in sources that are laid out otherwise; a planted
                mutant that no test can see must be reported (takes no build)

Prints one line per mutant. Exit: 0 every mutant went red or is listed, 1 one did not or the list is wrong, 2 a change
does not fit or does not build, 3 usage.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from mutation.driver_mutants import asking, copy, self_test, unseen  # noqa: E402
from mutation.driver_mutants.rules import RULES  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHOSEN = 30


def chosen(options):
    if options.only:
        return [rule for rule in RULES if options.only in rule.name]
    by_hash = sorted(RULES, key=lambda rule: hashlib.sha256(rule.name.encode()).hexdigest())
    return RULES if options.all else by_hash[:options.few]


def ask(options):
    """Returns the exit code."""
    tree = copy.Copy(options.build.resolve(), RULES)
    tree.write()
    tree.build()
    tests = asking.Tests(tree.program, tree.tree)
    if failed := tests.learn():
        print(f"mutants: without a mutant, {len(failed)} tests fail: {' '.join(failed[:5])}")
        return 2
    rules, answers = chosen(options), {}
    print(f"mutants: {len(tests.milliseconds)} tests; {len(rules)} of {len(RULES)} mutants are asked")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        numbers = [rule.number for rule in rules]
        for count, (rule, answer) in enumerate(zip(rules, pool.map(tests.ask, numbers)), 1):
            answers[rule.name] = answer
            print(f"{count:3}/{len(rules)}  {answer.word:9} {len(answer.seen_by):4} of {answer.asked:4} tests that reach it "
                  f"{answer.seconds:5.1f} s  {rule.name}", flush=True)
    return unseen.judge(answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--few", type=int, default=CHOSEN, metavar="N", help="only the first N")
    parser.add_argument("--all", action="store_true", help="every rule, not thirty")
    parser.add_argument("--only", metavar="TEXT", help="rules whose name contains this")
    parser.add_argument("--check", action="store_true", help="only whether the changes fit")
    parser.add_argument("--list", action="store_true", help="the rules")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "mutants", metavar="DIR")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    if options.list:
        for rule in RULES:
            print(f"{copy.SIM}{rule.file}: {rule.name}")
        return 0
    if wrong := self_test.misfits() + unseen.stale():
        print("mutants: " + "\n  ".join(wrong))
        return 2
    if options.check:
        print(f"mutants: {len(RULES)} changes fit")
        return 0
    if options.self_test:
        return self_test.run()
    try:
        return ask(options)
    except copy.CannotBuild as reason:
        print(f"mutants: {reason}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
