# SPDX-License-Identifier: Apache-2.0
"""Figures of the alltoallv path: what its issue asks for beyond what is asked of every path."""
import dataclasses
import re

from common import programs
from common.measuring import (CannotMeasure, Figure, benchmarks, fuzz, json_of, key, largest_deviation,
                     line_through, need)

SOUND = "alltoallv/snapshot_region"

# Runs of seeds/plain per second in the release build.
PLAIN_RUNS_PER_SECOND = 100_000

# Runs of a search for a first fault: scripts/measure/first_faults.py.
FIRST_FAULT_RUNS = 100_000

# Name of a way in which the race shows | pattern of the fault's signature.
SIGNS = {
    "the shadow generation": r"^ghost_generation mem_info_src .*used:alltoallv_unmap$",
    "the failed look-up": r"^wild_access missing region .*used:alltoallv_unmap$",
    "the stolen count": r"^wrong_owner region .*used:alltoallv_unmap$",
    "the silent leak": r"^leak reference to a mapping .*used:(?!collective_failed)",
}


def seeds(full):
    return range(1, 21 if full else 3)


RUNS = 15_000
SECONDS = 5


@dataclasses.dataclass
class Search:
    """The result of a search of RUNS runs on one core."""
    signatures: list
    caught: set  # Names of windows.
    seconds: float


def search(variant, seed):
    found, _ = fuzz(f"alltoallv/{variant}", "--runs", RUNS, "--seed", seed, one_core=True, limit_seconds=600)
    row = found["results"][0]
    return Search(key(row, "signatures"), {w["window"] for w in key(found, "windows") if w["caught"]},
                  key(row, "seconds"))


def in_time(full, what, searches):
    slowest = max(done.seconds for done in searches)
    return Figure.timed(full, f"{what}: ... and in {SECONDS} s on one core", f"at most {slowest:.1f} s",
                        slowest <= SECONDS)


def signs_of_the_race(full):
    """reread_slot is caught quickly in four ways, each with its own signature."""
    searches = programs.side_by_side(lambda seed: search("reread_slot", seed), seeds(full))
    missed = [f"{what}, seed {seed}" for seed, done in zip(seeds(full), searches)
              for what, pattern in SIGNS.items() if not any(re.search(pattern, s) for s in done.signatures)]
    asked = len(SIGNS) * len(seeds(full))
    yield Figure(f"reread_slot: {len(SIGNS)} signatures in {RUNS} runs, seeds 1..{seeds(full)[-1]}",
                 f"{asked - len(missed)} of {asked}" + "".join(f"; missed {m}" for m in missed[:3]),
                 not missed)
    yield in_time(full, "reread_slot", searches)


def the_others(full):
    """Each of the other variants is caught quickly by the fault that it is meant to have."""
    stuck = [(variant, "failed_after_claim") for variant in ("unmap_before_barrier", "third_barrier",
                                             "release_by_all")]
    retaining = [(variant, "leak") for variant in ("ignore_missing", "never_unmap",
                                                        "check_generation")]
    for variant, hazard in [("snapshot_pointer", "key_reused")] + retaining + stuck:
        searches = programs.side_by_side(lambda seed: search(variant, seed), seeds(full))
        missed = [seed for seed, done in zip(seeds(full), searches)
                  if hazard not in done.caught and not any(s.startswith(hazard + " ") for s in done.signatures)]
        yield Figure(f"{variant} caught by {hazard} in {RUNS} runs, seeds 1..{seeds(full)[-1]}",
                     f"missed {missed}" if missed else "all", not missed)
        yield in_time(full, variant, searches)


def holds_at_both_ends(full):
    """snapshot_region never fails, with 2 ranks and with 8."""
    for ranks, runs in ((2, 10_000_000), (8, 1_000_000)):
        wanted = runs if full else runs // 500
        done, failed, seed = 0, "", 0
        while done < wanted and not failed:
            seed += 1
            found, _ = fuzz(SOUND, "--config", f"C=1 ranks={ranks} close=never", "--runs", min(wanted, 1_000_000),
                            "--seed", seed, limit_seconds=7200)
            row = found["results"][0]
            done += row["runs"]
            failed = "" if row["verdict"] == "held" else f", {row['verdict']} with seed {seed}"
        yield Figure(f"{SOUND}: {wanted} runs at {ranks} ranks without a fault, results equal to the "
                     "reference in each", f"{done} runs{failed}", not failed and done >= wanted)


