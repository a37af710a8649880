#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the example path under another name, and checks that everything takes up the copy with no other edit.

Usage: scripts/copied_path.py [--self-test]
       scripts/copied_path.py --here NAME

The copy is made in a copy of the tree, build/copied_path, which is built there (preset dev). The copy must
have its targets, stand in the tables, in `afterlife list`, among the figures and in CTest's list as the example does,
get the same verdicts in 2 s, replay its corpus, pass its tests, and keep the rules of the tree. The ops of every path
are rows of its ops.def, and one more row is one more op of the copy. A variant that reports a new fact
(common/new_fact.py) changes at most 8 files of the copy, is judged as claimed, and passes its tests.

  --self-test   besides plants omissions in the copy of the tree, at least one per check, each of which must be found
  --here NAME   makes the copy in this tree instead, to become a path of its own (harness/docs/how-to/recipes.md)

Prints a line per check. Exit: 0 all hold, 1 one does not, 2 the build, 3 usage.
"""
import argparse
import json
import os
import re
import subprocess
import sys

from common import new_fact as fact
from common import programs
from checks import style
from common.tree_copy import copy_tree

TREE = programs.ROOT / "build" / "copied_path"
BUILD = TREE / "build" / "dev"
FOLDERS = ("targets", "scenarios", "corpus")
ORIGINAL, COPY = "example", "lookalike_server"  # The copy's name is longer, and has two words.
SOURCES = (".cpp", ".h", ".cu")
NEW_OP = "ask_again"
SECONDS = 2


def class_name(path):
    return "".join(word.capitalize() for word in path.split("_"))


def renamed(text, path):
    """Returns the text with the example's name replaced by another path's name."""
    return text.replace(ORIGINAL, path).replace(class_name(ORIGINAL), class_name(path))


def laid_out(text, file):
    """Returns a source's text as the formatter lays it out: a name of another length changes the line breaks."""
    if file.suffix not in SOURCES:
        return text
    try:
        ended = subprocess.run([style.FORMATTER, f"--assume-filename={file}"], input=text, capture_output=True, check=True)
    except FileNotFoundError:
        print(f"copied_path: there is no {style.FORMATTER}; ./scripts/setup.sh installs it", file=sys.stderr)
        sys.exit(2)
    return ended.stdout


def copy_path(tree, path):
    """Copies the example's three folders, renaming it in file names and contents."""
    for folder in FOLDERS:
        for file in sorted((tree / folder / ORIGINAL).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                copy_file(tree, path, file.relative_to(tree), file.read_bytes().decode("latin-1"))


def copy_file(tree, path, name, text):
    """Writes a file of the example with this content as a file of another path."""
    there = tree / renamed(str(name), path)
    content = laid_out(renamed(text, path).encode("latin-1"), there)
    there.parent.mkdir(parents=True, exist_ok=True)
    if not there.is_file() or there.read_bytes() != content:
        there.write_bytes(content)


def run(*command, cwd=TREE):
    """Runs a command in the copy of the tree and returns its result. Git must not take the copy for a part of this repository."""
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(TREE.parent)}
    return subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, env=environment)


def build():
    """Returns the build's output if it failed, or an empty text."""
    ended = run(TREE / "scripts/build.sh", "dev", "afterlife", "afterlife_tests")
    return (ended.stdout + ended.stderr)[-3000:] if ended.returncode else ""


def output(*command, **how):
    ended = run(*command, **how)
    return ended.stdout if ended.returncode == 0 else ""


def of_both(found):
    """Returns whether the example has at least one entry, and the copy has the same ones under its own name."""
    original = sorted(renamed(name, COPY) for name in found if is_of(ORIGINAL, name))
    return original != [] and original == sorted(name for name in found if is_of(COPY, name))


def is_of(path, name):
    """Returns whether a name contains the path's name as a separate word."""
    return re.search(rf"(?<![A-Za-z])(?:{path}(?![a-z])|{class_name(path)}(?=[A-Z]))", name) is not None


# ---- the checks, each of which tells whether it holds ----

def targets():
    """Checks that the build has the copy's programs and objects."""
    lines = output("ninja", "-C", BUILD, "-t", "targets", "all").splitlines()
    names = {line.split(":")[0] for line in lines if line.endswith(": phony")}
    return of_both({name for name in names if "/" not in name})


def tables():
    """Checks that the generated tables contain the copy's scenario."""
    return of_both(re.findall(r"&::scenarios::\w+", (BUILD / "generated/tables.cpp").read_text()))


def listed():
    """Checks that `afterlife list` shows the same for both paths."""
    paths = {path["path"]: path for path in json.loads(output(BUILD / "afterlife", "list", "--json") or "{}").get("paths", [])}
    return ORIGINAL in paths and json.loads(renamed(json.dumps(paths[ORIGINAL]), COPY)) == paths.get(COPY)


