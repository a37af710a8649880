# SPDX-License-Identifier: Apache-2.0
"""Held: what a compiler found to be right before, remembered by all that its answer depends on, so that it is not asked again."""
import functools
import hashlib
import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "build/held"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


@functools.lru_cache
def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout


def included(root, name):
    """Returns the files of the tree that a file includes, directly or indirectly, and the file itself, sorted."""
    found, reached = set(), [name]
    while reached:
        file = reached.pop()
        if file not in found and (root / file).is_file():
            found.add(file)
            reached += INCLUDE.findall((root / file).read_text())
    return sorted(found)


def key(root, name, command):
    """Returns a hash of a command, its compiler, and the content of all files of the tree that the source includes."""
    parts = [version(command[0]), *command]
    for file in included(root, name):
        parts += [file, (root / file).read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def holds(mark):
    return (FOLDER / mark).is_file()


def note(mark):
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / mark).touch()
