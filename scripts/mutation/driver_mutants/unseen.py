# SPDX-License-Identifier: Apache-2.0
"""The list of rules that no test sees, and what follows from the answers."""
import pathlib

from mutation.driver_mutants.rules import RULES

FILE = pathlib.Path(__file__).resolve().parent / "unseen.txt"


def listed():
    """Returns the name of each listed rule with the reason why no test detects its mutant. A reason is indented below its name."""
    found, name = {}, None
    for line in FILE.read_text().splitlines():
        if line.startswith("    ") and name is not None:
            found[name] = f"{found[name]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            name = line.strip()
            found[name] = ""
    return found


def stale():
    """Returns the complaints about the list itself, one per entry."""
    names = {rule.name for rule in RULES}
    return [f"the list has no reason for: {name}" for name, why in listed().items() if not why] + \
        [f"the list has what is no rule: {name}" for name in listed() if name not in names]


def judge(answers):
    """Prints the mutants that no test detects, and the complaints. Returns the exit code."""
    reasons, code = listed(), 0
    red = [name for name, answer in answers.items() if answer.word == "red"]
    print(f"mutants: {len(red)} of {len(answers)} red")
    for name, answer in answers.items():
        if name in reasons and answer.word in ("green", "unreached"):
            print(f"  no test sees it ({answer.word}): {name}: {reasons[name]}")
        elif name in reasons:
            print(f"  is listed as unseen, and {len(answer.seen_by)} tests see it: {name}")
            code = 1
        elif answer.word == "coarse":
            print(f"  does not count, {len(answer.seen_by)} tests and more see it: {name}")
            code = 1
        elif answer.word != "red":
            print(f"  missed ({answer.word}): {name}")
            code = 1
    return code
