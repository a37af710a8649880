# SPDX-License-Identifier: Apache-2.0
"""Promises: what is promised of every path, one function each, which yields a Figure per row. A path's own are in
scenarios/<path>/figures.py.

A function takes `full`: measure at full size. Sizes differ by it, bars do not: a count is judged in both forms, a
time only in the full one (Figure.timed), and what has no small size raises LeftOut.
"""
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

from hostile import mutated_inputs
from measure import path_figures
from common import programs
from hostile.bad_input import bad_inputs
from common.measuring import (CannotMeasure, Figure, LeftOut, benchmarks, committed_repros, found_cases, fuzz, key,
                       largest_deviation, list_all, minimize, named_sound, need, rate_of, replayed,
                       smallest_known, variants)

PRESETS = ("release", "asan", "tsan")


# 1. Every variant comes out as claimed.

def claims(_full):
    """One command: every variant gets its claimed verdict."""
    found, ended = fuzz("--seconds", 60, limit_seconds=300)
    right = {"sound": "held", "unsound": "caught", "vacuous": "vacuous"}
    wrong = [f"{r['path']}/{r['variant']} {r['claim']}: {r['verdict']}" for r in found["results"]
             if r["verdict"] != right[r["claim"]]]
    yield Figure("every claim comes out, 60 s, exit 0",
                 f"{len(found['results'])} of {len(variants())} variants, exit {ended.code}"
                 + "".join(f"; {w}" for w in wrong),
                 ended.code == 0 and not wrong and len(found["results"]) == len(variants()))


def fresh_clone(full):
    """The same in a fresh clone, with the one command of the README."""
    if not full:
        raise LeftOut("a fresh clone is built with --long only")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", str(programs.ROOT), folder + "/clone"], check=True)
        ended = subprocess.run(["./scripts/fuzz.sh", "--json"], cwd=folder + "/clone",
                               capture_output=True, text=True)
    try:
        rows = len(json.loads(ended.stdout)["results"])
    except json.JSONDecodeError:
        rows = 0
    yield Figure("fresh clone, ./scripts/fuzz.sh: exit 0", f"exit {ended.returncode}, {rows} variants",
                 ended.returncode == 0 and rows == len(variants()))


CATCH_RUNS = 20_000
CATCH_SECONDS = 2


def caught_in_time(full):
    """With an empty corpus, every unsound variant is caught quickly, with every seed."""
    seeds = range(1, 21 if full else 3)
    unsound = [name for name, claim in variants() if claim == "unsound"]

    def search(of):
        found, _ = fuzz(of[0], "--runs", CATCH_RUNS, "--first", "--seed", of[1], one_core=True)
        return found["results"][0]
    asked = [(name, seed) for name in unsound for seed in seeds]
    rows = programs.side_by_side(search, asked)
    missed = [f"{name} seed {seed}" for (name, seed), row in zip(asked, rows) if not row["runs_to_first_fault"]]
    yield Figure(f"each unsound variant caught within {CATCH_RUNS} runs, seeds 1..{seeds[-1]}",
                 f"{len(asked) - len(missed)} of {len(asked)}, at most "
                 f"{max(row['runs_to_first_fault'] for row in rows)} runs"
                 + "".join(f"; missed {m}" for m in missed[:3]), not missed)
    slowest = max(row["seconds"] for row in rows)
    yield Figure.timed(full, f"... and within {CATCH_SECONDS} s on one core", f"at most {slowest:.2f} s",
                       slowest <= CATCH_SECONDS)


REACH = 0.005


def coverage(full):
    """One generator is enough for all variants: runs of the sound ones reach every kind of op and every window often enough."""
    runs = 100_000 if full else 20_000
    best = {}
    for name in named_sound():
        path = name.split("/")[0]
        found, _ = fuzz(name, "--runs", runs, "--seed", 1, one_core=True)
        rows = [("window " + w["window"], w["reached"]) for w in key(found, "windows")]
        rows += [("op " + o["op"], o["reached"]) for o in key(found, "ops")]
        for what, reached in rows:
            share = best.setdefault(path, {})
            share[what] = max(share.get(what, 0), reached / runs)
    for path, shares in best.items():
        for what, share in shares.items():
            print(f"    {path}  {what:40} {100 * share:6.2f} %")
        least = min(shares, key=shares.get)
        yield Figure(f"{path}: every op kind and window in >= {100 * REACH:g} % of the runs of a sound variant",
                     f"least: {least}, {100 * shares[least]:.2f} % of {runs}", shares[least] >= REACH)


# 2. Proved by enumeration.

