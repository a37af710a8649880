# SPDX-License-Identifier: Apache-2.0
"""Reads C++ in the style of this tree: its tokens, and which functions there are. No compiler is asked."""
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<space>\s+) | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<directive>^[ \t]*\#[^\n]*(?:\\\n[^\n]*)*)
  | (?P<text>R"(?P<fence>[^(\s]*)\(.*?\)(?P=fence)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>\d(?:[\w.]|'(?=\w))*) | (?P<word>[A-Za-z_]\w*)
  | (?P<mark>::|->|\+\+|--|&&|\|\||<=|>=|==|!=|\+=|-=|\*=|/=|\|=|&=|\^=|%=|\.\.\.|<<|.)""",
                   re.X | re.S | re.M)
CLOSES = {"(": ")", "[": "]", "{": "}"}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int
    end: int


class CannotRead(Exception):
    """The source does not have the style that this reader understands."""


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("space", "comment", "directive"):
            found.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
    return found


def flat(text):
    """Returns a piece of source on one line, without comments."""
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


class Reader:
    """Reads one source. Derived classes define what to do with each function."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.tokens = tokens_of(text)
        self.match = self.pair_up()
        self.functions = set()

    # ---- tokens ----

    def pair_up(self):
        """Returns the index of each bracket's partner."""
        partner, open_ones = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind != "mark":
                continue
            if token.text in CLOSES:
                open_ones.append(i)
            elif token.text in CLOSES.values():
                if not open_ones or CLOSES[self.tokens[open_ones[-1]].text] != token.text:
                    raise CannotRead(f"{self.name}: brackets do not match at line {self.line(token.begin)}")
                first = open_ones.pop()
                partner[first], partner[i] = i, first
        return partner

    def line(self, position):
        return self.text.count("\n", 0, position) + 1

    def at(self, i):
        return self.tokens[i].text if i < len(self.tokens) else ""

    def slice(self, first, last):
        """Returns the text of the tokens first..last-1."""
        return self.text[self.tokens[first].begin:self.tokens[last - 1].end] if first < last else ""

    def find(self, first, last, texts):
        """Returns the index of the first token among `texts` that is outside of all brackets; `last` if there is none."""
        i = first
        while i < last:
            if self.at(i) in texts:
                return i
            i = self.match[i] + 1 if self.at(i) in CLOSES else i + 1
        return last

    # ---- outside of functions ----

    def outer(self, first, last, scope):
        """Reads namespaces and classes, and their contents."""
        i = begin = first
        while i < last:
            text = self.at(i)
            if text == ";" or (text == ":" and self.at(i - 1) in ("public", "private", "protected")):
                begin = i + 1
            elif text in ("(", "["):
                i = self.match[i]
            elif text == "{":
                i = self.braces(begin, i, scope)
                begin = i + 1 if self.at(i + 1) not in (",", "{", "(", ";") else begin
            i += 1

    def braces(self, begin, brace, scope):
        """Reads what a `{` outside of functions opens. Returns the index of its last token."""
        end = self.match[brace]
        head = [self.at(i) for i in self.top_level(begin, brace)]
        if "namespace" in head or 'extern' in head:
            self.outer(brace + 1, end, scope)
        elif "enum" in head:
            pass
        elif self.is_function(head):
            self.function(begin, brace, end, scope)
        elif any(word in head for word in ("class", "struct", "union")):
            word = next(word for word in ("class", "struct", "union") if word in head)
            name = head[head.index(word) + 1] if head.index(word) + 1 < len(head) else ""
            self.outer(brace + 1, end, f"{scope}{name}::")
        return end

    def top_level(self, first, last):
        """Yields the indices of the tokens outside of all brackets, and of the outermost brackets themselves."""
        i = first
        while i < last:
            yield i
            if self.at(i) in CLOSES:
                i = self.match[i]
                yield i
            i += 1

    @staticmethod
    def is_function(head):
        """Returns whether the tokens before a `{` end like the head of a function."""
        if "(" not in head or "=" in head[:head.index("(")]:
            return False
        tail = head[len(head) - 1 - head[::-1].index(")") + 1:]
        return all(word in ("const", "override", "noexcept", "final", "&", "->", "::", "*") or word[0].isalpha()
                   for word in tail) and not (":" in head[head.index("(") + 2:] and tail)

    def function(self, begin, brace, end, scope):
        paren = self.find(begin, brace, ("(",))
        first = paren - 1
        while first > begin and (self.at(first - 1) in ("::", "~") or self.at(first) == "::"
                                 or self.at(first - 1) == "operator"):
            first -= 1
        name = scope + re.sub(r"\s+", "", self.slice(first, paren))
        self.functions.add(name)
        if "constexpr" in [self.at(i) for i in range(begin, first)]:
            return
        self.current = name
        result = [self.at(i) for i in range(begin, first)
                  if self.at(i) not in ("static", "virtual", "inline", "explicit", "[", "]", "nodiscard")]
        self.result = self.kind_of_result("".join(result))
        self.only_statement = brace + 1 if self.skip_statement(brace + 1, end) == end else None
        self.block(brace + 1, end)

    @staticmethod
    def kind_of_result(text):
        if text == "bool":
            return "bool"
        return "value" if re.fullmatch(r"[\w:]*(Status|CUresult|Disposal|\*)", text) else ""

    # ---- statements ----

    def declared(self, first, end):
        """Returns the name that a statement declares, or None if it is an expression."""
        i = first
        while self.at(i) in ("const", "static", "constexpr", "auto", "unsigned", "[[maybe_unused]]"):
            i += 1
        plain = i == first
        if self.tokens[i].kind != "word" and not plain:
            while self.at(i) in ("&", "*", "[", "&&"):
                i += 1
            return self.at(i)
        if self.tokens[i].kind != "word":
            return None
        if not plain and self.at(i + 1) in ("=", "{", "(", ";"):
            return self.at(i)
        while i < end:
            if self.tokens[i].kind == "word":
                i += 1
            elif self.at(i) == "::":
                i += 1
                continue
            else:
                break
            if self.at(i) == "<":
                closing = self.angle(i, end)
                if closing is None:
                    break
                i = closing + 1
            if self.at(i) != "::" and i < end and self.tokens[i].kind == "word":
                return self.at(i)
        j = i
        while self.at(j) in ("&", "*", "&&"):
            j += 1
        if j > i and j < end and self.tokens[j].kind == "word" and self.at(j + 1) in ("=", "{", ";", "(", "["):
            return self.at(j)
        return None

    def angle(self, first, last):
        """Returns the end of the template arguments that a `<` opens, or None if it is a comparison."""
        depth, i = 0, first
        while i < last:
            text = self.at(i)
            depth += (text == "<") - (text == ">")
            if depth == 0:
                return i
            if text in (";", "{", "&&", "||", "<=", ">=", "=="):
                return None
            i = self.match[i] + 1 if text == "(" else i + 1
        return None

    def is_used(self, name, after):
        depth = 0
        for i in range(after, len(self.tokens)):
            depth += (self.at(i) == "{") - (self.at(i) == "}")
            if depth < 0:
                return False
            if self.at(i) == name:
                return True
        return False

    def skip_statement(self, first, last):
        """Returns where the next statement begins, without reading this one."""
        text = self.at(first)
        while text == "[" and self.at(first + 1) == "[":
            first = self.match[first] + 1
            text = self.at(first)
        if text == "{":
            return self.match[first] + 1
        if text in ("if", "for", "while", "switch"):
            opening = first + 1 if self.at(first + 1) == "(" else first + 2
            after = self.skip_statement(self.match[opening] + 1, last)
            return self.skip_statement(after + 1, last) if self.at(after) == "else" else after
        return self.find(first, last, (";",)) + 1
