#!/usr/bin/env python3
"""Figures: what the project promises, measured. One function per promise; a path's own promises are in
scenarios/<path>/figures.py, as functions of the same shape.

Usage: scripts/figures.py [--long] [NAME...]

Prints asked, measured, pass. Without --long each check runs at a small fraction of its size. Needs
the presets built, which scripts/test.sh does. Exit: 0 all pass, 1 one does not, 3 usage.
"""
import importlib.util
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import programs
from bad_input import bad_inputs
from measuring import (CannotMeasure, Figure, benchmarks, committed_repros, found_cases, fuzz, key,
                       largest_deviation, minimize, named_own, named_sound, need, rate_of, replayed,
                       variants)

PRESETS = ("release", "asan", "tsan")


# 1. Every variant comes out as claimed.

def claims(full):
    """One command: every variant comes out as claimed."""
    seconds = 60 if full else 20
    found, ended = fuzz("--seconds", seconds, limit_seconds=seconds + 120)
    wrong = [f"{r['path']}/{r['variant']} {r['claim']}: {r['verdict']}" for r in found["results"]
             if r["verdict"] not in {"sound": ("held",), "unsound": ("caught",)}.get(r["claim"], ("vacuous",))]
    yield Figure(f"every claim comes out, {seconds} s, exit 0",
                 f"{len(found['results'])} variants, exit {ended.code}" + "".join(f"; {w}" for w in wrong),
                 ended.code == 0 and not wrong)


def fresh_clone(full):
    """The same from a fresh clone, with the one command of the README."""
    if not full:
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", str(programs.ROOT), folder + "/clone"], check=True)
        ended = subprocess.run(["./scripts/fuzz.sh", "--json"], cwd=folder + "/clone",
                               capture_output=True, text=True)
    try:
        rows = len(json.loads(ended.stdout)["results"])
    except json.JSONDecodeError:
        rows = 0
    yield Figure("fresh clone, ./scripts/fuzz.sh: exit 0", f"exit {ended.returncode}, {rows} variants",
                 ended.returncode == 0 and rows > 0)


def caught_in_time(full):
    """Empty corpus: every unsound variant is caught within 2 s on one core, for each seed."""
    seeds, seconds = range(1, 21 if full else 2), 2 if full else 1
    unsound = [name for name, claim in variants() if claim == "unsound"]
    missed, most_runs = [], 0
    for name in unsound:
        for seed in seeds:
            found, _ = fuzz(name, "--seconds", seconds, "--seed", seed, one_core=True)
            row = found["results"][0]
            if row["verdict"] == "caught":
                most_runs = max(most_runs, row["runs_to_first_fault"])
            else:
                missed.append(f"{name} seed {seed}")
    yield Figure(f"each unsound variant caught in {seconds} s on one core, seeds 1..{seeds[-1]}",
                 f"{len(unsound) * len(seeds) - len(missed)} of {len(unsound) * len(seeds)}, at most "
                 f"{most_runs} runs" + "".join(f"; missed {m}" for m in missed[:3]), not missed)


def coverage(full):
    """One generator serves all: a run of `own` reaches every op kind and every window often enough."""
    runs = 100_000 if full else 20_000
    for name in named_own():
        found, _ = fuzz(name, "--runs", runs, "--seed", 1)
        rows = [("window " + w["window"], w["reached"]) for w in key(found, "windows")]
        rows += [("op " + o["op"], o["reached"]) for o in key(found, "ops")]
        for what, reached in rows:
            print(f"    {name}  {what:40} {100 * reached / runs:6.2f} %")
        least = min(rows, key=lambda row: row[1])
        yield Figure(f"{name}: every op kind and window in >= 0.5 % of {runs} runs",
                     f"least: {least[0]}, {100 * least[1] / runs:.2f} %", least[1] >= 0.005 * runs)


# 2. Proved by enumeration.

