#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the style that a machine can see: layout, headers that compile alone, comments, clang-tidy.

Usage: scripts/checks/style.py [--self-test | --tidy [FILE...] | --tidy-changed]

  layout     clang-format-19 would change no source
  alone      each header compiles with nothing before it: by the build where a source includes it first, or the first
             include of such a header does; all others are compiled here, their syntax and no more
  comments   each public function of the engine's headers, the doors, reports, nights and the gate has one. Not asked are operators,
             constructors, destructors, overrides, what is defaulted or deleted, overloads below one that has a
             comment, extern "C", names of CUDA, and what only returns the field that it is named after
  usings     a source uses each name that it takes from a namespace

--tidy runs clang-tidy-19 with the checks of .clang-tidy over all sources, or those named (some minutes);
--tidy-changed over those that differ from where the branch left main, or from the commit before: at most 12 of them.
Exit: 0 all hold, 1 not, 3 usage.
--self-test plants what breaks each rule; each must be found.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import held  # noqa: E402
from checks import shelves  # noqa: E402
from common.cpp_reader import Reader  # noqa: E402
from checks.shape import Class, Shape  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER, FORMATTER, TIDY = "clang++-19", "clang-format-19", "clang-tidy-19"
CHANGED_LIMIT, BATCH_LIMIT = 12, 24
# Headers whose public functions have a comment each.
ASKED_IN = re.compile(r"harness/(?:(?:base|core|driver|run|search|report|gate|nightly)/(?!tests/|command/)|client/views/"
                      r"|device_code/kernel_image\.h|devices/sim/kernel\.h|fuzz/bench_path\.h)")
KERNEL, CUDA_NAME = "harness/devices/sim/kernel.h", re.compile(r"__|(?:atomic|cuda)[A-Z]|make_|(?:min|max)$")
FIRST_DIRECTIVE = re.compile(r'^[ \t]*#[ \t]*(?!pragma once)(?:include "([^"]+)")?', re.M)


def sources(root=ROOT, suffixes=(".h", ".cpp", ".cu")):
    return sorted(path.relative_to(root).as_posix() for folder in ("harness", "targets", "scenarios")
                  for path in (root / folder).rglob("*") if path.suffix in suffixes)


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [line for lines in pool.map(function, items) for line in lines]


# ---- layout ----

def unlaid(root, files):
    """Returns a line for each file that the formatter would change."""
    def ask(batch):
        ended = subprocess.run([FORMATTER, "--dry-run", *batch], cwd=root, capture_output=True, text=True)
        wrong = sorted(set(re.findall(r"^([^\s:]+):\d+:\d+: warning: code should be", ended.stderr, re.M)))
        if ended.returncode and not wrong:
            return [f"{FORMATTER}: {ended.stderr.strip()}"]
        return [f"{name}: not laid out as .clang-format has it; run {FORMATTER} -i {name}" for name in wrong]
    return in_parallel(ask, [files[i:i + 32] for i in range(0, len(files), 32)])


# ---- headers alone ----

def first_include(text):
    """Returns the first include of a source if it is also its first preprocessor directive, or None."""
    match = FIRST_DIRECTIVE.search(text)
    return match and match[1]


def proven_by_build(root, files):
    """Returns the headers that a source includes before all else, and those that such a header itself includes first."""
    proven = set()
    reached = [first_include((root / name).read_text()) for name in files if name.endswith(".cpp")]
    while reached:
        header = reached.pop()
        if header and header not in proven and (root / header).is_file():
            proven.add(header)
            reached.append(first_include((root / header).read_text()))
    return proven


def flags(name):
    """Returns the flags to compile a source. A program that embeds CPython needs its headers."""
    note = ROOT / "build/cuda_root.txt"
    cuda = ["-isystem", note.read_text().strip() + "/include"] if note.is_file() else []
    python = ["-isystem", sysconfig.get_path("include")] if "/embedded/" in name else []
    return ["-std=c++20", "-I.", *cuda, *python, "-Wall", "-Wextra", "-Wno-missing-designated-field-initializers",
            '-DAFTERLIFE_PATH="example"', '-DAFTERLIFE_VERSION="0"',
            "-DAFTERLIFE_SLOWDOWN_PERCENT=0", '-DAFTERLIFE_STUB_LIBCUDA=""']


