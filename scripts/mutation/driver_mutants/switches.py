# SPDX-License-Identifier: Apache-2.0
"""Switches: one text of a source that holds all its mutants, each chosen at run time by its number.

A rule replaces one piece of text by another. What differs between the two is widened to the smallest expression or
to the smallest run of statements that holds it, so that it can become `mutant::on(N) ? (new) : (old)` or
`if (mutant::on(N)) { new } else { old }`. Rules that meet in one place become one chain. The text is read in the
style of this tree, by its tokens; no compiler is asked.
"""
import dataclasses
import re

from common.cpp_reader import CLOSES, Reader, tokens_of

HEADER = "mutant.h"
STARTS_BLOCK = {")", ";", "{", "}", "else", "do", "const", "noexcept", "override", "try", ":"}
ASSIGNS = {"=", "return", "+=", "-=", "|=", "&="}


class CannotSwitch(Exception):
    """The code that a rule changes is, to this module, neither an expression nor a statement."""


def where(rule):
    """Returns a pattern that matches the rule's old text token by token, in any layout of the code."""
    return re.compile(r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", rule.old))))


@dataclasses.dataclass
class Region:
    """Tokens first..last-1 of a file, and the changes inside them."""
    first: int
    last: int
    kind: str  # expression, condition or statements
    changes: list


@dataclasses.dataclass(frozen=True)
class Change:
    """Mutant `number` replaces the text begin..end of the file by `new`."""
    begin: int
    end: int
    new: str
    number: int


class Switched(Reader):
    def __init__(self, name, text):
        super().__init__(name, text)
        self.inside = self.enclosing()

    def enclosing(self):
        """Returns for each token the index of the innermost bracket around it; -1 outside of all brackets."""
        found, open_ones = [], [-1]
        for i, token in enumerate(self.tokens):
            if token.text in CLOSES.values() and token.kind == "mark" and i in self.match:
                open_ones.pop()
            found.append(open_ones[-1])
            if token.text in CLOSES and token.kind == "mark" and i in self.match:
                open_ones.append(i)
        return found

    # ---- a rule ----

    def region(self, rule, number):
        spans = [match.span() for match in where(rule).finditer(self.text)]
        if len(spans) != 1:
            raise CannotSwitch(f"{rule.name}: its text is there {len(spans)} times")
        begin, end = spans[0]
        old = [i for i, token in enumerate(self.tokens) if token.begin < end and token.end > begin]
        new = tokens_of(rule.new)
        head = tail = 0
        while head < min(len(old), len(new)) and self.at(old[head]) == new[head].text:
            head += 1
        while tail < min(len(old), len(new)) - head and self.at(old[-1 - tail]) == new[-1 - tail].text:
            tail += 1
        first, last = old[0] + head, old[-1] + 1 - tail
        text = rule.new[new[head].begin:new[len(new) - tail - 1].end] if head + tail < len(new) else ""
        if first < last:
            change = Change(self.tokens[first].begin, self.tokens[last - 1].end, text, number)
        else:  # An insertion; the token before it becomes part of the region.
            first -= 1
            change = Change(self.tokens[first].end, self.tokens[first].end, f" {text} ", number)
        return self.widen(Region(first, last, "", [change]), rule.name)

    def widen(self, region, name):
        """Returns the smallest expression or run of statements around the region that also contains all text its changes replace."""
        first, last = region.first, region.last
        while True:
            bracket = self.common_bracket(first, last)
            end = self.match[bracket] if bracket >= 0 else len(self.tokens)
            if bracket >= 0 and not self.is_block(bracket):
                part = self.part(bracket, end, first, last)
                if part is not None:
                    return Region(*part, region.changes)
                first, last = bracket, end + 1
                continue
            if bracket < 0:
                raise CannotSwitch(f"{name}: it is in no function")
            found = self.statements(bracket, end, first, last)
            if found is None:
                raise CannotSwitch(f"{name}: a declaration cannot be switched")
            return Region(*found, region.changes)

    def common_bracket(self, first, last):
        """Returns the innermost bracket that contains all of the tokens."""
        bracket = self.inside[first]
        while bracket >= 0 and self.match[bracket] < last - 1:
            bracket = self.inside[bracket]
        for i in range(first, last):  # A bracket whose partner is outside of the range.
            if i in self.match and not first <= self.match[i] < last:
                outer = min(i, self.match[i])
                return self.common_bracket(min(first, outer), max(last, self.match[outer] + 1))
        return bracket

    def is_block(self, bracket):
        if self.at(bracket) != "{":
            return False
        if self.at(bracket - 1) in STARTS_BLOCK:
            return True
        return self.tokens[bracket - 1].kind == "word" and self.is_class_head(bracket)

    def is_class_head(self, bracket):
        i = bracket - 1
        while i >= 0 and self.at(i) not in (";", "{", "}"):
            if self.at(i) in ("struct", "class", "namespace"):
                return True
            if self.at(i) in ("=", "return", "("):
                return False
            i -= 1
        return False

    def part(self, bracket, end, first, last):
        """Returns the argument, condition or element in a bracket that contains the tokens; None if it is not an expression."""
        begin = bracket + 1
        for i in list(self.top_level(bracket + 1, end)) + [end]:
            if i == end or self.at(i) in (",", ";"):
                if begin <= first and last <= i:
                    break
                if i < end and first < i < last:
                    return None  # The tokens span several arguments.
                begin = i + 1
        stop = i
        before = self.at(bracket - 1)
        if self.at(bracket) == "[" or before == "template" or begin >= stop:
            return None
        is_condition = self.at(bracket) == "(" and before in ("if", "while") and self.at(stop) != ";"
        if before == "for" and (":" in [self.at(i) for i in self.top_level(begin, stop)] or begin == bracket + 1):
            return None
        texts = [self.at(i) for i in self.top_level(begin, stop)]
        if "=" in texts:  # A declaration `T x = e` in a condition, or an assignment.
            begin += texts.index("=") + 1
            begin = self.top_index(bracket, stop, "=") + 1
            if first < begin:
                return None
            return begin, stop, "expression"
        return begin, stop, "condition" if is_condition else "expression"

    def top_index(self, bracket, stop, text):
        return next(i for i in self.top_level(bracket + 1, stop) if self.at(i) == text)

    # ---- statements ----

    def statements(self, bracket, end, first, last):
        """Returns the whole statements of a block that contain the tokens; for a single declaration, its initializer."""
        i = bracket + 1
        begin = None
        while i < end:
            after = self.after_statement(i, end)
            if begin is None and first < after:
                begin = i
            if begin is not None and last <= after:
                break
            i = after
        if begin is None or i >= end:
            return None
        return self.narrow(begin, after, first, last)

    def after_statement(self, first, end):
        if self.at(first) in ("case", "default"):
            return self.find(first, end, (":",)) + 1
        return min(self.skip_statement(first, end), end)

    def narrow(self, begin, after, first, last):
        """Narrows a declaration to its initializer, and an if statement or loop to the part that contains the tokens."""
        if self.at(begin) in ("if", "for", "while", "switch"):
            opening = begin + 1 if self.at(begin + 1) == "(" else begin + 2
            closing = self.match[opening]
            if first > closing:
                then = self.skip_statement(closing + 1, after)
                if last <= then and self.at(closing + 1) != "{":
                    return self.narrow(closing + 1, then, first, last)
                if self.at(then) == "else" and first > then and self.at(then + 1) != "{":
                    return self.narrow(then + 1, after, first, last)
        elif self.at(begin) == "{":
            return begin, after, "statements"
        elif after - begin > 1 and self.declares(begin, after - 1):
            equals = [i for i in self.top_level(begin, after - 1) if self.at(i) == "="]
            if not equals or first <= equals[0]:
                return None
            return equals[0] + 1, after - 1, "expression"
        return begin, after, "statements"

    def declares(self, begin, end):
        if self.at(begin) in ("return", "if", "for", "while", "case", "break", "continue", "else"):
            return False
        return self.declared(begin, end) is not None

    # ---- the text ----

    def text_of(self, region, change=None):
        """Returns the text of the region unchanged, or with one change."""
        begin, end = self.tokens[region.first].begin, self.tokens[region.last - 1].end
        if change is None:
            return self.text[begin:end]
        return self.text[begin:change.begin] + change.new + self.text[change.end:end]

    def switched(self, rules):
        """Returns the text with a switch for each (rule, number)."""
        regions = []
        for rule, number in rules:
            regions.append((self.region(rule, number), rule.name))
        regions = self.merged(regions)
        out, at = [], 0
        for region in sorted(regions, key=lambda region: region.first):
            begin, end = self.tokens[region.first].begin, self.tokens[region.last - 1].end
            out += [self.text[at:begin], self.switch(region)]
            at = end
        return f'#include "{HEADER}"\n' + "".join(out) + self.text[at:]

    def merged(self, named):
        """Merges overlapping regions; the result may be wider than each of them."""
        regions = sorted(named, key=lambda pair: pair[0].first)
        while True:
            for (a, name), (b, _) in zip(regions, regions[1:]):
                if b.first < a.last:
                    union = Region(min(a.first, b.first), max(a.last, b.last), "", a.changes + b.changes)
                    same = (a.first, a.last) == (b.first, b.last)
                    wide = Region(a.first, a.last, a.kind, union.changes) if same else self.widen(union, name)
                    regions.remove((a, name))
                    regions = sorted([pair for pair in regions if pair[0] is not b] + [(wide, name)],
                                     key=lambda pair: pair[0].first)
                    break
            else:
                return [region for region, _ in regions]

    def switch(self, region):
        old = self.text_of(region)
        if region.kind == "statements":
            text = f"{{ {old} }}"
            for change in region.changes:
                text = f"if (mutant::on({change.number})) {{ {self.text_of(region, change)} }} else {text}"
            return text
        cast = (lambda value: f"static_cast<bool>({value})") if region.kind == "condition" else lambda value: f"({value})"
        text = cast(old)
        for change in region.changes:
            text = f"(mutant::on({change.number}) ? {cast(self.text_of(region, change))} : {text})"
        return text


def switch_all(name, text, rules):
    return Switched(name, text).switched(rules)
