# SPDX-License-Identifier: Apache-2.0
"""Figures of the graph_argument path, beyond those that every path has."""
import re

from common import programs
from common.measuring import CannotMeasure, Figure, fuzz, list_all, need

PATH = "graph_argument"

# Runs of seeds/plain per second in the release build.
PLAIN_RUNS_PER_SECOND = 100_000

# Runs of a search for a first fault: scripts/measure/first_faults.py.
FIRST_FAULT_RUNS = 500_000


RUNS = 60_000


def hazards(full):
    """With an empty corpus, each unsound variant quickly shows each of its claimed hazards, with every seed."""
    seeds = range(1, 21 if full else 2)
    unsound = [row for path in list_all()["paths"] if path["path"] == PATH
               for row in path["variants"] if row["claim"] == "unsound"]

    def search(of):
        result, _ = fuzz(f"{PATH}/{of[0]['variant']}", "--runs", RUNS, "--seed", of[1], one_core=True)
        shown = {w["window"] for w in result["windows"] if w["caught"]}
        shown |= {s.split()[0] for s in result["results"][0]["signatures"]}
        missed = [f"{of[0]['variant']} {h} seed {of[1]}" for h in of[0]["hazards"] if h not in shown]
        return missed, result["results"][0]["seconds"]
    asked = [(row, seed) for row in unsound for seed in seeds]
    results = programs.side_by_side(search, asked)
    missed = [hazard for these, _ in results for hazard in these]
    count = sum(len(row["hazards"]) for row, _ in asked)
    slowest = max(seconds for _, seconds in results)
    yield Figure(f"{PATH}: each hazard of each unsound variant in {RUNS} runs, seeds 1..{seeds[-1]}",
                 f"{count - len(missed)} of {count}" + "".join(f"; missed {m}" for m in missed[:4]),
                 count > 0 and not missed)
    yield Figure.timed(full, f"{PATH}: ... and in 5 s on one core", f"at most {slowest:.1f} s", slowest <= 5)


def only_retention(full):
    """The over-correction fails with retention, and with no other fault."""
    found, _ = fuzz(f"{PATH}/retain_forever", "--runs", 100_000 if full else 5_000, "--seed", 1)
    kinds = sorted({s.split()[0] for s in found["results"][0]["signatures"]})
    yield Figure(f"{PATH}/retain_forever: retention and nothing else", ", ".join(kinds),
                 kinds == ["leak"])


def tests(pattern):
    """Runs tests of the release build and returns their output."""
    need("release", "afterlife_tests")
    ended = programs.run("release", "afterlife_tests", f"--gtest_filter={pattern}", limit_seconds=600)
    ran = re.search(r"\[  PASSED  \] (\d+) test", ended.out)
    if ended.code != 0 or not ran or ran[1] == "0":
        raise CannotMeasure(f"{pattern}: exit {ended.code}")
    return ended.out, int(ran[1])


def recycled(_full):
    """A recycled argument is reported at the kernel's line, while a plain ASan build of the program reports nothing."""
    out, count = tests("GraphArgumentRecycled.*")
    skipped = "SKIPPED" in out
    yield Figure(f"{PATH}: the recycled case is named, plain ASan silent", f"{count} tests"
                 + (", plain program skipped: no clang++" if skipped else ""), not skipped)


def provenance(full):
    """The cost of provenance relative to the uninstrumented host build, and of a launch of a million threads."""
    out, _ = tests("Cost.*")
    for kernel, most in (("block_sum", 1.3), ("saxpy", 5.0)):
        ratio = float(re.search(rf"provenance {kernel} ([\d.]+)", out)[1])
        yield Figure.timed(full, f"{PATH}: provenance on {kernel} at most {most} x", f"{ratio:.2f} x", ratio <= most)
    times = {int(n): float(s) for n, s in re.findall(r"threads (\d+) ([\d.]+)", out)}
    growth = times[1_000_000] / times[125_000]
    yield Figure.timed(full, f"{PATH}: 1 million CUDA threads, linear (8 x the threads of 125 000, at most 12 x the time)",
                       f"{times[1_000_000] * 1e3:.1f} ms, {growth:.1f} x", growth <= 12)


FIGURES = (hazards, only_retention, recycled, provenance)
