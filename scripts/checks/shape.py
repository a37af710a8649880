#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the shape of the tree: how long files and functions may be, how full a folder, how wide a class.

Usage: scripts/checks/shape.py [--self-test | --widest N]

  files      at most 442 lines; functions at most 70; lines at most 100 columns, but for text that cannot be broken
  folders    at most 45 sources, and 25 in a room of the simulated driver; tests are exempt
  classes    at most 25 public functions; none with private data has public data
  device     SimDevice::current() is asked by the thunk of the entry points alone

Constructors, destructors, operators and what is defaulted or deleted are not counted; overloads are, each. What a
class inherits is its base's. --widest prints the N classes with most public functions.
Exit: 0 all hold, 1 not, 3 usage. --self-test plants what breaks each rule in a text; each must be found.
"""
import argparse
import collections
import dataclasses
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common.cpp_reader import CannotRead, Reader  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE_LINES, FUNCTION_LINES, COLUMNS = 442, 70, 100
FOLDER_FILES, ROOM_FILES, ROOMS = 45, 25, "harness/devices/sim/"
PUBLIC_FUNCTIONS = 25
THUNK = "harness/devices/sim/sim.cpp"  # The only source that may ask for the thread's device.
NO_DATA = {"using", "friend", "typedef", "static_assert", "enum", "class", "struct", "union", "static", "template"}


@dataclasses.dataclass
class Class:
    name: str
    line: int
    functions: list = dataclasses.field(default_factory=list)
    public_data: list = dataclasses.field(default_factory=list)
    private_data: list = dataclasses.field(default_factory=list)


class Shape(Reader):
    """Collects the classes of a source, and the lengths of its functions."""

    def __init__(self, name, text):
        super().__init__(name, text)
        self.classes, self.lengths = [], []
        self.outer(0, len(self.tokens), "")

    def braces(self, begin, brace, scope):
        head = [self.at(i) for i in self.top_level(begin, brace)]
        kind = next((word for word in ("class", "struct") if word in head), None)
        if kind and "enum" not in head and not self.is_function(head):
            names = [word for word in head[head.index(kind) + 1:] if word != "final"]
            found = Class(scope + (names[0] if names else ""), self.line(self.tokens[brace].begin))
            self.members(found, kind == "struct", brace + 1, self.match[brace])
            self.classes.append(found)
        return super().braces(begin, brace, scope)

    def function(self, begin, brace, end, scope):
        name = self.slice(begin, brace).split("(")[0].split()[-1]
        first, last = self.line(self.tokens[begin].begin), self.line(self.tokens[end].begin)
        self.lengths.append((last - first + 1, scope + name, first))

    # ---- members ----

    def members(self, found, is_public, first, last):
        i = begin = first
        while i < last:
            text = self.at(i)
            if text in ("public", "private", "protected") and self.at(i + 1) == ":":
                is_public, i = text == "public", i + 1
                begin = i + 1
            elif text == ";":
                self.member(found, is_public, begin, i)
                begin = i + 1
            elif text == "{" and self.is_body(begin, i):
                self.member(found, is_public, begin, i)
                i = self.match[i]
                begin = i + 1 + (self.at(i + 1) == ";")
                i = begin - 1
            elif text in ("(", "[", "{"):
                i = self.match[i]
            i += 1

    def is_body(self, begin, brace):
        """Returns whether a function's statements begin here, as opposed to the initial value of a member."""
        if self.at(self.match[brace] + 1) in (",", "{", ";", ")"):
            return self.paren_of(begin, brace) is not None and self.at(brace - 1) not in ("=", ",")\
                and self.at(self.match[brace] + 1) not in (",", "{")
        return self.paren_of(begin, brace) is not None

    def paren_of(self, begin, end):
        """Returns where the parameters of a function begin, or None if the declaration is not a function."""
        i = begin
        while i < end:
            text = self.at(i)
            if text == "=" and self.at(i - 1) != "operator":
                return None
            if text == "<" and self.tokens[i - 1].kind == "word" and self.at(i - 1) != "operator":
                closing = self.angle(i, end)
                i = closing if closing is not None else i
            elif text == "[" or (text == "(" and self.at(i - 1) in ("alignas", "explicit", "requires", "noexcept")):
                i = self.match[i]
            elif text == "(":
                return None if self.at(i + 1) == "*" else i
            elif text == "{":
                return None
            i += 1
        return None

    def member(self, found, is_public, begin, end):
        words = [self.at(i) for i in self.top_level(begin, end)]
        if words and words[0] == "template":
            begin = (self.angle(begin + 1, end) or begin) + 1
            words = [self.at(i) for i in self.top_level(begin, end)]
            while words and words[0] == "requires":
                return self.add_function(found, is_public, begin, end, words)
        if not words or words[0] in ("using", "friend", "typedef", "static_assert", "enum"):
            return
        if self.paren_of(begin, end) is not None:
            self.add_function(found, is_public, begin, end, words)
        elif words[0] not in NO_DATA and "static" not in words and "constexpr" not in words:
            (found.public_data if is_public else found.private_data).append(self.slice(begin, end))

    def add_function(self, found, is_public, begin, end, words):
        paren = self.paren_of(begin, end)
        name = self.at(paren - 1) if paren else ""
        own = found.name.rsplit("::", 1)[-1]
        if is_public and name != own and not {"operator", "~", "friend"} & set(words) \
                and not ("=" in words and {"delete", "default"} & set(words)):
            found.functions.append(name)


# ---- rules ----

def breaches_of_class(file, found):
    if len(found.functions) > PUBLIC_FUNCTIONS:
        yield f"{file}:{found.line}: {found.name} has {len(found.functions)} public functions"
    if found.private_data and found.public_data:
        yield f"{file}:{found.line}: {found.name} has private data, and shows {found.public_data[0]!r}"


