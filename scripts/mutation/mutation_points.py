# SPDX-License-Identifier: Apache-2.0
"""Mutation points: where in a C++ source a mutation harness changes what the code does, and how.

A source is cut into statements (not with a compiler: the tree's own style is all that it must read), and
each place where something can be left out, forced or put after its neighbour becomes a point:

  drop      a statement that is a call, an assignment or a count is not carried out; a loop is not entered
  unguard   an object that lives only to guard its scope is not made
  false     a condition, or what a function answers, is evaluated and then taken to be false
  true      ... or true
  without   an operand of && or || is left out
  default   a function answers what a value-initialized result says: ok, null, zero
  swap      two statements that follow each other change places

All points of a file go into one text (mutant schemata): each asks mutation::on(number), and a program that
is told a number in the environment has that one mutant. A point has a name that unrelated edits leave alone: file,
function, kind, the text of what it changes and, where that stands in the function more than once, which one.
"""
import dataclasses
import re

from common.cpp_reader import CLOSES, CannotRead, Reader, flat

HEADER = "mutation_active.h"

# Calls that no claim of a path depends on: they name sites and modules, or are checks of the harness.
PLUMBING = re.compile(r"SiteScope|ModuleScope|HARNESS_CHECK|delay_point")
KEYWORDS = {"if", "for", "while", "do", "switch", "return", "break", "continue", "case", "default", "else",
            "goto", "throw", "delete", "using", "typedef", "static_assert"}


@dataclasses.dataclass(frozen=True)
class Point:
    """One mutant."""
    id: str
    file: str
    function: str
    kind: str
    line: int
    what: str   # The text that is changed.
    now: str    # A description of the change.
    number: int


