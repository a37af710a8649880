#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the tree names no folder of one machine and no package registry, and that its words are those of the field.

Usage: scripts/checks/hygiene.py [--self-test | --license]

Certain private words are in no source and no document, and no comment begins with a word that makes half a sentence
of it. A script that says how it is run is executable. Every source names its licence as SPDX asks:

  --license    adds the licence's line to the sources that lack it, and changes nothing else

The vocabulary (PRIVATE) has at most 40 words. No other tool holds it. Vale is a binary that its package downloads when
it first runs. The dictionary of codespell has single words only, and takes an identifier for one; the checks of
proselint are fixed. And none of them finds the comments and strings of C++.

Exit: 0 clean, 1 not. --self-test plants a line per pattern; each must be found.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Pattern | a text that it must find. Both are written so that the check does not find them in this file.
PATTERNS = [
    (r"(?<![\w.])/(?:home|root|[w]ork|farm|Users|workspace)/\w", "see /ho" + "me/someone/x"),
    (r"(?:index-ur[l]|registr[y]\s*=|find-link[s])", "pip install --index-ur" + "l x"),
    (r"(?:py[p]i|pythonhoste[d]|npmj[s]|crate[s]|docke[r]|proxy\.golan[g])\.(?:org|io|com)",
     "https://py" + "pi.org/simple"),
    (r"(?:deb|security|archive)\.(?:debia[n]|ubunt[u])\.", "http://deb.debia" + "n.org"),
    (r"\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b", "// TOD" + "O: later"),
]

# Pattern of a word | a better word.
PRIVATE = [
    (r"dea[r](?:er|est)?", "expensive"), (r"ha[d] again", "given out again"), (r"bur(?:[y]|ie[sd])", "the deed itself"),
    (r"deserte[d]", "done"), (r"sprin[g]s?", "run"), (r"li[e]s?", "is, are"),
    (r"blam[e][ds]?", "concerned, named"),
    (r"(?:no|some|any|every)bod[y]", "a mechanism is a thing: nothing, another task, no caller"),
    (r"whoeve[r]", "code that, the task that"), (r"ane[w]", "again"), (r"plainl[y]", "by default"),
]
PLAIN_FILES = {".h", ".cpp", ".cu", ".def", ".py", ".sh", ".cmake", ".md"}

# A file with a fixed name in a shared folder may be written by another test at the same time.
SHARED_FILE = re.compile(r"TempDi[r]\(\)|temp_director[y]_path")
TESTS = r"harness/\w+/tests/(?!folder\.h)\S+"

# A comment that begins with one of these usually has no verb or no subject, and makes no sense as a tooltip.
HALF_SENTENCE = re.compile(r"(?:What|Who|Whose|Of|As)\b|\.\.\.|…")
PLAIN = r"(?:harness|targets|scenarios)/.*\.(?:h|cpp|cu|def)"


def complaints(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, _ in PATTERNS:
            if match := re.search(pattern, line):
                yield f"{name}:{number}: '{match[0]}' belongs to one machine, a registry or a draft"
        for pattern, plain in PRIVATE if pathlib.PurePath(name).suffix in PLAIN_FILES else ():
            match = re.search(rf"\b{pattern}\b", line, re.I)
            if match:
                yield f"{name}:{number}: '{match[0]}' is a private word: {plain}"
        if re.fullmatch(TESTS, str(name)) and (match := SHARED_FILE.search(line)):
            yield f"{name}:{number}: '{match[0]}' is one folder for all tests; a Folder is one test's own"
    if re.fullmatch(PLAIN, str(name)):
        for number, comment in half_sentences(text):
            yield f"{name}:{number}: a comment begins with '{comment.split()[0]}': {comment}"


def half_sentences(text):
    """Yields the line and the text of each C++ comment that begins with half a sentence. A comment right below another one in the same column continues it
    and is not checked."""
    column_above = None
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"(?:^\s*|\S\s+)(//[/!]?<?)\s*(.*)", line)
        column = match.start(1) if match and match[2] else None
        goes_on = column == column_above and line.lstrip().startswith("//")
        if column is not None and not goes_on and HALF_SENTENCE.match(match[2]):
            yield number, match[2]
        column_above = column


def unrunnable(name, text, may_run):
    """Yields a complaint if a script that users are told to run is not executable."""
    if text.startswith("#!") and not may_run:
        yield f"{name}: says how it is run, and may not be: chmod +x"


LICENCE = "SPDX-License-" + "Identifier: Apache-2.0"
COMMENTS = {".h": "//", ".cpp": "//", ".cu": "//", ".cuh": "//", ".def": "//", ".py": "#", ".sh": "#", ".cmake": "#"}


def unlicensed(name, text):
    """Yields a complaint if the first lines of a source do not name its licence. Empty files need none."""
    if pathlib.PurePath(name).suffix in COMMENTS and text.strip() and LICENCE not in "\n".join(text.split("\n", 2)[:2]):
        yield f"{name}: has no line `{LICENCE}`; run scripts/checks/hygiene.py --license"