def proofs(full):
    """For each window: the least k at which `borrow` fails, and what is sound holds at the same k."""
    need("release", "afterlife")
    for name, _ in variants():
        if name.endswith(("/borrow", "/own", "/retain_per_node")):
            ended = programs.run("release", "afterlife", "prove", name,
                                 limit_seconds=3600 if full else 300)
            print("    " + ended.out.strip().replace("\n", "\n    "))
            yield Figure(f"prove {name}: exit 0", f"exit {ended.code}, {ended.seconds:.1f} s",
                         ended.code == 0)


# 3. Replay.

def replays(full):
    """Found cases replay the same, event for event, again and again and in every build."""
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
    yield Figure(f"{total} of {total} replays of {len(files)} cases equal in {', '.join(PRESETS)}",
                 ", ".join(f"{preset} {count}" for preset, count in equal.items()),
                 len(files) >= cases and all(count == total for count in equal.values()))


# 4. Minimized reproducers.

def minimized(full):
    """Small, quick to get, idempotent, and still the same bug."""
    need("release", "afterlife")
    for folder in sorted(programs.ROOT.glob("corpus/*/smallest")):
        yield from minimized_of(folder.parent.name, 50 if full else 4)


def minimized_of(path, wanted):
    """The same for one path, of whose faults the smallest known cases are committed."""
    rows, changed, other = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for file in found_cases(folder, wanted, path):
            before = replayed(file)
            rows.append(minimize(file))
            once = file.read_text()
            minimize(file)
            changed += file.read_text() != once
            other += replayed(file)["signature"] != before["signature"]
    compared = [row["ops"] - row["known_ops"] for row in rows if row["known_ops"] is not None]
    if not compared:
        raise CannotMeasure(f"no case has a fault that corpus/{path}/smallest knows")
    extra = max(compared)
    within = [row["ops"] <= row["window_ops"] + 1 for row in rows if row["window_ops"] is not None]
    decisions = statistics.median(row["decisions"] for row in rows)
    seconds, runs = max(row["seconds"] for row in rows), max(row["runs"] for row in rows)
    yield Figure(f"{path}: ops at most those of the window's smallest program + 1",
                 f"{sum(within)} of {len(within)} ({len(rows) - len(within)} have no window)", all(within))
    yield Figure(f"{path}: ... and those of the smallest known case of the fault + 1",
                 f"at most {extra:+} ({len(compared)} of {len(rows)} are known in their config)", extra <= 1)
    yield Figure(f"{path}: decisions that are no ops: median at most 3", f"median {decisions:g}",
                 decisions <= 3)
    yield Figure(f"{path}: at most 2 s and 2000 runs each", f"at most {seconds:.2f} s, {runs} runs",
                 seconds <= 2 and runs <= 2000)
    yield Figure(f"{path}: idempotent, same signature",
                 f"{len(rows)} cases: {changed} changed again, {other} other signatures",
                 not changed and not other)


# 5. Sound under load.

def endurance(full):
    """What is claimed sound never fails, and memory does not grow with the number of runs."""
    runs = 10_000_000 if full else 50_000
    for name in named_sound():
        _, short = fuzz(name, "--runs", 10_000, "--seed", 1)
        found, long = fuzz(name, "--runs", runs, "--seed", 2, limit_seconds=3600)
        row = found["results"][0]
        yield Figure(f"{name}: {runs} runs without a fault", f"{row['verdict']}, {row['runs']} runs",
                     row["verdict"] == "held" and row["runs"] >= runs)
        grown = (long.peak_kib - short.peak_kib) / 1024
        yield Figure(f"{name}: peak memory within 1 MiB of that after 10000 runs",
                     f"{grown:+.2f} MiB (from {short.peak_kib / 1024:.1f} MiB)", grown <= 1)


def fuzzed(full):
    """libFuzzer under ASan finds nothing in what is claimed sound, and nothing leaks."""
    runs = 200_000 if full else 2_000
    for name in named_sound():
        path, variant = name.split("/")
        need("fuzz", f"fuzz_{path}")
        ended = programs.run("fuzz", f"fuzz_{path}", f"-runs={runs}", "-seed=1", "-detect_leaks=1",
                             env={"AFTERLIFE_VARIANT": variant}, limit_seconds=3600)
        yield Figure(f"{name}: {runs} libFuzzer runs under ASan, no fault, no leak",
                     f"exit {ended.code}, {ended.seconds:.0f} s", ended.code == 0)


