#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutated foreign files: shards, exports, histories and findings that someone else might send, each read by
`afterlife` under strace, which sees from outside what it does.

Usage: scripts/hostile/mutated_foreign.py [--count N] [--seed N] [--preset NAME] [--show INDEX] [--keep FOLDER] | --self-test

The Nth mutant of a seed is always the same. A value becomes a path, a command, a control character, a number that
none is; a file becomes a link, a pipe, a device or a finding of `run`; and most are sealed again, so that they pass
the outer parser: at least half do, which is counted. Then: nothing changes but in the folder that the command line
names, no program starts but afterlife, no file is read through a link, and all ends in exit 0, 1 or 2, the last with
one line. --keep leaves the files and the logs of strace in a folder. --show prints a mutant.
Exit: 0 all well, 1 not, 2 strace or the program is missing, 3 usage.
Example: scripts/hostile/mutated_foreign.py --count 10000 --preset dev
"""
import argparse
import collections
import dataclasses
import os
import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import programs  # noqa: E402
from hostile.foreign_mutants import (OUTSIDE, in_whole_file, is_sealed, make_base, mutant_export, mutant_finding, mutant_history,  # noqa: E402
                             mutant_shard, seal_hashes, sealed)
from hostile.foreign_watch import Batch, can_trace, judged, judges_rightly  # noqa: E402

KINDS = ("shard", "export", "history", "finding")
BATCH = 40  # The number of mutants under one strace.


def make_batch(kind, indices, seed, base, folder, program):
    batch = Batch.empty(kind, folder)
    for index in indices:
        rng = random.Random(f"{kind} {seed} {index}")
        place = batch.named() / str(index)
        if kind == "shard":
            batch.passing += mutant_shard(rng, base, batch.named() / "in" / f"shard-{index}")
        elif kind == "export":
            batch.passing += mutant_export(rng, base, place)
            batch.commands.append([program, "nightly", "import", str(place), "--history", f"{place}.h"])
            if index % 4 == 0:
                batch.commands.append([program, "nightly", "report", "--history", f"{place}.h"])
        elif kind == "history":
            batch.passing += mutant_history(rng, base, place, batch.outside())
            batch.commands.append([program, "nightly", "report", "--history", str(place)])
        else:
            name = rng.choice((f"{index}.repro", f"{index}.repro", f"{index}.run.json"))
            (batch.named() / "in").mkdir(exist_ok=True)
            batch.passing += mutant_finding(rng, base, batch.named() / "in" / name)
            if index % 2 or name.endswith(".json"):
                command = rng.choice((["replay"], ["replay", "--json"], ["triage"], ["replay", "--why"]))
                batch.commands.append([program, *command, str(batch.named() / "in" / name)])
    for file in batch.named().rglob("*"):
        if file.is_symlink() and OUTSIDE in os.readlink(file):
            target = os.readlink(file).replace(OUTSIDE, str(batch.outside()))
            file.unlink()
            file.symlink_to(target)
        elif not file.is_symlink() and file.is_file() and file.stat().st_size < 1 << 20:
            in_whole_file(file, batch.outside())
    seal_hashes(batch.named())
    if kind == "shard":
        batch.commands = [[program, "nightly", "merge", str(batch.named() / "in"), "--history", str(batch.named() / "h")],
                          [program, "nightly", "report", "--sarif", str(batch.named() / "s"), "--history", str(batch.named() / "h")]]
    elif kind == "finding":
        batch.commands.append([program, "replay", str(batch.named() / "in")])
    return batch


@dataclasses.dataclass
class Measured:
    count: int = 0
    passing: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    kinds: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    commands: int = 0
    codes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    wrong: list = dataclasses.field(default_factory=list)

    def add(self, batch, count, wrong):
        self.count += count
        self.kinds[batch.kind] += count
        self.passing[batch.kind] += batch.passing
        self.commands += len(batch.commands)
        self.codes.update(file.read_text().strip() for file in (batch.folder / "told").glob("*.code"))
        self.wrong += [f"{batch.kind}: {line}" for line in wrong]

    def share(self):
        return sum(self.passing.values()) / max(self.count, 1)

    def __str__(self):
        kinds = ", ".join(f"{count} of {kind} ({self.passing[kind]} pass)" for kind, count in sorted(self.kinds.items()))
        wrong = collections.Counter(line.split(":")[0] for line in self.wrong)
        codes = ", ".join(f"{count} exit {code}" for code, count in sorted(self.codes.items()))
        return (f"{self.count} mutants: {kinds}; {100 * self.share():.0f} % have a valid seal and pass the outer parser; "
                f"{self.commands} commands: {codes}; {len(self.wrong)} wrong{' (' + ', '.join(f'{kind} {count}' for kind, count in sorted(wrong.items())) + ')' if wrong else ''}")


def measure(program, count, seed, folder, keep):
    base_folder = folder / "base"
    base_folder.mkdir(parents=True)
    base = make_base(program, base_folder)
    measured = Measured()
    for kind in KINDS:
        own = range(count * KINDS.index(kind) // len(KINDS), count * (KINDS.index(kind) + 1) // len(KINDS))
        for begin in range(own.start, own.stop, BATCH):
            indices = range(begin, min(begin + BATCH, own.stop))
            place = folder / f"{kind}-{begin}"
            batch = make_batch(kind, indices, seed, base, place, program)
            measured.add(batch, len(indices), judged(batch, program))
            if not keep:
                shutil.rmtree(place)
    return measured


def self_test(folder):
    text = sealed({"afterlife_nightly": "shard 1", "a": 1})
    seals = is_sealed(text) and not is_sealed(text.replace('"a": 1', '"a": 2')) and not is_sealed("")
    print(f"mutated_foreign: seals are told apart: {seals}")
    return 0 if judges_rightly(folder) and seals else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--preset", default="release", metavar="NAME")
    parser.add_argument("--show", type=int, metavar="INDEX")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--self-test", action="store_true")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    if not can_trace():
        print("mutated_foreign: strace cannot trace here: install it (./scripts/setup.sh), and allow ptrace", file=sys.stderr)
        return 2
    if not options.self_test and not programs.exists(options.preset, "afterlife"):
        print(f"mutated_foreign: build/{options.preset}/afterlife is not built", file=sys.stderr)
        return 2
    program = str(programs.path(options.preset, "afterlife"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary).resolve()
        if options.self_test:
            return self_test(folder)
        if options.show is not None:
            return show(program, options, folder)
        measured = measure(program, options.count, options.seed, folder, bool(options.keep))
    for kind in KINDS:
        for line in [line for line in measured.wrong if line.startswith(kind)][:8]:
            print(f"  {line}")
    print(f"mutated_foreign: {measured}")
    return 0 if not measured.wrong and measured.share() >= 0.5 else 1


def show(program, options, folder):
    """Prints the files of the mutant with this number."""
    (folder / "base").mkdir(parents=True)
    base = make_base(program, folder / "base")
    kind = KINDS[min(options.show * len(KINDS) // max(options.count, 1), len(KINDS) - 1)]
    batch = make_batch(kind, [options.show], options.seed, base, folder / "shown", program)
    print(f"{kind}, {'passes' if batch.passing else 'does not pass'} the outer parser; {len(batch.commands)} commands")
    for file in sorted(batch.named().rglob("*")):
        is_text = file.is_file() and not file.is_symlink() and file.suffix != ".sqlite" and file.stat().st_size < 1 << 20
        print(f"---- {file.relative_to(batch.named())}{' -> ' + os.readlink(file) if file.is_symlink() else ''}")
        if is_text:
            print(file.read_text(errors="replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