def facts(full):
    """Enumerating tests show when the window is reachable, and the effect of a stale key."""
    need("release", "afterlife_tests")
    for what in ("AlltoallvPreconditions", "AlltoallvStaleKey", "AlltoallvReference"):
        ended = programs.run("release", "afterlife_tests", f"--gtest_filter={what}.*")
        passed = re.search(r"\[  PASSED  \] (\d+) test", ended.out)
        yield Figure(f"{what}: every test passes",
                     f"{passed[1] if passed else 0} passed, {ended.seconds:.1f} s",
                     ended.code == 0 and passed is not None)


def smallest_reproducer(full):
    """The minimized case of the reported crash: two ranks, one slot, two collectives."""
    file = programs.ROOT / "corpus/alltoallv/repros/reread_slot-source_reread.repro"
    row = json_of("replay", file)
    text = file.read_text()
    ops = len(re.findall(r"(?m)^job:\d+ op ", text))
    program = (programs.ROOT / "corpus/alltoallv/programs/source_reread.repro").read_text()
    smallest = len(re.findall(r"(?m)^job:\d+ op ", program))
    crash = any(re.search(SIGNS["the failed look-up"], f["signature"]) for f in row["faults"])
    yield Figure("2 ranks, C=1, the failed look-up, at most the smallest program + 1",
                 f"{row['config']}, {ops} ops where the program has {smallest}",
                 crash and "C=1 ranks=2" in row["config"] and ops <= smallest + 1)


def scale(full):
    """The cost of a turn by ranks and collectives, the number of turns, and the number of runs."""
    rows = {name: row for name, row in benchmarks("bench_alltoallv", full).items()
            if name.startswith("ranks/")}
    if not rows:
        raise CannotMeasure("bench_alltoallv has no ranks/N/collectives/M")
    costs = {name: row["cpu_time"] / row["turns"] for name, row in rows.items()}
    low, high = min(costs, key=costs.get), max(costs, key=costs.get)
    off = (costs[high] - costs[low]) / (costs[high] + costs[low])
    yield Figure.timed(full, "a turn costs at most 40 ns, over 2..8 ranks and 1..32 collectives",
                       f"{costs[low]:.1f} ({low}) to {costs[high]:.1f} ns ({high})",
                       costs[high] <= 40)
    yield Figure.timed(full, "... and the same within 20 %", f"within {100 * off:.0f} %", off <= 0.2)
    slopes, off = {}, 0
    for ranks in sorted({int(name.split("/")[1]) for name in rows}):
        points = sorted((row["turns"], row["cpu_time"]) for name, row in rows.items()
                        if name.startswith(f"ranks/{ranks}/"))
        slopes[ranks] = line_through(points)[1]
        off = max(off, largest_deviation(points))
    low, high = min(slopes.values()), max(slopes.values())
    spread = (high - low) / (high + low)
    yield Figure.timed(full, "... and without the start of a run at most 40 ns, over 2..8 ranks",
                       ", ".join(f"{ranks}: {cost:.1f}" for ranks, cost in slopes.items()) + " ns",
                       high <= 40)
    yield Figure.timed(full, "... and the same within 20 %", f"within {100 * spread:.0f} %",
                       spread <= 0.2)
    yield Figure.timed(full, "... also over 1..32 collectives: at most 20 % off a line",
                       f"at most {100 * off:.0f} % off", off <= 0.2)
    wide = rows["ranks/8/collectives/16"]
    per = wide["turns"] / (8 * 16)
    yield Figure("at least 60 turns per rank and collective at 8 ranks",
                 f"{per:.0f} ({wide['turns']:.0f} in a run of 16)", per >= 60)
    yield Figure.timed(full, "8 ranks, 16 collectives: at least 1500 runs/s",
                       f"{wide['items_per_second']:.0f}", wide["items_per_second"] >= 1500)


FIGURES = (signs_of_the_race, the_others, holds_at_both_ends, facts, smallest_reproducer, scale)
