"""Figures of the graph_argument path, beyond those that every path has."""
import re

import programs
from measuring import CannotMeasure, Figure, fuzz, need

PATH = "graph_argument"


def hazards(full):
    """Empty corpus: each unsound variant shows each hazard that it claims within 5 s on one core, for each seed."""
    seeds = range(1, 21 if full else 2)
    found, _ = fuzz(PATH, "--runs", 1)
    unsound = [r for r in found["results"] if r["claim"] == "unsound"]
    missed = []
    for row in unsound:
        for seed in seeds:
            result, _ = fuzz(f"{PATH}/{row['variant']}", "--seconds", 5, "--seed", seed, one_core=True)
            shown = {w["window"] for w in result["windows"] if w["caught"]}
            shown |= {s.split()[0] for s in result["results"][0]["signatures"]}
            missed += [f"{row['variant']} {h} seed {seed}" for h in row["hazards"] if h not in shown]
    count = sum(len(r["hazards"]) for r in unsound) * len(seeds)
    yield Figure(f"{PATH}: each hazard of each unsound variant in 5 s on one core, seeds 1..{seeds[-1]}",
                 f"{count - len(missed)} of {count}" + "".join(f"; missed {m}" for m in missed[:4]),
                 count > 0 and not missed)


def only_retention(full):
    """The over-correction is red for retention, and for nothing else."""
    found, _ = fuzz(f"{PATH}/retain_forever", "--runs", 100_000 if full else 5_000, "--seed", 1)
    kinds = sorted({s.split()[0] for s in found["results"][0]["signatures"]})
    yield Figure(f"{PATH}/retain_forever: retention and nothing else", ", ".join(kinds),
                 kinds == ["retention"])


def tests(pattern):
    """Runs tests of the release build and returns what they printed."""
    need("release", "afterlife_tests")
    ended = programs.run("release", "afterlife_tests", f"--gtest_filter={pattern}", limit_seconds=600)
    ran = re.search(r"\[  PASSED  \] (\d+) test", ended.out)
    if ended.code != 0 or not ran or ran[1] == "0":
        raise CannotMeasure(f"{pattern}: exit {ended.code}")
    return ended.out, int(ran[1])


def recycled(_full):
    """A recycled argument is reported at the kernel's line; a plain ASan build of the program is silent."""
    out, count = tests("GraphArgumentRecycled.*")
    skipped = "SKIPPED" in out
    yield Figure(f"{PATH}: the recycled case is named, plain ASan silent", f"{count} tests"
                 + (", plain program skipped: no clang++" if skipped else ""), not skipped)


def provenance(_full):
    """What provenance costs against the uninstrumented host build, and a launch of a million threads."""
    out, _ = tests("Cost.*")
    for kernel, most in (("block_sum", 1.3), ("saxpy", 5.0)):
        ratio = float(re.search(rf"provenance {kernel} ([\d.]+)", out)[1])
        yield Figure(f"{PATH}: provenance on {kernel} at most {most} x", f"{ratio:.2f} x", ratio <= most)
    times = {int(n): float(s) for n, s in re.findall(r"threads (\d+) ([\d.]+)", out)}
    growth = times[1_000_000] / times[125_000]
    yield Figure(f"{PATH}: 1 million CUDA threads, linear (8 x the threads of 125 000, at most 12 x the time)",
                 f"{times[1_000_000] * 1e3:.1f} ms, {growth:.1f} x", growth <= 12)


FIGURES = (hazards, only_retention, recycled, provenance)