def proofs(full):
    """Enumeration of each window's smallest programs confirms every claim."""
    need("release", "afterlife")
    for path in sorted({name.split("/")[0] for name, _ in variants()}):
        ended = programs.run("release", "afterlife", "prove", path, limit_seconds=3600 if full else 900)
        print("    " + ended.out.strip().replace("\n", "\n    "))
        yield Figure(f"prove {path}: exit 0", f"exit {ended.code}, {ended.seconds:.1f} s", ended.code == 0)


# 3. Replay.

def replays(full):
    """Found cases always replay identically, event for event, in every build."""
    for preset in PRESETS:
        need(preset, "afterlife")
    cases, times = (50, 20) if full else (4, 1)
    with tempfile.TemporaryDirectory() as folder:
        files = found_cases(folder, cases)
        if not full:
            files += committed_repros()[::8]
        first, equal = {}, dict.fromkeys(PRESETS, 0)
        for preset in PRESETS:
            for file in files * times:
                ended = programs.run(preset, "afterlife", "replay", file, "--json")
                seen = (ended.code, ended.out)
                equal[preset] += ended.code == 0 and first.setdefault(file, seen) == seen
    total = len(files) * times
    yield Figure(f"all replays of at least {cases} cases equal in {', '.join(PRESETS)}",
                 f"{len(files)} cases; of {total} replays "
                 + ", ".join(f"{preset} {count}" for preset, count in equal.items()),
                 len(files) >= cases and all(count == total for count in equal.values()))


# 4. Minimized reproducers.

def minimized(full):
    """Minimized cases are small, quick to compute, unchanged by another minimization, and still show the same bug."""
    need("release", "afterlife")
    for folder in sorted(programs.ROOT.glob("corpus/*/smallest")):
        yield from minimized_of(folder.parent.name, 50 if full else 8, full)