# 6. Speed.

PLAIN_RUNS_PER_SECOND = {"bench_argpack": 150_000, "bench_managed_dict": 150_000}


def speed(full):
    """Against the bare fiber loop of the same binary and run. A small run on a busy machine is noisy:
    there the bar is half as high."""
    slack = 1 if full else 0.5
    spine = benchmarks("bench_spine", full)
    for name, asked in (("m2", 1 / 3), ("m3", 0.45)):
        rate, bare = rate_of(spine, name), rate_of(spine, name + "_bare")
        yield Figure(f"{name}: at least {asked:.2f} of the bare loop",
                     f"{rate / bare:.2f} ({rate:,.0f} of {bare:,.0f} schedules/s)",
                     rate / bare >= asked * slack)
    yield from turns(spine, slack)
    for program in programs.named("release", "bench_"):
        if program == "bench_spine":
            continue
        rows = benchmarks(program, full)
        rate = rate_of(rows, "plain")
        asked = PLAIN_RUNS_PER_SECOND.get(program, 100_000)
        yield Figure(f"{program} seeds/plain: at least {asked:,} runs/s", f"{rate:,.0f}",
                     rate >= asked * slack)
        for name in ("ops", "tasks"):
            points = sorted((int(n.split("/")[1]), row["cpu_time"]) for n, row in rows.items()
                            if n.startswith(name + "/"))
            off = largest_deviation(points) if len(points) > 2 else 1
            yield Figure(f"{program} cost linear in {name} "
                         f"({points[0][0]}..{points[-1][0]})" if points else f"{program} cost in {name}",
                         f"at most {100 * off:.0f} % off the line", off <= 0.25 / slack)


def turns(spine, slack):
    """A turn costs the same for 2 ranks and for 8, where all can go on (turn) and where each writes to
    all others, whose daemons sleep until then (exchange)."""
    for name in ("turn", "exchange"):
        costs = [1e9 / rate_of(spine, f"{name}/{ranks}") for ranks in (2, 4, 6, 8)]
        middle = statistics.median(costs)
        off = max(abs(cost / middle - 1) for cost in costs)
        yield Figure(f"{name}: at most 40 ns a turn, within 20 % over 2..8 ranks",
                     f"{min(costs):.0f}..{max(costs):.0f} ns, {100 * off:.0f} % off",
                     max(costs) <= 40 / slack and off <= 0.2 / slack)


# 7. Bad input.

def bad_input(full):
    """One clear line, the documented exit code, nothing half-written, no memory eaten."""
    for preset in ("release", "asan"):
        need(preset, "afterlife")
        wrong, count = [], 0
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for what, arguments, code in bad_inputs(folder):
                inside = sorted(folder.rglob("*"))
                ended = programs.run(preset, "afterlife", *arguments, limit_seconds=30)
                lines = [line for line in ended.err.splitlines() if line.strip()]
                wrote = sorted(folder.rglob("*")) != inside
                count += 1
                if (ended.code, len(lines), wrote, ended.out) != (code, 1, False, "") or ended.peak_kib > 1 << 19:
                    wrong.append(f"{what}: exit {ended.code}, {len(lines)} lines, {ended.peak_kib >> 10} MiB"
                                 + ", wrote files" * wrote + ", stdout" * bool(ended.out))
                    print(f"    {wrong[-1]}", *lines[:5], sep="\n      ")
        yield Figure(f"{preset}: {count} bad inputs: one line, exit 2 or 3 as documented, nothing written",
                     f"{count - len(wrong)} of {count}" + "".join(f"; {w}" for w in wrong[:3]), not wrong)


# 8. The simulated driver raises no false alarm.