def figures():
    """The figures name the copy's own, and its floor is known."""
    names = output(TREE / "scripts/measure/figures.py", "--help").split("Names: ")[-1].split()
    floor = output("python3", "-c", f"from measure import path_figures; print(path_figures.plain_runs_per_second('{COPY}'))",
                   cwd=TREE / "scripts")
    return of_both(names) and floor != ""


def verdicts():
    """Checks that a search of 2 s gives the same verdicts for both paths, and that they match the claims."""
    found = {}
    for path in (ORIGINAL, COPY):
        ended = run(BUILD / "afterlife", "fuzz", path, "--seconds", SECONDS, "--out", TREE / "build/found", "--json")
        if ended.returncode:
            return False
        found[path] = [(row["variant"], row["verdict"]) for row in json.loads(ended.stdout)["results"]]
    return found[ORIGINAL] == found[COPY] != []


def corpus():
    """Checks that the copy's corpus replays as recorded, and has the same files as the example's."""
    files = [str(file.relative_to(TREE)) for path in (ORIGINAL, COPY)
             for file in (TREE / "corpus" / path).rglob("*") if file.is_file()]
    return of_both(files) and run(BUILD / "afterlife", "replay", f"corpus/{COPY}/programs",
                                  f"corpus/{COPY}/repros").returncode == 0


def ctest():
    """Checks that CTest lists the same tests for both paths."""
    return of_both(re.findall(r"Test +#\d+: (\S+)", output("ctest", "-N", cwd=BUILD)))


def tests():
    """Checks that the copy's tests pass."""
    return run(BUILD / "afterlife_tests", f"--gtest_filter=*{COPY}*:*{class_name(COPY)}*").returncode == 0


def rows():
    """Checks that the ops of every path are the rows of its ops.def, in the same order."""
    paths = json.loads(output(BUILD / "afterlife", "list", "--json") or "{}").get("paths", [])
    return paths != [] and all(path["ops"] == rows_of(path["path"]) for path in paths)


def rows_of(path):
    """Returns the names in the rows of a path's ops.def, or None if the path has no such file."""
    file = TREE / "scenarios" / path / "ops.def"
    return re.findall(r"^OP\((\w+),", file.read_text(), re.M) if file.is_file() else None


def new_op():
    """Checks that an op needs just one row: a row added to the copy's ops.def is executed, and changes no existing case."""
    path = TREE / "scenarios" / COPY / "ops.def"
    rows = path.read_text()
    path.write_text(rows.replace("#undef OP", f"OP({NEW_OP}, always, ask)\n\n#undef OP"))
    holds = build() == "" and is_played(NEW_OP) and corpus()
    path.write_text(rows)
    return build() == "" and holds


def is_played(op):
    """Returns whether the runs of a search of 2 s reach the copy's op."""
    found = json.loads(output(BUILD / "afterlife", "fuzz", f"{COPY}/retain", "--seconds", SECONDS, "--json") or "{}")
    return any(row["op"] == op and row["reached"] > 0 for row in found.get("ops", []))


def new_fact(edits=fact.EDITS):
    """Checks that a variant with a new fact changes at most 8 files, is judged as claimed, and passes its tests."""
    before = files()
    for name, text in fact.edited(TREE, edits).items():
        copy_file(TREE, COPY, name, text)
    holds = build() == "" and is_judged() and writes_reproducers() and tests()
    after = files()
    changed = [file for file in sorted(before | after) if before.get(file) != after.get(file)]
    for file in changed:
        file.write_bytes(before[file]) if file in before else file.unlink()
    return build() == "" and holds and len(changed) <= fact.FILE_LIMIT


def files():
    """Returns the content of each file in the copy of the tree, except what is built."""
    return {file: file.read_bytes() for top in TREE.iterdir() if top.name != "build"
            for file in ([top] if top.is_file() else top.rglob("*")) if file.is_file() and "__pycache__" not in file.parts}


def is_judged():
    """Returns whether a search of 2 s reaches only the claimed window, and finds faults there and nowhere else."""
    found = json.loads(output(BUILD / "afterlife", "fuzz", f"{COPY}/{fact.VARIANT}", "--seconds", SECONDS,
                              "--out", TREE / "build/found", "--json") or '{"results": []}')
    return [(row["verdict"], row["unclaimed"], {window["window"] for window in row["windows"] if window["reached"] > 0})
            for row in found["results"]] == [("caught", [], {fact.CLAIMED})]


def writes_reproducers():
    """Returns whether a case was found for the hazard that the variant claims."""
    return run(TREE / "scripts/repros.py", "--build", "dev", f"{COPY}/{fact.VARIANT}").returncode == 0