def not_alone(root, headers):
    """Returns a line for each header that does not compile by itself. A header that did, and has not changed, is not checked again."""
    commands = {name: [COMPILER, "-fsyntax-only", *flags(name), "-Wno-pragma-once-outside-header", "-x", "c++", name] for name in headers}
    marks = {name: held.key(root, name, command) for name, command in commands.items()}
    asked = [name for name in headers if not held.holds(marks[name])]

    def ask(name):
        ended = subprocess.run([*commands[name], *behind.get(name, [])], cwd=root, capture_output=True, text=True)
        if not ended.returncode:
            held.note(marks[name])
        wrong = re.search(r"error: .*", ended.stderr)
        return [f"{name}: does not compile alone: {wrong[0] if wrong else ended.stderr.strip()}"] if ended.returncode else []

    plain = [name for name in asked if flags(name) == flags("")]
    with shelves.shelved(root, plain, [COMPILER, *flags("")]) as behind:
        return in_parallel(ask, asked)


# ---- comments ----

class Commented(Shape):
    """Finds the public functions of one header that have no comment."""

    def __init__(self, name, text):
        self.uncommented, self.public_count, self.last, self.inside, self.foreign = [], 0, ("", False), [], False
        self.lines = text.splitlines()
        super().__init__(name, text)

    def braces(self, begin, brace, scope):
        if self.at(begin) == "template":
            begin = (self.angle(begin + 1, brace) or begin) + 1
        head = [self.at(i) for i in self.top_level(begin, brace)]
        if any(word in head for word in ("class", "struct", "union")) and not self.is_function(head):
            self.inside.append(brace)
            end = super().braces(begin, brace, scope)
            self.inside.pop()
            return end
        before, self.foreign = self.foreign, self.foreign or "extern" in head  # A function in extern "C" belongs to another library.
        end = super().braces(begin, brace, scope)
        self.foreign = before
        return end

    def outer(self, first, last, scope):
        if not self.inside:  # Shape visits the members of a class in any case.
            self.namespace(first, last)
        super().outer(first, last, scope)

    def function(self, begin, brace, end, scope):
        """Ignores bodies."""

    def namespace(self, first, last):
        """Reads the functions that are declared or defined directly in a namespace."""
        i = begin = first
        while i < last:
            text = self.at(i)
            if text == ";":
                self.free_function(begin, i)
                begin = i + 1
            elif text == "{":
                if self.is_body(begin, i):
                    self.free_function(begin, i)
                    begin = self.match[i] + 1
                elif {"namespace", "extern", "enum", "class", "struct", "union"} & {self.at(j) for j in self.top_level(begin, i)}:
                    begin = self.match[i] + 1
                i = self.match[i]
            elif text in ("(", "["):
                i = self.match[i]
            i += 1

    def free_function(self, begin, end):
        words = [self.at(i) for i in self.top_level(begin, end)]
        if {"namespace", "extern"} & set(words) or not words:
            return
        self.member(Class("", 0), True, begin, end)

    def add_function(self, found, is_public, begin, end, words):
        before = len(found.functions)
        super().add_function(found, is_public, begin, end, words)
        if len(found.functions) == before or "override" in words:
            return
        name = found.functions[-1]
        if self.foreign or not name.isidentifier() or (self.name == KERNEL and CUDA_NAME.match(name)):
            return
        self.public_count += 1
        start = self.begin_of(begin)
        commented = self.has_comment(start, end) or (self.last == (name, True) and not self.blank_above(start))
        self.last = (name, commented)
        if not commented and not self.is_getter(name, end):
            self.uncommented.append(f"{self.name}:{self.line(self.tokens[start].begin)}: "
                                    f"{found.name + '::' if found.name else ''}{name}")

    def begin_of(self, begin):
        """Returns where a declaration begins, including a `template<...>` before it."""
        i = begin - 1
        if self.at(i) != ">":
            return begin
        while i > 0 and self.at(i) != "template":
            i -= 1
        return i

    def has_comment(self, begin, end):
        above = self.lines[self.line(self.tokens[begin].begin) - 2].strip() if self.tokens[begin].begin else ""
        last = self.line(self.tokens[end].begin) - 1
        own = self.lines[last]
        if self.at(end) == "{" and self.line(self.tokens[self.match[end]].begin) > last + 1:
            own += self.lines[last + 1]  # The first line of a body with more than one line.
        return bool(re.match(r"//(?!\s*----)", above)) or "//" in own.split(self.at(end), 1)[-1]

    def blank_above(self, begin):
        return not self.lines[self.line(self.tokens[begin].begin) - 2].strip()

    def is_getter(self, name, end):
        if self.at(end) != "{":
            return False
        return re.fullmatch(rf"\{{ return \*?(?:\w+[_)]?(?:\.|->))?{name}_?; \}}", " ".join(
            self.slice(end, self.match[end] + 1).split())) is not None