def no_false_alarms(full):
    """Programs that keep to the documentation are never at fault, reach all of the driver, and each
    precondition that is dropped shows.
    """
    need("release", "afterlife_tests")
    count = 100_000 if full else 10_000
    ended = programs.run("release", "afterlife_tests", "--gtest_filter=SoundPrograms*",
                         env={"AFTERLIFE_SOUND_PROGRAMS": str(count)})
    rows = re.findall(r"^  (\d+) (\w+), each at least (\d+) times: (.*)$", ended.out, re.M)
    held = f"  {count} sound programs, no fault" in ended.out
    yield Figure(f"{count} sound programs: no fault", f"exit {ended.code}", ended.code == 0 and held)
    for things, kind, least, rarest in rows:
        yield Figure(f"each of the driver's {things} {kind} reached at least {count // 100} times by them",
                     f"least: {least}, {rarest}", int(least) >= count // 100)
    ended = programs.run("release", "afterlife_tests", "--gtest_filter=*DroppedPrecondition*")
    passed = re.search(r"\[  PASSED  \] (\d+) test", ended.out)
    dropped = int(passed[1]) if passed else 0
    yield Figure("each precondition that is dropped gives its fault, or its documented error",
                 f"{dropped} dropped, exit {ended.code}",
                 ended.code == 0 and dropped == sum(int(n) for n, kind, *_ in rows if kind == "preconditions") > 0)


# 9. The checks are checked.

def planted(full):
    """Each oracle goes red on its own planted fault, and the layer script on planted includes."""
    need("asan", "afterlife_tests")
    ended = programs.run("asan", "afterlife_tests", "--gtest_filter=*Oracle*:*Canary*:*Planted*")
    ran = re.search(r"\[  PASSED  \] (\d+) test", ended.out)
    count = int(ran[1]) if ran else 0
    yield Figure("a test per oracle sees its planted fault", f"{count} tests passed, exit {ended.code}",
                 ended.code == 0 and count > 0)
    ended = subprocess.run([str(programs.ROOT / "scripts/layers.py"), "--self-test"],
                           capture_output=True, text=True)
    yield Figure("layers.py sees planted includes", ended.stdout.strip().splitlines()[-1],
                 ended.returncode == 0)


def of_paths():
    """The figures of scenarios/*/figures.py."""
    for file in sorted(programs.ROOT.glob("scenarios/*/figures.py")):
        spec = importlib.util.spec_from_file_location(file.parent.name + "_figures", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from module.FIGURES


FIGURES = (claims, fresh_clone, caught_in_time, coverage, proofs, replays, minimized, endurance,
           fuzzed, speed, bad_input, no_false_alarms,
           planted, *of_paths())


def measure(full, names=()):
    """Runs the figures, prints a table row for each as it comes, and returns them all."""
    figures = []
    for function in FIGURES:
        if names and function.__name__ not in names:
            continue
        print(f"  {function.__name__}: {' '.join(function.__doc__.split())}", flush=True)
        try:
            for figure in function(full):
                figures.append(figure)
                print_row(figure)
        except CannotMeasure as reason:
            figures.append(Figure(function.__name__, str(reason), False))
            print_row(figures[-1])
    return figures


def print_row(figure):
    print(f"    {figure.asked} | {figure.measured} | {'pass' if figure.passed else 'FAIL'}", flush=True)


def table(figures):
    rows = [("asked", "measured", "pass")] + [
        (f.asked, f.measured, "yes" if f.passed else "NO") for f in figures]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [" | ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-+-".join("-" * w for w in widths), *lines[1:]])


def main():
    names = [a for a in sys.argv[1:] if a != "--long"]
    if "--help" in names or "-h" in names:
        print(__doc__.strip() + "\n\nNames: " + " ".join(f.__name__ for f in FIGURES))
        return 0
    unknown = set(names) - {f.__name__ for f in FIGURES}
    if unknown:
        print(f"figures: no figure named {', '.join(sorted(unknown))}; see --help", file=sys.stderr)
        return 3
    figures = measure("--long" in sys.argv, names)
    print(table(figures))
    return 0 if all(f.passed for f in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