def rules():
    """Checks that the copy follows the rules of the tree and its formatting."""
    sources = [str(file.relative_to(TREE)) for folder in FOLDERS for file in (TREE / folder / COPY).rglob("*")
               if file.suffix in SOURCES]
    return (style.unlaid(TREE, sources) == []
            and all(run(TREE / "scripts/checks" / f"{name}.py").returncode == 0
                    for name in ("layers", "hygiene", "documents", "shape")))


CHECKS = (targets, tables, listed, figures, verdicts, corpus, ctest, tests, rules, rows, new_op, new_fact)

# Check | file | text to replace in it | replacement. Each plant omits the copy or breaks it. The last ones need a build.
PLANTS = (
    (figures, "scripts/measure/path_figures.py", '"scenarios/*/figures.py"', '"scenarios/[!l]*/figures.py"'),
    (figures, f"scenarios/{COPY}/figures.py", "PLAIN_RUNS_PER_SECOND", "RUNS"),
    (corpus, f"corpus/{COPY}/programs/replaced_in_flight.repro", f"path {COPY}", f"path {ORIGINAL}s"),
    (tests, f"corpus/{COPY}/repros/borrow-replaced_in_flight.repro", "data_race device memory", "data_race device memories"),
    (rules, f"targets/{COPY}/retain.h", f"targets/{COPY}/{COPY}.h", f"targets/{ORIGINAL}/{ORIGINAL}.h"),
    (rules, f"targets/{COPY}/retain.h", "class Retain final", "class Retain  final"),
    (rules, f"scenarios/{COPY}/README.md", "harness/docs/how-to/recipes.md", "harness/docs/how-to/receipts.md"),
    (targets, "CMakeLists.txt", "subfolders(paths scenarios)", f"subfolders(paths scenarios)\nlist(REMOVE_ITEM paths {COPY})"),
    (tables, "CMakeLists.txt", "tables scenarios/*/scenario.cpp", "tables scenarios/[!l]*/scenario.cpp"),
    (listed, f"scenarios/{COPY}/variants.cpp", "ClaimKind::unsound", "ClaimKind::sound"),
    (verdicts, f"targets/{COPY}/retain.h", "== 0", ">= 0"),
    (rows, f"scenarios/{COPY}/scenario.h", "{#name}", '{#name "_"}'),
    (new_op, f"scenarios/{COPY}/ops.cpp", ".owner =", ".user = harness::ops(Op::query), .owner ="),
    (ctest, "CMakeLists.txt", "scenarios/*/tests/*.cpp", "scenarios/[!l]*/tests/*.cpp"),
)


def is_seen(check, file, before, after):
    """Returns whether the check fails because of the plant. The file is restored afterwards."""
    path = TREE / file
    text = path.read_text()
    if text.count(before) == 0:
        raise LookupError(f"nothing to plant in: {file} has no '{before}'")
    path.write_text(text.replace(before, after))
    if file.endswith((".h", ".cpp", ".txt")) and check is not rules:
        build()  # A failed build counts as detected.
    seen = not check()
    path.write_text(text)
    return seen


def self_test():
    missed = [f"{check.__name__}: {file}: {after}" for check, file, before, after in PLANTS
              if not is_seen(check, file, before, after)]
    missed += [f"new_fact: without {what}" for what, edits in fact.plants() if new_fact(edits)]
    count = len(PLANTS) + len(fact.plants())
    print(f"copied_path: {count - len(missed)} of {count} planted omissions found"
          + "".join(f"; not {what}" for what in missed))
    return 1 if missed else 0


def check_all():
    wrong = 0
    for check in CHECKS:
        holds = check()
        wrong += not holds
        print(f"copied_path: {'holds' if holds else 'BROKEN'}: {check.__name__}: {check.__doc__}", flush=True)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("--self-test", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--here", metavar="NAME", help=argparse.SUPPRESS)
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        return 3 if ended.code else 0
    if options.here is not None:
        return copy_here(options.here)
    TREE.mkdir(parents=True, exist_ok=True)
    copy_tree(TREE)
    copy_path(TREE, COPY)
    if complaint := build():
        print(complaint, file=sys.stderr)
        return 2
    return check_all() or (self_test() if options.self_test else 0)


def copy_here(name):
    taken = any((programs.ROOT / folder / name).exists() for folder in FOLDERS)
    if taken or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        print(f"copied_path: '{name}' is " + ("there already" if taken else "no name of a path: a-z, 0-9, _"), file=sys.stderr)
        return 3
    copy_path(programs.ROOT, name)
    print(f"copied_path: targets/{name}, scenarios/{name} and corpus/{name} are yours to change")
    return 0


if __name__ == "__main__":
    sys.exit(main())
