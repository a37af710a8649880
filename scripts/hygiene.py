#!/usr/bin/env python3
"""Checks that the tree names no folder of one machine and no package registry.

Usage: scripts/hygiene.py [--self-test]

Exit: 0 clean, 1 not. --self-test plants a line per pattern; each must be found.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Written so that they do not find themselves; a plant is what each must find.
PATTERNS = [
    (r"(?<![\w.])/(?:home|root|[w]ork|farm|Users|workspace)/\w", "see /ho" + "me/someone/x"),
    (r"(?:index-ur[l]|registr[y]\s*=|find-link[s])", "pip install --index-ur" + "l x"),
    (r"(?:py[p]i|pythonhoste[d]|npmj[s]|crate[s]|docke[r]|proxy\.golan[g])\.(?:org|io|com)",
     "https://py" + "pi.org/simple"),
    (r"(?:deb|security|archive)\.(?:debia[n]|ubunt[u])\.", "http://deb.debia" + "n.org"),
    (r"\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b", "// TOD" + "O: later"),
]


def complaints(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, _ in PATTERNS:
            if match := re.search(pattern, line):
                yield f"{name}:{number}: '{match[0]}' belongs to one machine, a registry or a draft"


def tree_files():
    """What is or could be committed. Without git, everything but the build folder."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode == 0:
        return [ROOT / line for line in listed.stdout.splitlines()]
    return [p for p in ROOT.rglob("*") if p.relative_to(ROOT).parts[0] not in ("build", ".git")]


def check():
    """All complaints about the tree. Binary files are read as text with holes."""
    return [line for file in sorted(tree_files()) if file.is_file()
            for line in complaints(file.relative_to(ROOT), file.read_text(errors="replace"))]


def main():
    if sys.argv[1:] == ["--self-test"]:
        found = [plant for pattern, plant in PATTERNS if list(complaints("planted", plant))]
        print(f"hygiene: {len(found)} of {len(PATTERNS)} planted lines found")
        return 0 if len(found) == len(PATTERNS) else 1
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0 if sys.argv[1] in ("-h", "--help") else 3
    lines = check()
    print("\n".join(lines) or f"hygiene: {len(tree_files())} files name no machine and no registry")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
