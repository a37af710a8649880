# SPDX-License-Identifier: Apache-2.0
"""The labelled set of defects: read from a file, and written into the copy of the tree as switches."""
import collections
import dataclasses
import hashlib
import re
import tomllib

from mutation.mutation_copy import ROOT, CannotMutate

KINDS = ("wrong stream", "wrong event", "early free", "wrong argument", "lost count", "stale key")
OPEN, CLOSE = "«", "»"


def hashed(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


@dataclasses.dataclass
class Defect:
    id: str
    kind: str
    file: str  # The path below targets/PATH/.
    old: str
    new: str
    number: int
    half: str = ""

    @property
    def path(self):
        return self.id.split("/")[0]

    def place(self, text):
        """Returns the begin and end of the text to replace, in the file's text without the marks."""
        before, rest = self.old.split(OPEN)
        what, after = rest.split(CLOSE)
        if text.count(before + what + after) != 1:
            raise CannotMutate(f"{self.id}: its text is in {self.file} {text.count(before + what + after)} times")
        begin = text.index(before + what + after) + len(before)
        return begin, begin + len(what)


def read(file, seed):
    """Returns the defects of a file, split for each seed into two halves: every other one of each path and kind, in the order of a hash."""
    defects = [Defect(number=number, **row) for number, row in enumerate(tomllib.loads(file.read_text())["defect"])]
    if wrong := [one.id for one in defects if one.kind not in KINDS]:
        raise CannotMutate(f"{file.name}: no kind of defect: {', '.join(wrong)}")
    strata = collections.defaultdict(list)
    for one in sorted(defects, key=lambda one: hashed(f"{seed} {one.id}")):
        strata[one.path, one.kind].append(one)
    turn = 0
    for stratum in sorted(strata):
        for one in strata[stratum]:
            one.half = ("look", "held")[turn % 2]
            turn += 1
    return defects


class SwitchedPath:
    """The sources of a path with its defects as switches, in the form that mutation_copy.copy_tree() expects."""

    def __init__(self, name, defects):
        self.name, self.texts = name, {}
        for file in sorted({one.file for one in defects}):
            text = (ROOT / "targets" / name / file).read_text()
            placed = [(*one.place(text), one) for one in defects if one.file == file]
            self.texts[file] = f'#include "mutation_active.h"\n#line 1 "targets/{name}/{file}"\n' + self.switched(text, placed)

    @staticmethod
    def switched(text, placed):
        """Inserts the inner places first; for the same place, in the order of the set."""
        inserts = []  # (position, whether it closes first, nesting depth, text)
        for begin, end, one in placed:
            for other_begin, other_end, other in placed:
                if begin < other_begin < end < other_end:
                    raise CannotMutate(f"{one.id} and {other.id} overlap")
            active = f"mutation::on({one.number})"
            if text[begin:end].rstrip()[-1] in ";}":
                before, after = f"{{ if ({active}) {{ {one.new} }} else {{ ", " } }"
            else:
                before, after = f"({active} ? ({one.new}) : (", "))"
            inserts.append((begin, 1, -(end - begin), one.number, before))
            inserts.append((end, 0, end - begin, -one.number, after))
        pieces, at = [], 0
        for position, _, _, _, piece in sorted(inserts):
            pieces += [text[at:position], piece]
            at = position
        return "".join(pieces + [text[at:]])


def broken_by(errors, defects):
    """Returns the defects in a line with a compiler error."""
    lines = {(match[1], int(match[2])) for match in re.finditer(r"targets/(\S+?):(\d+):\d+: error", errors)}
    def is_broken(one):
        text = (ROOT / "targets" / one.path / one.file).read_text()
        first, last = (text.count("\n", 0, position) + 1 for position in one.place(text))
        return any(file == f"{one.path}/{one.file}" and first <= line <= last for file, line in lines)
    return [one for one in defects if is_broken(one)]


def self_test():
    """Returns whether the text contains both of two nested defects, and both of two defects at the same place."""
    text = "void f() {\n  if (a > 1) g(a);\n}\n"
    def defect(number, old, new):
        return Defect("path/x", "stale key", "f.cpp", old, new, number)
    placed = [(*one.place(text), one) for one in (defect(0, "if («a > 1»)", "true"), defect(1, "«if (a > 1) g(a);»", ";"),
                                                  defect(2, "g(«a»)", "b"), defect(3, "g(«a»)", "c"))]
    wanted = ("void f() {\n  { if (mutation::on(1)) { ; } else { if ((mutation::on(0) ? (true) : (a > 1))) "
              "g((mutation::on(2) ? (b) : ((mutation::on(3) ? (c) : (a))))); } }\n}\n")
    told = SwitchedPath.switched(text, placed)
    if told != wanted:
        print(f"triage_defects: switched to\n{told}")
    return told == wanted


def paths_of(defects):
    by_path = collections.defaultdict(list)
    for one in defects:
        by_path[one.path].append(one)
    return [SwitchedPath(name, by_path[name]) for name in sorted(by_path)]