def minimized_of(path, wanted, full):
    """Checks the same for one path. The smallest known cases of its faults are committed, but `minimize` does not see them."""
    rows, known, changed, other = [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        small, again = pathlib.Path(folder) / "small.repro", pathlib.Path(folder) / "again.repro"
        for file in found_cases(folder, wanted, path):
            rows.append(minimize(file, small))
            known.append(smallest_known(file))
            minimize(small, again)
            changed += again.read_text() != small.read_text()
            other += replayed(small)["signature"] != replayed(file)["signature"]
    compared = [row["ops"] - ops for row, ops in zip(rows, known) if ops is not None]
    within = [row["ops"] <= row["window_ops"] + 1 for row in rows if row["window_ops"] is not None]
    if len(rows) < wanted or not compared or not within:
        raise CannotMeasure(f"{path}: {len(rows)} of {wanted} cases, {len(compared)} with a fault that "
                            f"corpus/{path}/smallest knows, {len(within)} with a window")
    decisions = statistics.median(row["decisions"] for row in rows)
    seconds, runs = max(row["seconds"] for row in rows), max(row["runs"] for row in rows)
    yield Figure(f"{path}: ops at most those of the window's smallest program + 1",
                 f"{sum(within)} of {len(within)} ({len(rows) - len(within)} have no window)", all(within))
    yield Figure(f"{path}: ... and those of the smallest known case of the fault + 1, which it is not shown",
                 f"at most {max(compared):+} ({len(compared)} of {len(rows)} are known in their config)",
                 max(compared) <= 1)
    yield Figure(f"{path}: decisions that are no ops: median at most 3", f"median {decisions:g}",
                 decisions <= 3)
    yield Figure(f"{path}: at most 2000 runs each", f"at most {runs}", runs <= 2000)
    yield Figure.timed(full, f"{path}: at most 2 s each", f"at most {seconds:.2f} s", seconds <= 2)
    yield Figure(f"{path}: idempotent, same signature",
                 f"{len(rows)} cases: {changed} changed again, {other} other signatures",
                 not changed and not other)


# 5. Sound under load.

def endurance(full):
    """Variants claimed to be sound never fail, and memory does not grow with the number of runs."""
    runs = 10_000_000 if full else 50_000

    def endure(name):
        _, short = fuzz(name, "--runs", 10_000, "--seed", 1, one_core=True)
        return short, *fuzz(name, "--runs", runs, "--seed", 2, limit_seconds=7200, one_core=True)
    names = named_sound()
    for name, (short, found, long) in zip(names, programs.side_by_side(endure, names)):
        row = found["results"][0]
        yield Figure(f"{name}: {runs} runs without a fault", f"{row['verdict']}, {row['runs']} runs",
                     row["verdict"] == "held" and row["runs"] >= runs)
        grown = (long.peak_kib - short.peak_kib) / 1024
        yield Figure(f"{name}: peak memory within 1 MiB of that after 10000 runs",
                     f"{grown:+.2f} MiB (from {short.peak_kib / 1024:.1f} MiB)", grown <= 1)


def fuzzed(full):
    """libFuzzer under ASan finds no fault and no leak in the variants claimed to be sound."""
    runs = 200_000 if full else 2_000

    def fuzz_one(name):
        path, variant = name.split("/")
        need("fuzz", f"fuzz_{path}")
        return programs.run("fuzz", f"fuzz_{path}", f"-runs={runs}", "-seed=1", "-detect_leaks=1",
                            env={"AFTERLIFE_VARIANT": variant}, limit_seconds=3600)
    names = named_sound()
    for name, ended in zip(names, programs.side_by_side(fuzz_one, names)):
        yield Figure(f"{name}: {runs} libFuzzer runs under ASan, no fault, no leak",
                     f"exit {ended.code}, {ended.seconds:.0f} s", ended.code == 0)


# 6. Speed.

def speed(full):
    """Speed relative to the bare fiber loop in the same binary and run."""
    spine = benchmarks("bench_spine", full)
    for name, asked in (("m2", 1 / 3), ("m3", 0.45)):
        rate, bare = rate_of(spine, name), rate_of(spine, name + "_bare")
        yield Figure.timed(full, f"{name}: at least {asked:.2f} of the bare loop",
                           f"{rate / bare:.2f} ({rate:,.0f} of {bare:,.0f} schedules/s)", rate / bare >= asked)
    yield from turns(spine, full)
    for path in list_all()["paths"]:
        yield from speed_of_path(path["path"], full)


def speed_of_path(path, full):
    """Measures the speed of a path's ordinary use, and how the cost grows with its size."""
    program = f"bench_{path}"
    rows = benchmarks(program, full)
    rate = rate_of(rows, "plain")
    asked = path_figures.plain_runs_per_second(path)
    yield Figure.timed(full, f"{program} seeds/plain: at least {asked:,} runs/s", f"{rate:,.0f}", rate >= asked)
    for name in ("ops", "tasks"):
        points = sorted((int(n.split("/")[1]), row["cpu_time"]) for n, row in rows.items()
                        if n.startswith(name + "/"))
        if len(points) < 3:
            raise CannotMeasure(f"{program} has {len(points)} benchmarks {name}/N")
        off = largest_deviation(points)
        yield Figure.timed(full, f"{program} cost linear in {name} ({points[0][0]}..{points[-1][0]}): at most 25 % off "
                           "the line", f"at most {100 * off:.0f} % off", off <= 0.25)


def turns(spine, full):
    """A turn costs the same for 2 to 8 ranks, both when all tasks can continue (turn) and when each writes to all others, whose daemons sleep until then
    (exchange)."""
    for name in ("turn", "exchange"):
        costs = [1e9 / rate_of(spine, f"{name}/{ranks}") for ranks in (2, 4, 6, 8)]
        middle = statistics.median(costs)
        off = max(abs(cost / middle - 1) for cost in costs)
        yield Figure.timed(full, f"{name}: at most 40 ns a turn, within 20 % over 2..8 ranks",
                           f"{min(costs):.0f}..{max(costs):.0f} ns, {100 * off:.0f} % off",
                           max(costs) <= 40 and off <= 0.2)


# 7. Bad input.

def bad_input(full):
    """One clear line, the documented exit code, no partial output, bounded memory; with --long also under ASan."""
    for preset in ("release", "asan") if full else ("release",):
        need(preset, "afterlife")
        wrong, count = [], 0
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for what, arguments, code in bad_inputs(folder):
                inside = sorted(folder.rglob("*"))
                ended = programs.run(preset, "afterlife", *arguments, limit_seconds=120)
                lines = [line for line in ended.err.splitlines() if line.strip()]
                wrote = sorted(folder.rglob("*")) != inside
                count += 1
                if (ended.code, len(lines), wrote, ended.out) != (code, 1, False, "") or ended.peak_kib > 1 << 19:
                    wrong.append(f"{what}: exit {ended.code}, {len(lines)} lines, {ended.peak_kib >> 10} MiB"
                                 + ", wrote files" * wrote + ", stdout" * bool(ended.out))
                    print(f"    {wrong[-1]}", *lines[:5], sep="\n      ")
        yield Figure(f"{preset}: bad inputs: one line, exit 2 or 3 as documented, nothing written",
                     f"{count - len(wrong)} of {count}" + "".join(f"; {w}" for w in wrong[:3]),
                     count > 0 and not wrong)


def mutated(full):
    """Damaged reproducers (bytes, lines, grammar), without limits, with memory limits, and under ASan."""
    sizes = [("release", False, 100_000), ("release", True, 10_000), ("asan", False, 10_000)]
    for preset, memory, size in sizes:
        need(preset, "afterlife")
        measured = mutated_inputs.measure(preset, size if full else size // 200, memory=memory)
        yield Figure(f"{preset}{', under limits on memory' * memory}: mutated reproducers: exit 0, 1, or 2 with one line,"
                     " no signal, no raw exception, at most 1 s of processor time each",
                     str(measured), measured.count > 0 and not measured.wrong)


# 8. The simulated driver raises no false alarm.

def no_false_alarms(full):
    """Programs that follow the documentation never show a fault and reach all of the driver;
    each dropped precondition is detected.
    """
    need("release", "afterlife_tests")
    count = 100_000 if full else 10_000
    ended = programs.run("release", "afterlife_tests", "--gtest_filter=SoundPrograms*",
                         env={"AFTERLIFE_SOUND_PROGRAMS": str(count)}, limit_seconds=3600)
    rows = re.findall(r"^  (\d+) (\w+), each at least (\d+) times: (.*)$", ended.out, re.M)
    held = f"  {count} sound programs, no fault" in ended.out
    yield Figure(f"{count} sound programs: no fault", f"exit {ended.code}", ended.code == 0 and held)
    for things, kind, least, rarest in rows:
        yield Figure(f"each of the driver's {things} {kind} reached at least once in 100 of them",
                     f"least: {least}, {rarest}", 100 * int(least) >= count)
    wanted = sum(int(n) for n, kind, *_ in rows if kind == "preconditions")
    dropped, code = passed_tests("release", "*DroppedPrecondition*")
    yield Figure("each precondition that is dropped gives its fault, or its documented error",
                 f"{len(dropped)} of {wanted} dropped, exit {code}", code == 0 and len(dropped) == wanted > 0)


# 9. The checks are checked.

def planted(_full):
    """Each oracle detects its own planted fault, and the layer script detects planted includes."""
    passed, code = passed_tests("asan", "*Oracle*:*Canary*:*Planted*:Vacuity.*")
    listed = list_all()
    oracles = sorted(set(listed["oracles"]) | {row["oracle"] for row in listed["faults"]})
    blind = [name for name in oracles  # An oracle without a kind of fault has its own suite.
             if not any(re.search(rf"GoesRedOnItsPlantedFault/{name}__|^{name}\.", test, re.I) for test in passed)]
    yield Figure("each oracle sees its planted fault, and no other's",
                 f"{len(oracles) - len(blind)} of {len(oracles)}, {len(passed)} tests passed, exit {code}"
                 + "".join(f"; blind: {name}" for name in blind), code == 0 and not blind)
    ended = subprocess.run([str(programs.ROOT / "scripts/checks/layers.py"), "--self-test"],
                           capture_output=True, text=True)
    yield Figure("layers.py sees planted includes", ended.stdout.strip().splitlines()[-1],
                 ended.returncode == 0)


def policies(full):
    """The code that the sound claims rest on is mutated, one place at a time; the search must refute the claim."""
    if not full:
        raise LeftOut("every mutant is run with --long only; the step `mutants` runs a few")
    ended = subprocess.run([str(programs.ROOT / "scripts/mutation/mutate_policies.py")], capture_output=True, text=True)
    rows = re.findall(r"^(\w+): \d+ mutants, (\d+) of (\d+) refuted: [\d.]+ %; (.*)$", ended.stdout, re.M)
    if not rows:
        raise CannotMeasure(f"mutate_policies.py: exit {ended.returncode} {ended.stderr.strip()[-300:]}")
    for path, refuted, of, rest in rows:
        yield Figure(f"{path}: at least 95 % of the policies' mutants that are not equivalent are refuted",
                     f"{refuted} of {of}; {rest}", int(refuted) >= 0.95 * int(of) > 0)
    yield Figure("... and every mutant that is listed as equivalent is", f"exit {ended.returncode}",
                 ended.returncode == 0)


def passed_tests(preset, pattern):
    """Returns the names of the tests that passed, and the exit code."""
    need(preset, "afterlife_tests")
    ended = programs.run(preset, "afterlife_tests", f"--gtest_filter={pattern}", limit_seconds=1800)
    return re.findall(r"^\[       OK \] (\S+)", ended.out, re.M), ended.code


FIGURES = (claims, fresh_clone, caught_in_time, coverage, proofs, replays, minimized, speed, bad_input, mutated,
           no_false_alarms, planted, policies, fuzzed, endurance)
