#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory: what a search of a sound variant of each path takes at most, and by how much that grows with its runs.

Usage: scripts/gate/memory.py --self-test | --planted PRESET

Growth is of the bytes that the heap has handed out, and exact: nothing is left of a run. --planted has a copy of this
tree keep 16 bytes of each run, and compares that with this tree: what grew must be red, and this tree with itself not.
Exit: 0 judged rightly, 1 not, 2 a side cannot be built or measured, 3 usage.
"""
import subprocess
import sys

import canaries
import outcome
import plants
import revisions
from counters import Row

RUNS = 20_000
GROWTH_ALLOWED = 4_000_000  # Bytes per million runs, that is, four bytes per run.
PEAK_ALLOWED = 0.1          # A fraction of the process's peak, which varies with the library pages in memory.
PEAK_ALLOWED_BYTES = 4 << 20


def measured(program, variant, environment=None):
    """Returns the peak and the growth of one variant, or None if the program does not have the command."""
    command = ["setarch", "-R", program, "memory", variant, "--runs", str(RUNS), "--json"]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                           env=environment or {})
    if ended.returncode == 3:
        return None
    found = outcome.json_of(f"{program}: memory {variant}", ended)
    try:
        return {"peak": found["peak_bytes"] + 0, "growth": found["variants"][variant]["growth_per_million_runs"] + 0}
    except (KeyError, TypeError):
        raise revisions.CannotCompare(f"{program}: memory {variant} printed no numbers") from None


def of_paths(side):
    """Returns the peak and the growth of the first sound variant of each path; empty if the revision cannot measure them."""
    found = {variant: measured(side.program("afterlife"), variant) for variant in side.sound_of_each_path()}
    return {f"{variant} {kind}": round(value) for variant, row in found.items() if row for kind, value in row.items()}


def verdict(name, base, head):
    if base is None:
        return "new"
    if head is None:
        return "gone"
    if head == base:
        return "equal"
    allowed = GROWTH_ALLOWED if name.endswith(" growth") else max(PEAK_ALLOWED_BYTES, PEAK_ALLOWED * base)
    if abs(head - base) <= allowed:
        return "within"
    return "grew" if head > base else "fell"


def compared(base, head):
    """Returns a row for each number of either side."""
    return [Row(name, base.get(name), head.get(name), verdict(name, base.get(name), head.get(name)))
            for name in sorted(base | head)]


def planted(preset):
    """Runs and prints the trial with a leak; returns its exit code."""
    sound, leaking = canaries.build_of(preset, "afterlife") / "afterlife", plants.build(preset)
    wrong = 0
    for variant in revisions.sound_of_each_path(sound):
        base, again = measured(sound, variant), measured(sound, variant)
        leak = measured(leaking, variant, {plants.VARIABLE: "leak"})
        red = [[row.is_red for row in compared({f"{variant} {kind}": value for kind, value in base.items()},
                                               {f"{variant} {kind}": value for kind, value in side.items()})]
               for side in (again, leak)]
        wrong += any(red[0]) or not any(red[1])
        print(f"{variant}: growth {base['growth']:.0f} and {again['growth']:.0f}, with the leak {leak['growth']:.0f}: "
              f"{'red' if any(red[1]) else 'not red'}, and with itself {'red' if any(red[0]) else 'not'}", flush=True)
    return 1 if wrong else 0


# ---- the self-test ----

# Name | base | head | expected verdict.
PLANTS = [
    ("a growth", 0, 0, "equal"), ("a growth", 0, 16_000_000, "grew"), ("a growth", 0, 4_000_001, "grew"),
    ("a growth", 0, 3_999_999, "within"), ("a growth", 16_000_000, 0, "fell"), ("a growth", None, 5, "new"),
    ("a growth", 5, None, "gone"), ("a peak", 100 << 20, 105 << 20, "within"), ("a peak", 100 << 20, 111 << 20, "grew"),
    ("a peak", 10 << 20, 13 << 20, "within"), ("a peak", 10 << 20, 15 << 20, "grew"), ("a peak", 100 << 20, 80 << 20, "fell"),
]


def self_test():
    rightly = sum(verdict(*plant[:3]) == plant[3] for plant in PLANTS)
    rows = compared({"a growth": 0, "b growth": 0, "c peak": 9}, {"a growth": 32_000_000, "b growth": 0})
    rightly += [row.name for row in rows if row.is_red] == ["a growth", "c peak"]
    print(f"memory: {rightly} of {len(PLANTS) + 1} plants judged rightly")
    return 0 if rightly == len(PLANTS) + 1 else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) == 3 and sys.argv[1] == "--planted":
        try:
            sys.exit(planted(sys.argv[2]))
        except revisions.CannotCompare as why:
            print(f"memory: {why}", file=sys.stderr)
            sys.exit(2)
    print(__doc__.strip())
    sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 3)
