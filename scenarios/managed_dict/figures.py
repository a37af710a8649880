# SPDX-License-Identifier: Apache-2.0
"""Figures of the managed_dict path, as scripts/measure/figures.py measures its own."""
import pathlib
import sys

from common import programs
from common.measuring import Figure, fuzz, need, variants

RUNS = 20_000
SECONDS = 5
ALARM_FREE = ("stock", "inline_values", "legal_recycle", "legal_materialise")
RIGHT = {"sound": "held", "unsound": "caught", "vacuous": "vacuous"}

# Runs of seeds/plain per second in the release build.
PLAIN_RUNS_PER_SECOND = 150_000

# Runs of a search for a first fault: scripts/measure/first_faults.py.
FIRST_FAULT_RUNS = 1_000_000


def managed_dict_verdicts(full):
    """With an empty corpus, each variant quickly gets the right verdict on one core, with every seed."""
    seeds = range(1, 21 if full else 2)
    asked = [(name, claim, seed) for name, claim in variants() if name.startswith("managed_dict/")
             for seed in seeds]

    def search(of):
        found, _ = fuzz(of[0], "--runs", RUNS, "--seed", of[2], one_core=True)
        return found["results"][0]
    rows = programs.side_by_side(search, asked)
    wrong = [f"{name} seed {seed}: {row['verdict']}" for (name, claim, seed), row in zip(asked, rows)
             if row["verdict"] != RIGHT[claim]]
    most_runs = max(row["runs_to_first_fault"] or 0 for row in rows)
    slowest = max(row["seconds"] for row in rows)
    yield Figure(f"managed_dict: right verdict in {RUNS} runs, seeds 1..{seeds[-1]}",
                 f"{len(asked) - len(wrong)} of {len(asked)}, caught within {most_runs} runs"
                 + "".join(f"; {w}" for w in wrong[:3]), not wrong)
    yield Figure.timed(full, f"managed_dict: ... and in {SECONDS} s on one core", f"at most {slowest:.1f} s",
                       slowest <= SECONDS)


def managed_dict_alarms(full):
    """Legal and sound variants raise no alarm."""
    runs = 10_000_000 if full else 100_000
    for variant in ALARM_FREE:
        found, ended = fuzz("managed_dict/" + variant, "--runs", runs, limit_seconds=1200)
        row = found["results"][0]
        yield Figure(f"managed_dict/{variant}: {runs} runs without an alarm",
                     f"{row['runs']} runs, {row['verdict']}, {len(row['signatures'])} signatures",
                     ended.code == 0 and row["runs"] >= runs and not row["signatures"])


def managed_dict_sensitivity(full):
    """At every setting, the search finds a fault that the report's loop of 50 000 iterations misses."""
    need("release", "afterlife_tests")
    ended = programs.run("release", "afterlife_tests", "--gtest_filter=ManagedDictSensitivity.*",
                         env={"AFTERLIFE_FULL": "1"} if full else {})
    rows = [line for line in ended.out.splitlines() if line.startswith("| ")][1:]
    for line in rows:
        print("    " + line)
    passed = sum("| passes |" in line for line in rows)
    yield Figure("managed_dict: found at each setting", f"{len(rows)} settings, exit {ended.code}",
                 ended.code == 0 and len(rows) > 0)
    yield Figure("managed_dict: ... among which are some that the plain loop passes",
                 f"{passed} of {len(rows)} settings pass the loop" if full else "left out: the loop takes hours",
                 passed > 0 if full else None)


sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import explain_figures  # noqa: E402, it is beside this file

FIGURES = (managed_dict_verdicts, managed_dict_alarms, managed_dict_sensitivity,
           *explain_figures.FIGURES)
