#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Budget: what the commits between two revisions say may become slower, and by how much.

Usage: scripts/gate/budget.py --self-test

A line of a commit message, with the name as the gate prints it, and a growth of at most 25 %:

    perf-budget: argpack/plain +4 %

It is spent where the branch is merged: the next comparison begins behind it. Exit: 0 all plants were judged rightly,
1 not, 3 usage.
"""
import re

import self_tested

MOST_PERCENT = 25
LINE = re.compile(r"^perf-budget:\s*(.*)$", re.M)
MEANING = re.compile(r"(\S.*?)\s+\+(\d+(?:\.\d+)?)\s*%")


class BadBudget(Exception):
    """A line of a message states no valid budget; the text names the line."""


def read(messages):
    """Returns the largest growth allowed by the messages, by name, as a fraction."""
    budget = {}
    for text in LINE.findall(messages):
        match = MEANING.fullmatch(text.strip())
        if not match:
            raise BadBudget(f"'perf-budget: {text.strip()}' states no name and growth, as 'argpack/plain +4 %' does")
        if float(match[2]) > MOST_PERCENT:
            raise BadBudget(f"'perf-budget: {text.strip()}' is more than {MOST_PERCENT} %, which no budget allows")
        budget[match[1]] = max(budget.get(match[1], 0), float(match[2]) / 100)
    return budget


def covers(budget, name, ratio):
    """Returns whether the budget allows this ratio of head to base."""
    return name in budget and ratio <= 1 + budget[name] + 1e-12


# ---- the self-test ----

# Messages | name | ratio | whether it is allowed; None if the messages must be refused.
PLANTS = [
    ("a: b\n\nperf-budget: a/plain +4 %\n", "a/plain", 1.04, True), ("perf-budget: a/plain +4 %", "a/plain", 1.041, False),
    ("perf-budget: a/plain +4%", "b/plain", 1.01, False), ("", "a/plain", 1.0001, False),
    ("perf-budget: a/own plain turns +2.5 %", "a/own plain turns", 1.02, True),
    ("perf-budget: a +1 %\nperf-budget: a +3 %", "a", 1.03, True), ("  perf-budget: a +4 %", "a", 1.01, False),
    ("perf-budget: a +26 %", "a", 1.01, None), ("perf-budget: a", "a", 1.01, None), ("perf-budget:", "a", 1.01, None),
    ("perf-budget: a -4 %", "a", 1.01, None), ("perf-budget: a +4", "a", 1.01, None),
]


def judged(messages, name, ratio):
    try:
        return covers(read(messages), name, ratio)
    except BadBudget:
        return None


def self_test():
    wrong = [plant for plant in PLANTS if judged(*plant[:3]) is not plant[3]]
    for plant in wrong:
        print(f"budget: judged wrongly: {plant}")
    print(f"budget: {len(PLANTS) - len(wrong)} of {len(PLANTS)} plants judged rightly")
    return 1 if wrong else 0


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
