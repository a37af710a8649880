# SPDX-License-Identifier: Apache-2.0
"""What mutants.py rests on, without a build."""
import re

from common import programs
from mutation.driver_mutants import asking, copy, switches, unseen
from mutation.driver_mutants.rules import RULES, Rule

SOURCE = """
int f(int a, bool b) {
  // A comment; with marks {
  if (a > 1 && b) return g(a, 2);
  const bool both = a == 3 || b;
  switch (a) {
    case 4:
      h(a);
      return 5;
  }
  if (b) {
    i(a);
  } else {
    j(a);
  }
  return both ? 6 : 7;
}
"""
# Text to change | replacement | resulting text with a switch.
EXPECTED = [
    ("a > 1 && b", "a > 1",
     "if ((mutant::on(0) ? static_cast<bool>(a > 1 ) : static_cast<bool>(a > 1 && b))) return g(a, 2);"),
    ("g(a, 2)", "g(a, 1)", "g(a, (mutant::on(0) ? (1) : (2)))"),
    ("a == 3 || b", "a == 3", "const bool both = (mutant::on(0) ? (a == 3 ) : (a == 3 || b));"),
    ("h(a);", "", "if (mutant::on(0)) {  } else { h(a); }\n      return 5;"),
    ("return 5;", "return 50;", "if (mutant::on(0)) { return 50; } else { return 5; }"),
    ("i(a);\n  } else {\n    j(a);", "j(a);\n  } else {\n    i(a);",
     "if (mutant::on(0)) { if (b) {\n    j(a);\n  } else {\n    i(a);\n  } } else { if (b) {"),
    ("both ? 6 : 7", "both ? 7 : 6", "if (mutant::on(0)) { return both ? 7 : 6; } else { return both ? 6 : 7; }"),
]
CHAIN = [("a > 1 && b", "a > 1", "(mutant::on(1) ? static_cast<bool>(a > 2 && b) : (mutant::on(0) ? "),
         ("a > 1", "a > 2", "")]


def misfits(lay_out=lambda text: text):
    """Returns the rules whose change does not fit exactly one place, or cannot be switched there."""
    wrong, texts = [], {}
    for rule in RULES:
        file = copy.SIM + rule.file
        if file not in texts:
            texts[file] = switches.Switched(file, lay_out((programs.ROOT / file).read_text()))
        try:
            texts[file].region(rule, 0)
        except switches.CannotSwitch as reason:
            wrong.append(f"does not fit any more: {reason}")
    return wrong + [f"two rules have one name: {name}" for name in
                    {rule.name for rule in RULES if [other.name for other in RULES].count(rule.name) > 1}]


def wrong_switches():
    for old, new, expected in EXPECTED:
        text = switches.switch_all("a.cpp", SOURCE, [(Rule(old, "a.cpp", old, new), 0)])
        if expected not in text:
            yield f"`{old}` does not become `{expected}`:\n{text}"
    text = switches.switch_all("a.cpp", SOURCE, [(Rule(old, "a.cpp", old, new), number)
                                                 for number, (old, new, _) in enumerate(CHAIN)])
    if CHAIN[0][2] not in text:
        yield f"two rules of one place are no chain:\n{text}"
    try:
        switches.switch_all("a.cpp", SOURCE, [(Rule("a declaration", "a.cpp", "const bool both", "bool both"), 0)])
        yield "a declaration was switched"
    except switches.CannotSwitch:
        pass


def wrong_judgements():
    """Yields complaints unless each of these is an error: a mutant that no test or too many tests detect, and a wrong list."""
    name = RULES[0].name
    for word, seen, expected in (("red", ["a"], 0), ("green", [], 1), ("unreached", [], 1), ("coarse", ["a"] * 9, 1)):
        if unseen.judge({name: asking.Answer(word, seen, 9, 0)}) != expected and name not in unseen.listed():
            yield f"the answer {word} does not end in exit code {expected}"
    for name in unseen.listed():
        if unseen.judge({name: asking.Answer("red", ["a"], 9, 0)}) != 1:
            yield f"{name} is listed as unseen and may be seen"
    failed, began = asking.read_notes("began A\npassed A\nbegan B\nfailed B\nbegan C\n")
    if failed != ["B", "C"] or began != {"A", "B", "C"}:
        yield "a test that ended the process did not count as one that saw the mutant"


def run():
    wrong = list(wrong_switches()) + list(wrong_judgements())
    lost = misfits(lambda text: re.sub(r"\s+", "\n  ", re.sub(r"//[^\n]*", "", text)))
    for line in wrong + lost:
        print(f"mutants: {line}")
    print(f"mutants: {len(EXPECTED) + 2} switches of a small source; {len(RULES) - len(lost)} of {len(RULES)} changes fit "
          "sources with a word on each line")
    return 1 if wrong or lost else 0