def license_sources():
    """Adds the licence line after `#!`, or as the first line. Returns the number of changed sources."""
    count = 0
    for file in filter(pathlib.Path.is_file, tree_files()):
        if file.is_symlink() or not list(unlicensed(file, text := file.read_text(errors="surrogateescape"))):
            continue
        shebang, rest = text.split("\n", 1) if text.startswith("#!") else ("", text)
        line = f"{COMMENTS[file.suffix]} {LICENCE}\n"
        file.write_text(f"{shebang}\n{line}{rest}" if shebang else line + rest, errors="surrogateescape")
        count += 1
    return count


def tree_files():
    """Returns the files that are or could be committed. Without git, returns all files except the build folder."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode == 0:
        return [ROOT / line for line in listed.stdout.splitlines()]
    return [p for p in ROOT.rglob("*") if p.relative_to(ROOT).parts[0] not in ("build", ".git")]


def check():
    """Returns all complaints about the tree. Undecodable bytes of binary files are replaced."""
    lines = []
    for file in filter(pathlib.Path.is_file, sorted(tree_files())):
        name, text = file.relative_to(ROOT), file.read_text(errors="replace")
        lines += [*complaints(name, text), *unrunnable(name, text, os.access(file, os.X_OK)), *unlicensed(name, text)]
    return lines


# File | text planted | whether it must be reported.
PLANTS = [("planted", plant, True) for _, plant in PATTERNS] + [
    ("planted.h", "// It was ha" + "d again.", True), ("planted.m" + "d", "The dea" + "rest one.", True),
    ("planted.cpp", "void bur" + "y(int);", True), ("planted.py", "# Where it li" + "es.", True),
    ("planted.cpp", "Latch deserte" + "d;", True), ("planted.cu", "void sprin" + "g();", True),
    ("planted.cpp", "// For some" + "body else.", True), ("planted.m" + "d", "Who" + "ever reads it.", True),
    ("planted.py", "# Begun an" + "ew.", True), ("planted.h", "// Plain" + "ly it waits.", True), ("planted.h", "// A body.", False),
    ("planted.cpp", "// An earlier belief, nearby, unburied.", False), ("planted.bin", "li" + "es", False),
    ("harness/planted.h", "/// What it does.\nint a();", True), ("harness/planted.h", "int a;  ///< Of the run.", True),
    ("harness/planted.h", "int a;  ///< ... and more.", True), ("harness/planted.h", "// As said.", True),
    ("harness/planted.h", "int a;\n\n/// Who did it.", True), ("harness/planted.h", "// A first part.\n//\n// Of it.", True),
    ("harness/planted.h", "}  // namespace\n/// Of it.", True), ("harness/planted.h", "int a;  ///< A\n        ///< Who.", False),
    ("harness/planted.h", "int a;  ///< One.\nint b;  ///< Of it.", True),
    ("harness/planted.h", "/// Returns the sum\n/// Of all.", False), ("harness/planted.h", "int a;  ///< Asked.", False),
    ("harness/devices/planted.h", "/// What it does.", True), ("harness/planted.h", "/// Whatever.\n/// Office.", False),
    ("harness/core/tests/planted.cpp", "f(TempDi" + "r());", True), ("harness/base/tests/folder.h", "f(TempDi" + "r());", False),
    ("targets/planted/planted.h", "/// What it does.", True), ("scenarios/planted/planted.cpp", "// Of it.", True),
]

# Text of a script | whether it is executable | whether that must be reported.
SCRIPTS = [("#!/bin/sh\n", False, True), ("#!/bin/sh\n", True, False), ("import sys\n", False, False)]

# Source | text | whether a missing licence must be reported.
LICENSED = [("a.cpp", f"// {LICENCE}\n", False), ("a.py", f"#!/bin/sh\n# {LICENCE}\n", False), ("a.h", "// A file.\n", True),
            ("a.sh", f"#!/bin/sh\n# One.\n# {LICENCE}\n", True), ("planted.m" + "d", "# A\n", False), ("a.py", "", False)]


def self_test():
    wrong = [(file, text) for file, text, is_wrong in PLANTS if bool(list(complaints(file, text))) != is_wrong]
    wrong += [("planted.py", text) for text, may_run, is_wrong in SCRIPTS
              if bool(list(unrunnable("planted.py", text, may_run))) != is_wrong]
    wrong += [(file, text) for file, text, is_wrong in LICENSED if bool(list(unlicensed(file, text))) != is_wrong]
    for file, text in wrong:
        print(f"hygiene: judged wrongly in {file}: {text}")
    count = len(PLANTS) + len(SCRIPTS) + len(LICENSED)
    print(f"hygiene: {count - len(wrong)} of {count} planted lines judged rightly")
    return not wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    if sys.argv[1:] == ["--license"]:
        print(f"hygiene: {license_sources()} sources have the licence's line now")
        return 0
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0 if sys.argv[1] in ("-h", "--help") else 3
    lines = check()
    print("\n".join(lines) or f"hygiene: {len(tree_files())} files name no machine and no registry, and no private word")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