class Source(Reader):
    """One file, split into functions and statements. Collects mutation points and the text to insert for each."""

    def __init__(self, name, text, wanted, skip, first_number):
        super().__init__(name, text)
        self.wanted, self.skip = wanted, skip
        self.points, self.inserts = [], []  # (position, rank, text)
        self.number = first_number
        self.seen, self.hide = {}, False
        self.outer(0, len(self.tokens), "")

    # ---- statements ----

    def block(self, first, last):
        before = None
        while first < last:
            after, simple = self.statement(first, last, False)
            if before is not None and simple:
                self.swap(before, (first, after))
            before = (first, after) if simple else None
            first = after

    def statement(self, first, last, alone):
        """Reads one statement. `alone`: a condition controls only this statement, so omitting it would be the same as forcing the condition. Returns where
        the next statement begins, and whether this is a simple one."""
        text = self.at(first)
        if text == "{":
            self.block(first + 1, self.match[first])
            return self.match[first] + 1, False
        if text in ("if", "for", "while", "switch"):
            return getattr(self, text + "_")(first, last), False
        if text == "do":
            after, _ = self.statement(first + 1, last, False)
            return self.find(after, last, (";",)) + 1, False
        if text in ("case", "default"):
            return self.find(first, last, (":",)) + 1, False
        if text == "[":  # An attribute.
            return self.match[first] + 1, False
        end = self.find(first, last, (";",))
        if text == "return":
            self.returns(first, end)
        elif text not in KEYWORDS and end > first:
            return end + 1, self.simple(first, end, alone)
        return end + 1, False

    def simple(self, first, end, alone):
        """Reads a declaration or an expression. Returns whether it may be swapped with its neighbour."""
        name = self.declared(first, end)
        self.expressions(first, end)
        what = self.slice(first, end)
        if name is not None:
            self.declaration(first, end, name)
            return False
        if PLUMBING.search(what):
            return False
        if not alone:
            n = self.point("drop", first, what, "is not carried out")
            if n is not None:
                self.wrap(first, end + 1, f"{{ if (!mutation::on({n})) {{ ", " } }")
        return True

    def declaration(self, first, end, name):
        """Adds a mutant for a declaration that guards its scope, or for a bool that it initializes."""
        what = self.slice(first, end)
        if PLUMBING.search(what):
            return
        places = [i for i in range(first, end) if self.at(i) == name and self.at(i + 1) in ("=", "{", "(")]
        if not places:
            return
        at_name = places[0]
        if self.at(at_name + 1) == "=" and "bool" in [self.at(i) for i in range(first, at_name)]:
            return self.force(at_name + 2, end)
        opening = at_name + 1
        if self.at(opening) not in ("(", "{") or self.match[opening] != end - 1 or self.is_used(name, end):
            return
        words = [self.at(i) for i in range(first, at_name)]
        if "auto" in words or "&" in words or "static" in words:
            return
        n = self.point("unguard", first, what, "is not made")
        if n is None:
            return
        type_ = self.text[self.tokens[first].begin:self.tokens[at_name].begin].replace("const ", "", 1).strip()
        arguments = self.slice(opening + 1, end - 1)
        self.replace(first, end + 1, f"std::optional<{type_}> {name}; "
                                     f"if (!mutation::on({n})) {name}.emplace({arguments});")

    def if_(self, first, last):
        opening = first + 2 if self.at(first + 1) == "constexpr" else first + 1
        closing = self.match[opening]
        begin = self.find(opening + 1, closing, (";",))
        begin = opening + 1 if begin == closing else begin + 1
        if begin > opening + 1:
            self.expressions(opening + 1, begin - 1)
        has_else_after = self.skip_statement(closing + 1, last)
        has_else = self.at(has_else_after) == "else"
        self.hide = not has_else and self.is_scenery(closing + 1, has_else_after)
        forced = self.condition(begin, closing)
        self.hide = False
        after = self.branch(closing + 1, last, forced and not has_else)
        if has_else:
            after = self.branch(after + 1, last, False)
        return after

    def is_scenery(self, first, last):
        """Returns whether a statement, or the only one of a block, is just a report to the judges."""
        while self.at(first) == "[":
            first = self.match[first] + 1
        if self.at(first) == "{":
            first, last = first + 1, self.match[first]
        return first < last and self.skip_statement(first, last) == last and \
            self.skip.search(flat(self.slice(first, last))) is not None

    def branch(self, first, last, alone):
        """Reads the statement that a condition controls. A block of one statement counts as that statement."""
        while self.at(first) == "[":
            first = self.match[first] + 1
        if self.at(first) != "{":
            after, _ = self.statement(first, last, alone)
            return after
        inside, end = first + 1, self.match[first]
        if alone and inside < end and self.skip_statement(inside, end) == end:
            self.statement(inside, end, True)
        else:
            self.block(inside, end)
        return end + 1

    def condition(self, first, last):
        """Reads a condition. Returns whether it could be forced."""
        if self.declared(first, last) is not None and "=" in [self.at(i) for i in self.top_level(first, last)]:
            start = next(i for i in self.top_level(first, last) if self.at(i) == "=")
            self.expressions(start + 1, last)
            return False
        self.expressions(first, last)
        return self.force(first, last)

    def while_(self, first, last):
        closing = self.match[first + 1]
        self.expressions(first + 2, closing)
        self.refuse(first + 2, closing)
        after, _ = self.statement(closing + 1, last, False)
        return after

    def for_(self, first, last):
        closing = self.match[first + 1]
        parts = self.find(first + 2, closing, (";",))
        after, _ = self.statement(closing + 1, last, True)
        if parts == closing:
            self.loop(first, closing, after)
        else:
            condition_end = self.find(parts + 1, closing, (";",))
            self.expressions(parts + 1, condition_end)
            if condition_end > parts + 1:
                self.refuse(parts + 1, condition_end)
        return after

    def loop(self, first, closing, after):
        head = self.slice(first, closing + 1)
        self.hide = self.is_scenery(closing + 1, after)
        n = self.point("drop", first, head, "does not run")
        self.hide = False
        if n is not None:
            self.insert(self.tokens[first].begin, 0, f"if (!mutation::on({n})) ")

    def switch_(self, first, last):
        closing = self.match[first + 1]
        body = closing + 1
        self.block(body + 1, self.match[body])
        return self.match[body] + 1

    def returns(self, first, end):
        if end == first + 1:
            return
        self.expressions(first + 1, end)
        what = self.slice(first + 1, end)
        if self.result == "bool" and (what not in ("true", "false") or self.only_statement == first):
            self.force(first + 1, end)
        elif self.result == "value" and "(" in what:
            n = self.point("default", first, "return " + what, "answers what a default says")
            if n is not None:
                self.insert(self.tokens[first].begin, 0, f"{{ if (mutation::on({n})) return {{}}; ")
                self.insert(self.tokens[end].end, 1, " }")

    # ---- expressions ----

    def expressions(self, first, last):
        """Reads the lambdas, the chains of && and ||, and the conditions of ?: anywhere in an expression."""
        i = first
        while i < last:
            if self.at(i) == "[" and self.is_lambda(i, last):
                i = self.lambda_(i, last)
                continue
            if self.at(i) in CLOSES:
                self.chain(i + 1, self.match[i])
            i += 1
        self.chain(first, last)

    def is_lambda(self, i, last):
        return not (self.tokens[i - 1].kind in ("word", "number") and self.at(i - 1) != "return"
                    or self.at(i - 1) in (")", "]")) and self.at(self.match[i] + 1) in ("(", "{")

    def lambda_(self, i, last):
        j = self.match[i] + 1
        if self.at(j) == "(":
            j = self.match[j] + 1
        while j < last and self.at(j) != "{":
            j += 1
        outer, self.result = self.result, ""
        self.block(j + 1, self.match[j])
        self.result = outer
        return self.match[j] + 1

    def chain(self, first, last):
        """Reads the operands of && and || outside of inner brackets, separated by commas and similar marks."""
        begin = first
        for i in [*self.top_level(first, last), last]:
            if self.at(i) == "{" and i > first and (self.tokens[i - 1].kind == "word" or self.at(i - 1) == ">"):
                continue  # An initializer Type{value}.
            if i != last and self.at(i) in (",", ";", "=", "?", ":", "return", "|=", "&=", "{"):
                self.operands(begin, i)
                if self.at(i) == "?":
                    self.force(begin, i)
                begin = self.match[i] + 1 if self.at(i) == "{" else i + 1
        self.operands(begin, last)

    def operands(self, first, last):
        def split(a, b, mark):
            ends = [i for i in self.top_level(a, b) if self.at(i) == mark and i > a and self.at(i + 1) != ")"]
            return list(zip([a] + [i + 1 for i in ends], ends + [b]))
        if first >= last or any(self.at(i) == "=" for i in self.top_level(first, last)):
            return
        alternatives = split(first, last, "||")
        for a, b in alternatives:
            if len(alternatives) > 1:
                self.operand(a, b, "no", "||")
            both = split(a, b, "&&")
            if len(both) > 1:
                for c, d in both:
                    self.operand(c, d, "yes", "&&")

    def operand(self, first, last, word, mark):
        what = self.slice(first, last)
        n = self.point("without", first, what, f"is left out of {mark}")
        if n is not None:
            self.wrap(first, last, f"mutation::{word}({n}, static_cast<bool>(", "))")

    def force(self, first, last):
        """Adds two mutants of a condition: always false, and always true."""
        what = self.slice(first, last)
        if what not in ("false", "nullptr", "0"):
            self.refuse(first, last)
        if what != "true":
            n = self.point("true", first, what, "is taken to be true")
            if n is not None:
                self.wrap(first, last, f"mutation::yes({n}, static_cast<bool>(", "))")
        return True

    def refuse(self, first, last):
        what = self.slice(first, last)
        n = self.point("false", first, what, "is taken to be false")
        if n is not None:
            self.wrap(first, last, f"mutation::no({n}, static_cast<bool>(", "))")

    def swap(self, one, two):
        """Adds a mutant that swaps two expression statements, if both may have an effect."""
        texts = [self.text[self.tokens[a].begin:self.tokens[b - 1].end] for a, b in (one, two)]
        if flat(texts[0]) == flat(texts[1]):
            return
        if not all("(" in text or re.search(r"\+\+|--", text) for text in texts):
            return
        n = self.point("swap", one[0], " ".join(texts), "change places")
        for (first, after), instead in zip((one, two), reversed(texts)):
            self.insert(self.tokens[first].begin, -1, f"{{ if (mutation::on({n})) {{ {instead} }} else ")
            self.insert(self.tokens[after - 1].end, 2, " }")

    # ---- points ----

    def by_hand(self, name, what, instead):
        """Adds a mutant from a table: an expression that replaces another, or a statement that replaces one."""
        if self.text.count(what) != 1:
            raise CannotRead(f"{self.name}: '{what}' is there {self.text.count(what)} times")
        begin = self.text.index(what)
        self.current = "by hand"
        index = next(i for i, token in enumerate(self.tokens) if token.begin >= begin)
        n = self.point("instead", index, name, f"`{flat(what)}` is `{flat(instead)}`")
        if what.endswith((";", "}")):
            self.insert(begin, -1, f"if (mutation::on({n})) {{ {instead} }} else {{ ")
            self.insert(begin + len(what), 2, " }")
        else:
            self.insert(begin, -1, f"(mutation::on({n}) ? ({instead}) : (")
            self.insert(begin + len(what), 2, "))")

    def point(self, kind, first, what, now):
        """Registers a mutant unless it is scenery or not wanted. Returns its number, or None."""
        key = f"{self.name} {self.current} {kind}: {flat(what)}"
        self.seen[key] = self.seen.get(key, 0) + 1
        count = self.seen[key]
        name = key if count == 1 else f"{key} #{count}"
        seen = not self.hide and not self.skip.search(flat(what)) and self.wanted(self.current)
        if self.current == "by hand" or seen:
            self.points.append(Point(name, self.name, self.current, kind, self.line(self.tokens[first].begin),
                                     flat(what), now, self.number))
        self.number += 1
        return self.number - 1

    def insert(self, position, rank, text):
        self.inserts.append((position, rank, len(self.inserts), text))

    def wrap(self, first, last, before, after):
        """Wraps the text. Later wraps of the same text are placed outside of earlier ones."""
        self.insert(self.tokens[first].begin, 0, before)
        self.insert(self.tokens[last - 1].end, 1, after)

    def replace(self, first, last, text):
        begin, end = self.tokens[first].begin, self.tokens[last - 1].end
        self.inserts = [(p, r, k, t) for p, r, k, t in self.inserts if not begin < p < end]
        self.inserts.append((begin, 0, len(self.inserts), ("replace", end, text)))

    def mutated(self, folder=""):
        """Returns the text with all points in it; a #line makes the compiler see it as the file of that name in this folder."""
        # At the same position, closing texts come before opening ones, and the outermost one opens first and closes last.
        def order(entry):
            position, rank, count, _ = entry
            return (position, 0 if rank > 0 else 1, rank if rank > 0 else rank, count if rank > 0 else -count)
        out, at = [], 0
        for position, _, _, text in sorted(self.inserts, key=order):
            out.append(self.text[at:position] if position > at else "")
            at = max(at, position)
            if isinstance(text, tuple):
                out.append(text[2])
                at = text[1]
            else:
                out.append(text)
        out.append(self.text[at:])
        return f'#include "{HEADER}"\n#line 1 "{folder}{self.name}"\n' + "".join(out)
