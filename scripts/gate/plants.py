# SPDX-License-Identifier: Apache-2.0
"""Plants: a copy of this tree in which something is worse on purpose, for the gate to be tried on.

All defects are in one build; the environment says which of them is on.
"""
import os
import subprocess

import revisions
from common import tree_copy

TREE = revisions.FOLDER / "planted"
VARIABLE = "AFTERLIFE_PLANTED"

INCLUDE = '#include <cstdlib>\n#include <string_view>\n#include <utility>\n'
IS_ON = 'std::string_view(std::getenv("AFTERLIFE_PLANTED") == nullptr ? "" : std::getenv("AFTERLIFE_PLANTED")) == "{}"'

# Defect | file | original text | replacement. half_wasted: half of the runs, chosen at random, draw no choices; one_window: the themes leave out the ops that
# lead to a window; leak: every run leaks a block.
DEFECTS = [
    ("half_wasted", "harness/run/strategies/random_walk.cpp", "  swarm_ = next();\n",
     "  swarm_ = next();\n  static const bool is_on = {is_on};\n  if (is_on && (mix(state_, 1) & 1) != 0) leave_.fill(Leave{0, false});\n"),
    ("one_window", "scenarios/argpack/enabled_ops.cpp", "  if (&theme == &kThemes[0]) return possible;\n",
     "  static const bool is_on = {is_on};\n"
     "  if (&theme == &kThemes[0]) return is_on ? possible & ~ops(Op::plant) : possible;\n"
     "  if (is_on && task != 0) return possible & theme.mutator & ~redundant(now) & ~ops(Op::plant);\n"),
    ("leak", "harness/run/strategies/random_walk.cpp", "void RandomWalk::begin() {\n",
     "void RandomWalk::begin() {\n  static const bool leaks = {is_on};\n"
     "  static void** kept = nullptr;\n"
     "  if (void** block = leaks ? static_cast<void**>(std::malloc(16)) : nullptr) *block = std::exchange(kept, block);\n"),
]


def planted(text, defect, there, instead):
    """Returns the source with the defect in it."""
    if text.count(there) != 1:
        raise revisions.CannotCompare(f"the defect {defect} fits its place no more: {there.strip()}")
    return text.replace(there, instead.replace("{is_on}", IS_ON.format(defect)))


def write():
    """Updates the copy to match this tree, with the defects in it."""
    TREE.mkdir(parents=True, exist_ok=True)
    changed = {}
    for defect, name, there, instead in DEFECTS:
        text = changed.get(name) or INCLUDE + (revisions.ROOT / name).read_text()
        changed[name] = planted(text, defect, there, instead)
    kept = {name: (TREE / name).read_bytes() for name in changed if (TREE / name).is_file()}
    times = {name: (TREE / name).stat() for name in kept}
    tree_copy.copy_tree(TREE)
    for name, text in changed.items():
        (TREE / name).write_text(text)
        if kept.get(name) == text.encode():  # Unchanged: keeps its times, so that it is not built again.
            os.utime(TREE / name, ns=(times[name].st_atime_ns, times[name].st_mtime_ns))


def build(preset):
    """Builds the program with the defects, all switched off."""
    write()
    ended = subprocess.run([TREE / "scripts/build.sh", preset, "afterlife"], capture_output=True, text=True)
    if ended.returncode:
        raise revisions.CannotCompare(f"the tree with defects does not build: {revisions.last_line(ended.stdout + ended.stderr)}")
    return TREE / "build" / preset / "afterlife"
