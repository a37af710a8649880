#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a reproducer for each hazard that is claimed and has none: corpus/<path>/repros/<variant>-<hazard>.repro.

Usage: scripts/repros.py [--build NAME] [--runs N] [--seed N] PATH[/VARIANT]

Searches each variant that claims such a hazard (N runs, ten times as many where that is not enough),
minimizes the smallest case of it, and writes that. Exit: 0 every claimed hazard has one, 1 one was not
found, 2 the build or the disk, 3 usage.
"""
import argparse
import json
import pathlib
import sys
import tempfile

from common import programs

SECONDS = 40  # The maximum for a search, from which one case per hazard is needed.
ATTEMPTS = 3
GROWTH = 10


def afterlife(build, *arguments):
    ended = programs.run(build, "afterlife", *arguments, limit_seconds=3600)
    if not ended.out.startswith("{"):
        raise SystemExit(f"repros: afterlife {' '.join(map(str, arguments))}: exit {ended.code} {ended.err.strip()}")
    return json.loads(ended.out)


def file_of(path, variant, hazard):
    return programs.ROOT / "corpus" / path / "repros" / f"{variant}-{hazard}.repro"


def missing(build, target):
    """Yields (path, variant) and the claimed hazards that have no file."""
    for row in afterlife(build, "fuzz", target, "--runs", 1, "--out", tempfile.gettempdir(), "--first", "--json")["results"]:
        hazards = [h for h in {word.split("/")[0]: 0 for word in row["hazards"]} if not file_of(row["path"], row["variant"], h).exists()]
        if hazards:
            yield row["path"], row["variant"], hazards


def lines(file):
    return len(pathlib.Path(file).read_text().splitlines())


def smallest_cases(build, target, runs, seed, folder):
    """Returns the smallest reproducer of each hazard that occurred."""
    row = afterlife(build, "fuzz", target, "--runs", runs, "--seconds", SECONDS, "--seed", seed,
                    "--out", folder, "--json")["results"][0]
    cases = {}
    for finding in row["findings"]:
        file, known = finding["reproducer"], cases.get(finding["hazard"])
        if file and (known is None or lines(file) < lines(known)):
            cases[finding["hazard"]] = file
    return cases


def write(build, case, file):
    """Minimizes the case and writes it to its place in the corpus."""
    file.parent.mkdir(parents=True, exist_ok=True)
    afterlife(build, "minimize", case, "--out", file, "--json")
    print(f"repros: {file.relative_to(programs.ROOT)}, {lines(file)} lines", flush=True)


def complete(options, path, variant, hazards):
    """Returns the hazards that were not found."""
    for attempt in range(ATTEMPTS):
        with tempfile.TemporaryDirectory() as folder:
            cases = smallest_cases(options.build, f"{path}/{variant}", options.runs * GROWTH**attempt,
                                   options.seed + attempt, folder)
            for hazard in set(hazards) & cases.keys():
                write(options.build, cases[hazard], file_of(path, variant, hazard))
        hazards = [h for h in hazards if not file_of(path, variant, h).exists()]
        if not hazards:
            break
    return hazards


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", metavar="PATH[/VARIANT]")
    parser.add_argument("--build", default="release", help="whose afterlife to run (release)")
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    not_found = []
    for path, variant, hazards in missing(options.build, options.target):
        not_found += [f"{path}/{variant} {h}" for h in complete(options, path, variant, hazards)]
    for name in not_found:
        print(f"repros: not found: {name}", file=sys.stderr)
    return 1 if not_found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, FileNotFoundError) as error:
        print(f"repros: {error}", file=sys.stderr)
        sys.exit(2)