def breaches_of(file, text):
    """Yields the broken rules in one source, one per line."""
    lines = text.splitlines()
    count = sum("SPDX-License-" not in line for line in lines)
    if count > FILE_LINES:
        yield f"{file}: {count} lines"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not re.match(r'\s*(?:R"|"|//\s*\S+$|[^"]*$(?<=\\))', line) and "R\"" not in text:
            yield f"{file}:{number}: {len(line)} columns"
        if "SimDevice::current()" in line.split("//")[0] and file != THUNK and "/tests/" not in file:
            yield f"{file}:{number}: asks for SimDevice::current()"
    try:
        shape = Shape(file, text)
    except CannotRead as reason:
        yield f"{file}: cannot be read: {reason}"
        return
    for length, name, line in shape.lengths:
        if length > FUNCTION_LINES:
            yield f"{file}:{line}: {name} has {length} lines"
    for found in shape.classes:
        yield from breaches_of_class(file, found)


def is_tests(folder):
    return "tests" in folder.split("/")


def breaches_of_folders(files):
    counts = collections.Counter(file.rpartition("/")[0] for file in files)
    for folder, count in sorted(counts.items()):
        most = ROOM_FILES if folder.startswith(ROOMS) else FOLDER_FILES
        if count > most and not is_tests(folder):
            yield f"{folder}: {count} files, {most} at most"


def sources():
    return sorted(path.relative_to(ROOT).as_posix() for folder in ("harness", "targets", "scenarios")
                  for path in (ROOT / folder).rglob("*") if path.suffix in {".h", ".cpp", ".cu", ".def"})


def check():
    files = sources()
    found = list(breaches_of_folders(files))
    for file in files:
        found += breaches_of(file, (ROOT / file).read_text())
    print("\n".join(found) or f"shape: {len(files)} sources: files, functions, folders and classes are within their limits")
    return 1 if found else 0


def widest(count):
    rows = [(len(one.functions), one.name, file) for file in sources() if not file.endswith(".def")
            for one in Shape(file, (ROOT / file).read_text()).classes]
    for row in sorted(rows, reverse=True)[:count]:
        print("%4d  %-50s %s" % row)
    return 0


# ---- the self-test ----

def class_of(functions, rest=""):
    return "class A {\n public:\n" + "".join(f"  int f{i}() const {{ return {i}; }}\n" for i in range(functions)) + rest + "};\n"


# File | text | a part of the complaint, empty if there must be none.
PLANTS = [
    ("harness/a.h", "// One.\n" * 443, "443 lines"),
    ("harness/a.h", "// One.\n" * 442, ""),
    ("harness/a.cpp", "namespace a {\nint f(int b) {\n" + "  g();\n" * 70 + "}\n}\n", "f has 72 lines"),
    ("harness/a.cpp", "namespace a {\nint f(int b) {\n" + "  g();\n" * 68 + "}\n}\n", ""),
    ("harness/a.cpp", "int a = b + " + "c" * 100 + ";\n", "columns"),
    ("harness/devices/sim/a.cpp", "void f() { SimDevice::current().g(); }\n", "SimDevice::current()"),
    (THUNK, "void f() { SimDevice::current().g(); }\n", ""),
    ("harness/a.h", class_of(26), "26 public functions"),
    ("harness/a.h", class_of(25), ""),
    ("harness/a.h", class_of(24, "  template <class T>\n  T* get(T*);\n  virtual void g() = 0;\n"), "26 public functions"),
    ("harness/a.h", class_of(25, "  A();\n  explicit A(int b) : b_{b} {}\n  ~A();\n  A(const A&) = delete;\n  bool operator==(const A&) const;\n"), ""),
    ("harness/a.h", class_of(25, " private:\n  int g();\n"), ""),
    ("harness/a.h", class_of(1, "  int b = 0;\n\n private:\n  int c_ = 0;\n"), "shows 'int b = 0'"),
    ("harness/a.h", class_of(1, "  std::vector<int> b{1};\n\n private:\n  std::array<int, 2> c_;\n"), "shows"),
    ("harness/a.h", class_of(1, "  int (*b)(int) = nullptr;\n\n private:\n  int c_;\n"), "shows"),
    ("harness/a.h", class_of(1, "  static constexpr int kB = 0;\n  using C = int;\n  enum class D { e };\n  struct F {\n    int g;\n  };\n\n private:\n  int c_ = 0;\n"), ""),
    ("harness/a.h", class_of(1, " private:\n  int c_ = 0;\n"), ""),
    ("harness/a.h", "struct A {\n  int b = 0;\n  std::function<void(int)> c;\n};\n", ""),
    ("harness/a.h", "struct A {\n  int b = 0;\n\n private:\n  std::function<void(int)> c;\n};\n", "shows"),
]


def self_test():
    rightly = 0
    for file, text, word in PLANTS:
        found = list(breaches_of(file, text))
        if (len(found) == 1 and word in found[0]) if word else not found:
            rightly += 1
        else:
            print(f"shape: {file}: expected {word or 'no complaint'!r}, got {found}, of\n{text[:300]}")
    for count, room, complaint in ((46, "harness/a", 1), (45, "harness/a", 0), (26, ROOMS + "calls", 1), (99, "harness/core/tests", 0)):
        rightly += len(list(breaches_of_folders([f"{room}/{i}.h" for i in range(count)]))) == complaint
    total = len(PLANTS) + 4
    print(f"shape: {rightly} of {total} plants judged rightly")
    return 0 if rightly == total else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--widest", type=int, metavar="N")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    return self_test() if options.self_test else widest(options.widest) if options.widest else check()


if __name__ == "__main__":
    sys.exit(main())
