# SPDX-License-Identifier: Apache-2.0
"""Shelves: headers that many headers include, read once for all of these, so that the compiler is asked of each in a fraction of the time.

A header is compiled behind a shelf only where it includes all that is on it, itself or by what it includes: so nothing is
before it that would not be there anyway, and a name that it lacks is still lacking.
"""
import collections
import contextlib
import pathlib
import re
import subprocess
import tempfile

from checks import held

FROM_ELSEWHERE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(<[^>]+>)", re.M)
ITS_OWN_COST = 3  # A shelf takes about as long to compile as this number of headers.


def all_included(root, name):
    """Returns all includes of a header as they are written in #include, direct and indirect ones."""
    files = held.included(root, name)
    other = {include for file in files for include in FROM_ELSEWHERE.findall((root / file).read_text())}
    return frozenset(other | {f'"{file}"' for file in files if file != name})


def chosen(included):
    """Returns pairs of a shelf's includes and the headers compiled behind it. Each time chooses the shelf that saves most for the headers left."""
    left, pairs = dict(included), []
    while left:
        counts = collections.Counter(include for includes in left.values() for include in includes)
        best, users = frozenset(), []
        for least in set(counts.values()):
            shelf = frozenset(include for include, count in counts.items() if count >= least)
            behind = [name for name, includes in left.items() if shelf <= includes]
            if saved(shelf, behind) > saved(best, users):
                best, users = shelf, behind
        if not users:
            return pairs
        pairs.append((best, users))
        left = {name: includes for name, includes in left.items() if name not in users}
    return pairs


def saved(shelf, users):
    return len(shelf) * (len(users) - ITS_OWN_COST)


@contextlib.contextmanager
def shelved(root, names, command):
    """Yields the options to compile each header behind its shelf. A header without a shelf, or whose shelf does not compile, has none."""
    with tempfile.TemporaryDirectory() as folder:
        options = {}
        for number, (shelf, users) in enumerate(chosen({name: all_included(root, name) for name in names})):
            text = pathlib.Path(folder, f"{number}.h")
            text.write_text("".join(f"#include {include}\n" for include in sorted(shelf)))
            made = subprocess.run([*command, "-Xclang", "-emit-pch", "-o", f"{text}.pch", "-x", "c++-header", text], cwd=root, capture_output=True)
            if made.returncode == 0:
                options |= dict.fromkeys(users, ["-include-pch", f"{text}.pch"])
        yield options
