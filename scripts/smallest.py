#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the smallest known case of each fault: corpus/<path>/smallest/<path>-<hash>.repro.

Usage: scripts/smallest.py [--runs N] [--seed N] [PATH]

Searches (N runs of each variant), minimizes what was found, and writes a case where none of its fault is
known, or only larger ones. `afterlife minimize` tries the known cases, so that what was small once never
comes out larger again. Needs the release build. Exit: 0 done, 2 the build or the disk, 3 usage.
"""
import argparse
import json
import pathlib
import sys
import tempfile

from common import programs


def afterlife(*arguments, **how):
    return programs.run("release", "afterlife", *arguments, **how)


def size(file):
    """Returns the number of ops and the number of lines, by which cases are compared."""
    lines = file.read_text().splitlines()
    return sum(" op " in line for line in lines), len(lines)


def keep_smaller(file, folder):
    ended = afterlife("minimize", file, "--out", file, "--json")
    if ended.code:
        raise SystemExit(f"smallest: {file.name}: exit {ended.code} {ended.err.strip()}")
    path = json.loads(afterlife("replay", file, "--json").out)["path"]
    known = folder / f"{path}-{file.stem.rsplit('-', 1)[1]}.repro"
    if known.exists() and size(known) <= size(file):
        return 0
    folder.mkdir(exist_ok=True)
    known.write_bytes(file.read_bytes())
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", default="")
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as out:
        ended = afterlife("fuzz", *filter(None, [options.path]), "--runs", options.runs, "--seed",
                          options.seed, "--out", out, limit_seconds=3600)
        if ended.code not in (0, 1):
            print(ended.err.strip(), file=sys.stderr)
            return 2
        written = 0
        for file in sorted(pathlib.Path(out).rglob("*.repro")):
            path = file.name.split("-")[0]
            written += keep_smaller(file, programs.ROOT / "corpus" / path / "smallest")
    print(f"{written} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