def asked_headers(root):
    """Returns the headers of ASKED_IN."""
    return [name for name in sources(root, (".h",)) if ASKED_IN.match(name)]


def uncommented(root, headers):
    """Returns the public functions without a comment, and the number of public functions."""
    found = [Commented(name, (root / name).read_text()) for name in headers]
    return [line for one in found for line in one.uncommented], sum(one.public_count for one in found)


# ---- using declarations ----

def unused(root, files):
    """Returns a line for each name that a source takes from a namespace but never uses."""
    found = []
    for name in files:
        text = (root / name).read_text()
        for table in re.findall(r'^#include "(.*\.def)"', text, re.M):
            text += (root / table).read_text()
        for match in re.finditer(r"^using (?:::)?(?:\w+::)+(\w+);", text, re.M):
            if len(re.findall(rf"\b{match[1]}\b", text)) == 1:
                found.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: using declaration of {match[1]}: unused")
    return found


# ---- clang-tidy ----

def untidy(root, files):
    """Returns a line for each finding of the checks in .clang-tidy. The sources of a folder are checked together, since most of the time is spent on the
    headers that they share."""
    batches = []
    for _, members in itertools.groupby(sorted(files), os.path.dirname):
        members = list(members)
        batches += [members[i:i + BATCH_LIMIT] for i in range(0, len(members), BATCH_LIMIT)]
    return sorted(set(in_parallel(lambda batch: untidy_batch(root, batch), batches)))


