"""Figures of the managed_dict path, as scripts/figures.py measures its own."""
import pathlib
import sys

import programs
from measuring import Figure, fuzz, need, variants

SECONDS = 5
ALARM_FREE = ("stock", "inline_values", "legal_recycle", "legal_materialise")
RIGHT = {"sound": "held", "unsound": "caught", "vacuous": "vacuous"}


def managed_dict_verdicts(full):
    """Empty corpus, one core: each variant gets the right verdict within 5 s, for each seed."""
    seeds = range(1, 21 if full else 2)
    claims = [(name, claim) for name, claim in variants() if name.startswith("managed_dict/")]
    wrong, most_runs = [], 0
    for name, claim in claims:
        for seed in seeds:
            budget = ("--seconds", SECONDS) if full else ("--runs", 20_000)
            if claim == "unsound":
                budget = ("--seconds", SECONDS, "--runs", 20_000)
            found, _ = fuzz(name, *budget, "--seed", seed, one_core=True)
            row = found["results"][0]
            if row["verdict"] != RIGHT[claim]:
                wrong.append(f"{name} seed {seed}: {row['verdict']}")
            elif claim == "unsound":
                most_runs = max(most_runs, row["runs_to_first_fault"])
    asked = len(claims) * len(seeds)
    yield Figure(f"managed_dict: right verdict in {SECONDS} s on one core, seeds 1..{seeds[-1]}",
                 f"{asked - len(wrong)} of {asked}, caught within {most_runs} runs"
                 + "".join(f"; {w}" for w in wrong[:3]), not wrong)


def managed_dict_alarms(full):
    """What is legal or sound raises no alarm."""
    runs = 10_000_000 if full else 100_000
    for variant in ALARM_FREE:
        found, ended = fuzz("managed_dict/" + variant, "--runs", runs, limit_seconds=1200)
        row = found["results"][0]
        yield Figure(f"managed_dict/{variant}: {runs} runs without an alarm",
                     f"{row['runs']} runs, {row['verdict']}, {len(row['signatures'])} signatures",
                     ended.code == 0 and row["runs"] >= runs and not row["signatures"])


def managed_dict_sensitivity(full):
    """The search finds what the report's loop of 50 000 iterations passes by, at every setting."""
    need("release", "afterlife_tests")
    ended = programs.run("release", "afterlife_tests", "--gtest_filter=ManagedDictSensitivity.*",
                         env={"AFTERLIFE_FULL": "1"} if full else {})
    rows = [line for line in ended.out.splitlines() if line.startswith("| ")][1:]
    for line in rows:
        print("    " + line)
    passed = sum("| passes |" in line for line in rows)
    measured = f"{passed} of {len(rows)} settings pass the loop" if full else "a few settings"
    yield Figure("managed_dict: found at each setting, where the plain loop passes too",
                 f"{measured}, exit {ended.code}",
                 ended.code == 0 and (passed > 0 or not full))


sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import explain_figures  # noqa: E402, it lies beside this file

FIGURES = (managed_dict_verdicts, managed_dict_alarms, managed_dict_sensitivity,
           *explain_figures.FIGURES)
