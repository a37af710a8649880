#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutated inputs: damages the committed reproducers, and runs `afterlife` on each of them.

Usage: scripts/hostile/mutated_inputs.py [--count N] [--seed N] [--preset NAME] [--memory] [--show INDEX] | --self-test

The Nth file of a seed is always the same: a committed case, changed in its bytes, its lines or its words.
Each is given to replay, replay --json or minimize, in a process of its own, and must end in exit 0, 1 or 2,
the last with one line on stderr; without a signal, a raw exception, or a control character; within 1 s of
processor time. With --memory each process is under a limit of its own on its address space or its data.
--show prints the file of that number. --self-test judges stand-ins that misbehave. Exit: 0 all well, 1 not, 2 nothing to run, 3 usage.
"""
import argparse
import collections
import dataclasses
import json
import multiprocessing
import os
import pathlib
import random
import re
import resource
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import programs  # noqa: E402

RAW = re.compile(r"std::|json\.exception|basic_string|terminate called|check failed|Assertion|Sanitizer|"
                 r"runtime error:|what\(\)|error while loading")
HANG_SECONDS = 120  # In wall-clock time, so that a loaded machine is not taken for a hang.
LIMIT_SECONDS = 1.0


# ---- the files ----

def corpus():
    files = sorted(p for kind in ("repros", "programs", "smallest") for p in programs.ROOT.glob(f"corpus/*/{kind}/*"))
    return [file.read_bytes() for file in files]


NUMBERS = ["0", "1", "-1", "65535", "65536", "4294967295", "4294967296", "18446744073709551615", "010", "0x0",
           "0xffffffff", "0xffffffffffffffff", "1e9", "nan", ""]
WORDS = ["start", "end", "of", "tasks", "fault", "trace", "path", "#", '"', '""', ":", "a:0 of", "0:0", "\x1b[31m",
         "\u202e", "x" * 3000, "lag[65535]", "schedule[65536]", "op", "-"]
BYTES = [b"\0", b"\n", b"\r", b" ", b"\t", b'"', b"#", b":", b"[", b"]", b"\x1b", b"\xff", b"\xc2\x9b", b"\xe2\x80", b"0", b"9"]


def of_bytes(rng, text, _all):
    text = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(text) + 1)
        way = rng.randrange(5)
        if way == 0 and at < len(text):
            text[at] ^= 1 << rng.randrange(8)
        elif way == 1:
            text[at:at] = rng.choice(BYTES)
        elif way == 2:
            del text[at:at + rng.choice((1, 1, 3, 40))]
        elif way == 3:
            text[at:at + 1] = rng.randbytes(rng.choice((1, 4)))
        else:
            text[at:at] = text[at:at + rng.choice((2, 20, 200))] * rng.choice((1, 3))
    return bytes(text[:rng.randrange(len(text) + 1)] if rng.random() < 0.05 else text)


def of_lines(rng, text, everything):
    lines = text.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(lines))
        way = rng.randrange(7)
        if way == 0 and len(lines) > 1:
            del lines[at]
        elif way == 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[at])
        elif way == 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif way == 3:
            lines.insert(at, rng.choice(rng.choice(everything).split(b"\n")))
        elif way == 4:
            lines[at] += rng.choice((b" ", b"")) + lines[rng.randrange(len(lines))]
        elif way == 5:
            lines[at:at] = [lines[at]] * rng.choice((2, 30, 3000))
        else:
            rng.shuffle(lines[1:] if rng.random() < 0.5 else lines)
    return b"\n".join(lines)


def of_grammar(rng, text, everything):
    lines = text.decode().split("\n")
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(1, len(lines))
        words = lines[at].split(" ")
        word = rng.randrange(len(words))
        way = rng.randrange(9)
        if way == 0:
            words[word] = re.sub(r"\d+", lambda _: rng.choice(NUMBERS), words[word], count=1)
        elif way == 1:
            words[word] = rng.choice(WORDS)
        elif way == 2:
            words[-1] = rng.choice(NUMBERS)
        elif way == 3:  # A word from the same position elsewhere.
            other = rng.choice(rng.choice(everything).decode().split("\n")).split(" ")
            words[word] = rng.choice(other)
        elif way == 4:
            words.insert(0, "a:0 of " * rng.choice((1, 10, 3000)) + "finalize:0 of")
        elif way == 5:
            words[word] = words[word].replace(":", f"[{rng.choice(NUMBERS)}]:", 1)
        elif way == 6:
            words.insert(word, rng.choice(WORDS))
        elif way == 7:  # The value of another header line.
            head = [line for line in rng.choice(everything).decode().split("\n")[1:5]]
            lines[min(at % 4 + 1, len(lines) - 1)] = rng.choice(head)
            continue
        else:
            slot = f"{rng.choice(('0', '1', '2', '65535', '65536'))}:{rng.choice(('0', '3', '7', '65535'))}"
            words = [slot, rng.choice(("op", "argument[1]", "schedule[2]", "lag", "order", "reuse", "collect", "failure",
                                       "progress", "skew")),
                     rng.choice(NUMBERS + ["launch", "mutator", "script", "Box:0 of 0:1"])]
        lines[at] = " ".join(words)
    return "\n".join(lines).encode()


WAYS = {"bytes": of_bytes, "lines": of_lines, "grammar": of_grammar}


def mutant(seed, index, everything):
    """Returns the kind of change, and the changed text."""
    rng = random.Random(f"{seed} {index}")
    kind = tuple(WAYS)[index % len(WAYS)]
    return kind, WAYS[kind](rng, rng.choice(everything), everything)


# ---- one process ----

@dataclasses.dataclass
class Ended:
    code: int  # The exit code, or minus the number of the signal.
    out: bytes
    err: bytes
    seconds: float  # Processor time.


def run(command, folder, limit=None):
    """Runs a command in the folder. `limit`: a resource and its limit."""
    out, err = folder / "out", folder / "err"
    pid = os.fork()
    if pid == 0:
        try:
            for file, number in ((out, 1), (err, 2)):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
            os.chdir(programs.ROOT)
            signal.alarm(HANG_SECONDS)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit:
                resource.setrlimit(limit[0], (limit[1], limit[1]))
            os.execve(command[0], command, programs.environment({}))
        finally:
            os._exit(126)
    _, status, usage = os.wait4(pid, 0)
    return Ended(os.waitstatus_to_exitcode(status), out.read_bytes(), err.read_bytes(),
                 usage.ru_utime + usage.ru_stime)


def wrong_with(how, ended):
    """Returns the complaint about how a command ended, or nothing. `how` is "replay", "json" or "minimize"."""
    err = ended.err.decode(errors="replace")
    if ended.code < 0:
        return f"signal {-ended.code}: {err[-300:]}"
    if ended.code not in (0, 1, 2):
        return f"exit {ended.code}: {err[-300:]}"
    if raw := RAW.search(err + ended.out.decode(errors="replace")):
        return f"raw: {raw[0]}: {err[-300:]}"
    if err.count("\n") != (ended.code == 2) or (ended.code == 2 and not err.startswith("afterlife: ")):
        return f"exit {ended.code} with {err.count(chr(10))} lines on stderr: {err[:300]}"
    if any(byte < 0x20 and byte != 0x0a or byte == 0x7f for byte in ended.out + ended.err):
        return "a control character came through"
    if len(ended.err) > 5000:
        return f"{len(ended.err)} bytes on stderr"
    if how == "json" and ended.code != 2:
        try:
            json.loads(ended.out)
        except ValueError as error:
            return f"no JSON: {error}"
    return f"{ended.seconds:.2f} s" if ended.seconds > LIMIT_SECONDS else None


def command_of(program, index, file, folder):
    """Returns how to run the file of this number: one in twenty is minimized; half of the others are replayed with --json."""
    if index % 20 == 7:
        return "minimize", [program, "minimize", file, "--out", str(folder / "small.repro")]
    return ("json", [program, "replay", file, "--json"]) if index % 2 else ("replay", [program, "replay", file])


def memory_limit(rng, loads):
    kind = rng.choice((resource.RLIMIT_AS, resource.RLIMIT_DATA))
    low = loads[kind]
    return kind, int(low * 2 ** rng.uniform(0, 18 if kind == resource.RLIMIT_AS else 13))


def least_to_load(program, folder):
    """Returns the smallest limits under which the program starts. Below them, errors are reported by the loader, not by the program."""
    least = {}
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        low, high = 0, 1 << 40
        while high - low > 1 << 16:
            middle = (low + high) // 2
            fits = run([program, "--help"], folder, (kind, middle)).code == 0
            low, high = (low, middle) if fits else (middle, high)
        least[kind] = high
    return least


# ---- many ----

@dataclasses.dataclass
class Plan:
    program: str
    seed: int
    count: int
    memory: bool


def work(plan, part, parts):
    """Returns (index, kind, how, exit, seconds, complaint) of every file of this part."""
    everything, results = corpus(), []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        loads = least_to_load(plan.program, folder) if plan.memory else {}
        for index in range(part, plan.count, parts):
            kind, text = mutant(plan.seed, index, everything)
            (folder / "case.repro").write_bytes(text)
            how, command = command_of(plan.program, index, str(folder / "case.repro"), folder)
            limit = memory_limit(random.Random(f"limit {plan.seed} {index}"), loads) if plan.memory else None
            ended = run(command, folder, limit)
            wrong = wrong_with(how, ended)
            left = {p.name for p in folder.iterdir()} - {"case.repro", "out", "err"}
            if not wrong and left != ({"small.repro"} if how == "minimize" and ended.code in (0, 1) else set()):
                wrong = f"left behind: {sorted(left)}"
            for name in left:
                (folder / name).unlink()
            results.append((index, kind, how, ended.code, ended.seconds, wrong))
    return results


@dataclasses.dataclass
class Measured:
    count: int
    wrong: list  # (index, complaint)
    slowest: float  # Processor time.
    slowest_minimizing: float
    exits: collections.Counter
    hours: float

    def __str__(self):
        exits = ", ".join(f"{count} exit {code}" for code, count in sorted(self.exits.items()))
        first = "".join(f"; file {index}: {what}" for index, what in self.wrong[:3])
        return (f"{self.count - len(self.wrong)} of {self.count} ({exits}), slowest {self.slowest:.2f} s, minimizing "
                f"{self.slowest_minimizing:.2f} s{first}")


def measure(preset, count, seed=1, memory=False, cores=None):
    """Runs `count` files and returns the results."""
    plan = Plan(str(programs.path(preset, "afterlife")), seed, count, memory)
    parts = cores or len(os.sched_getaffinity(0))
    began = time.monotonic()
    with multiprocessing.Pool(parts) as pool:
        rows = [row for part in pool.starmap(work, [(plan, part, parts) for part in range(parts)]) for row in part]
    rows.sort()
    return Measured(len(rows), [(row[0], f"{row[1]}, {row[2]}: {row[5]}") for row in rows if row[5]],
                    *(max((row[4] for row in rows if (row[2] == "minimize") == minimized), default=0)
                      for minimized in (False, True)),
                    collections.Counter(row[3] for row in rows), (time.monotonic() - began) / 3600)


# ---- the self-test ----

STAND_INS = [  # Action, mode in which it is called, whether it must be reported.
    ("kill -SEGV $$", "replay", True),
    ("kill -ABRT $$", "json", True),
    ("echo \"terminate called after throwing an instance of 'std::bad_alloc'\" >&2; exit 2", "replay", True),
    ("echo 'afterlife: [json.exception.type_error.316] invalid UTF-8' >&2; exit 2", "json", True),
    ("echo 'afterlife: one' >&2; echo 'two' >&2; exit 2", "replay", True),
    ("exit 2", "replay", True),
    ("exit 5", "replay", True),
    ("exit 127", "replay", True),
    ("printf 'a \\033[31mname\\n'; exit 0", "replay", True),
    ("echo '{'; exit 0", "json", True),
    ("i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done", "replay", True),
    ("echo 'afterlife: a file: line 3: wrong' >&2; exit 2", "replay", False),
    ("echo '{}'; exit 1", "json", False),
    ("echo as recorded; exit 0", "replay", False),
]


def self_test():
    right = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for script, how, bad in STAND_INS:
            (folder / "stand_in").write_text(f"#!/bin/sh\n{script}\n")
            (folder / "stand_in").chmod(0o755)
            judged = wrong_with(how, run([str(folder / "stand_in")], folder))
            right += bool(judged) == bad
            if bool(judged) != bad:
                print(f"  judged wrongly: {script}: {judged}")
    same = [mutant(3, i, corpus()) for i in range(30)] == [mutant(3, i, corpus()) for i in range(30)]
    print(f"mutated_inputs: {right} of {len(STAND_INS)} stand-ins judged rightly, files repeat: {same}")
    return 0 if right == len(STAND_INS) and same else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--preset", default="release", metavar="NAME")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--show", type=int, metavar="INDEX")
    parser.add_argument("--self-test", action="store_true")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    if options.self_test:
        sys.exit(self_test())
    if options.show is not None:
        sys.stdout.buffer.write(mutant(options.seed, options.show, corpus())[1])
        return
    if not programs.exists(options.preset, "afterlife"):
        print(f"mutated_inputs: build/{options.preset}/afterlife is not built", file=sys.stderr)
        sys.exit(2)
    measured = measure(options.preset, options.count, options.seed, options.memory)
    for index, what in measured.wrong[:20]:
        print(f"  file {index}: {what}")
    print(f"mutated_inputs: {measured}, {measured.hours * 60:.1f} min")
    sys.exit(1 if measured.wrong else 0)


if __name__ == "__main__":
    main()