def untidy_batch(root, files):
    """Checks sources joined into one file; those that do not compile after the others are checked separately."""
    with tempfile.TemporaryDirectory() as folder:
        joined = Joined(root, files, pathlib.Path(folder) / "joined.cpp")
        ended = joined.run(COMPILER, "-fsyntax-only", "-w", "-ferror-limit=0", str(joined.path), *flags(files[0]))
        if ended.returncode and len(files) > 1:
            clashing = {name for name in files if any(line.startswith(f"{name}:") for line in joined.said(ended.stderr))}
            if not clashing or len(clashing) == len(files):
                clashing = set(files[len(files) // 2:])
            return (untidy_batch(root, [name for name in files if name not in clashing])
                    + untidy_batch(root, sorted(clashing)))
        ended = joined.run(TIDY, "--quiet", f"--config-file={root}/.clang-tidy", str(joined.path), "--", *flags(files[0]))
        found = joined.said(ended.stdout)
        return found if found or not ended.returncode else [f"{', '.join(files)}: {TIDY}: {ended.stderr.strip()}"]


class Joined:
    """Several sources joined into one file."""

    def __init__(self, root, files, path):
        self.root, self.path, self.lines, self.starts = root, path, [], []
        for name in files:
            self.starts.append((len(self.lines), name))
            self.lines += (root / name).read_text().splitlines()
        path.write_text("\n".join(self.lines) + "\n")

    def run(self, *command):
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True)

    def said(self, output):
        """Returns the warnings and errors of a compiler, with their positions in the original sources."""
        return [self.placed(*match.groups()) for match in re.finditer(r"^(\S+?):(\d+)(:\d+: (?:warning|error): .*)", output, re.M)]

    def placed(self, file, line, rest):
        if file != str(self.path):
            return f"{os.path.normpath(file.removeprefix(f'{self.root}/'))}:{line}{rest}"
        start, name = [one for one in self.starts if one[0] < int(line)][-1]
        return f"{name}:{int(line) - start}{rest}"


def git(*command):
    ended = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
    return ended.stdout.split() if ended.returncode == 0 else []


def changed():
    """Returns the sources changed since the branch left main; on main, since the previous commit. Returns at most a few."""
    base = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    if base == git("rev-parse", "HEAD"):
        base = git("rev-parse", "-q", "--verify", "HEAD~1")
    names = git("diff", "--name-only", "--diff-filter=d", *base) + git("ls-files", "-o", "--exclude-standard")
    return [name for name in sources(suffixes=(".cpp",)) if name in names][:CHANGED_LIMIT]


def tidy(files):
    found = untidy(ROOT, files)
    print("\n".join(found) or f"style: clang-tidy finds nothing in {len(files)} sources")
    return 1 if found else 0


# ---- the self-test ----

# Text of harness/a.h | number of functions without a comment.
COMMENTS = [
    ("int f();\n", 1), ("/// Returns one.\nint f();\n", 0), ("int f();  ///< Returns one.\n", 0), ("// ---- a part ----\nint f();\n", 1),
    ("/// Returns one.\ntemplate <class T>\nint f(T t) {\n  return 1;\n}\n", 0), ("template <class T>\nint f(T t) {\n  return 1;\n}\n", 1),
    ("class A {\n public:\n  int f() const { return f_; }\n  int g() const { return f_; }\n\n private:\n  int h();\n  int f_;\n};\n", 1),
    ("class A {\n public:\n  A();\n  ~A();\n  A(const A&) = delete;\n  bool operator==(const A&) const = default;\n};\n", 0),
    ("struct A {\n  int b = 0;\n  void f() const;\n  virtual void g() = 0;\n  void h() override;\n};\n", 2),
    ("/// Finds it.\nint f(int);\nint f(char);\n", 0), ("/// Finds it.\nint f(int);\n\nint f(char);\n", 1), ("int f(int);\nint f(char);\n", 2),
    ("namespace a {\nint b = 1;\nstruct C;\nusing D = int (*)(int);\nint e();\n}\n", 1), ("inline int f() { return 1; }\n", 1),
    ("/// A thing.\ntemplate <class T>\nclass A {\n public:\n  explicit A(int b);\n};\n", 0), ("extern \"C\" {\nvoid f();\n}\nint g();\n", 1),
    ("inline int f() { return 1; }\n/// Returns two.\nint g();\n", 1), ("int f() {  // Returns one.\n  return 1;\n}\n", 0),
    ("int f() {\n  // One.\n  return 1;\n}\n", 0), ("int f() { return 1; }\nint g() { return 1; }  // Returns one.\n", 1),
    ("constexpr int a = [] {\n  int b{};\n  return b;\n}();\n", 0),
    ("namespace a {\n/// A thing.\nstruct B {\n  int c{1};\n  struct D {\n    int e = 0;\n  } d;\n  /// Makes it.\n  void f();\n};\n}  // namespace a\n", 0),
]
# Source text | header text | whether the header must be compiled separately.
ALONE = [("", "int f();\n", True), ('#include "harness/a.h"\n', "int f();\n", False),
         ('#include <vector>\n\n#include "harness/a.h"\n', "int f();\n", True), ('#define B\n#include "harness/a.h"\n', "int f();\n", True),
         ('#include "harness/b.h"\n', "int f();\n", False)]


# Headers whose functions need a comment; headers whose functions do not.
ASKED = ["harness/gate/a.h", "harness/core/instruments/a.h", "harness/devices/sim/kernel.h", "harness/core/ledger/ledger.h", "harness/report/timeline/a.h",
         "harness/core/scheduler/a.h", "harness/run/strategies/bytes.h"]
NOT_ASKED = ["harness/devices/sim/a.h", "harness/cli/a.h", "harness/core/tests/a.h", "harness/gate/command/a.h", "targets/a/a.h"]
# clang-tidy has a finding on line 5. Two such sources conflict when they are joined.
UNTIDY = "struct A {\n  virtual void f();\n};\nstruct B : A {\n  virtual void f();\n};\n"


def planted(folder, texts):
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def self_test():
    rightly = [len(Commented("harness/a.h", "#pragma once\n" + text).uncommented) == count for text, count in COMMENTS]
    rightly.append(len(Commented(KERNEL, "int atomicAdd(int*);\nint afterlife_lane();\n").uncommented) == 1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        planted(folder, {name: "" for name in ASKED + NOT_ASKED})
        rightly.append(asked_headers(folder) == sorted(ASKED))
        for source, header, asked in ALONE:
            planted(folder, {"harness/a.h": "#pragma once\n" + header, "harness/a.cpp": source,
                             "harness/b.h": '#pragma once\n\n#include "harness/a.h"\n'})
            rightly.append(("harness/a.h" not in proven_by_build(folder, ["harness/a.cpp"])) == asked)
        planted(folder, {"harness/a.h": "#pragma once\nstd::vector<int> f();\n", "harness/b.h": "#pragma once\n\nint f();\n",
                         "harness/a.cpp": "int  f( );\n", "harness/b.cpp": "int f();\n",
                         "harness/tidy.cpp": UNTIDY, "harness/again.cpp": UNTIDY, "harness/broken.cpp": "\nint f(;\n",
                         "harness/using.h": "namespace a {\nint b();\n}\n", "harness/using.cpp": '#include "harness/using.h"\nusing a::b;\n',
                         ".clang-format": (ROOT / ".clang-format").read_text(), ".clang-tidy": (ROOT / ".clang-tidy").read_text()})
        for check, wrong, right in ((not_alone, "harness/a.h", "harness/b.h"), (unlaid, "harness/a.cpp", "harness/b.cpp"),
                                    (untidy, "harness/tidy.cpp", "harness/b.cpp"), (unused, "harness/using.cpp", "harness/b.cpp")):
            rightly += [bool(check(folder, [wrong])), not check(folder, [right])]
        planted(folder, {"harness/b.h": '#pragma once\n\n#include "harness/c.h"\n', "harness/c.h": "#pragma once\nint c();\n"})
        rightly.append(not not_alone(folder, ["harness/b.h"]) and not not_alone(folder, ["harness/b.h"]))
        planted(folder, {"harness/c.h": "#pragma once\nint c(;\n"})
        rightly.append(bool(not_alone(folder, ["harness/b.h"])))
        joined = untidy(folder, ["harness/again.cpp", "harness/b.cpp", "harness/tidy.cpp", "harness/using.cpp"])
        rightly.append(len(joined) == 2 and all(re.match(rf"harness/{name}.cpp:5:", line) for name, line in zip(("again", "tidy"), joined)))
        rightly.append(any(line.startswith("harness/broken.cpp:2:") for line in untidy(folder, ["harness/b.cpp", "harness/broken.cpp"])))
    print(f"style: {sum(rightly)} of {len(rightly)} plants judged rightly"
          + "".join(f"; wrong: plant {i}" for i, right in enumerate(rightly, 1) if not right))
    return 0 if all(rightly) else 1


def check():
    files = sources()
    proven = proven_by_build(ROOT, files)
    # The PyTorch plug-in is built with the user's PyTorch, whose headers are not available here.
    asked = [name for name in files if name.endswith(".h") and name not in proven and not name.startswith("harness/client/inside/torch/")]
    bare, count = uncommented(ROOT, asked_headers(ROOT))
    found = unlaid(ROOT, files) + not_alone(ROOT, asked) + unused(ROOT, [name for name in files if name.endswith(".cpp")])
    found += [f"{line}: a public function without a comment" for line in bare]
    print("\n".join(found) or f"style: {len(files)} sources are laid out; {len(asked)} headers compile alone, the build proves "
          f"{len(proven)}; {count} public functions have a comment")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--tidy", nargs="*", metavar="FILE")
    parser.add_argument("--tidy-changed", action="store_true")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    if options.tidy is not None:
        return tidy(options.tidy or sources(suffixes=(".cpp",)))
    return self_test() if options.self_test else tidy(changed()) if options.tidy_changed else check()


if __name__ == "__main__":
    sys.exit(main())
