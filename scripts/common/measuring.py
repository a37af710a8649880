# SPDX-License-Identifier: Apache-2.0
"""Measuring: what figures are made of. Programs are run, and what they print is read; a figure that cannot
be measured says why, and fails.
"""
import dataclasses
import functools
import itertools
import json
import pathlib
import tempfile

from common import programs


@dataclasses.dataclass
class Figure:
    """A row: what is asked, what was measured, and whether that passes. None = it was not judged."""
    asked: str
    measured: str
    passed: bool | None

    @classmethod
    def timed(cls, full, asked, measured, passed):
        """A time, which a small run on a busy machine is not judged by."""
        return cls(asked, measured, passed if full else None)


class LeftOut(Exception):
    """Says why a figure is not measured in this form; it is named in the end."""


class CannotMeasure(Exception):
    """Says why a figure is missing: a program that is not built, an output without a key. Fails it."""


def need(preset, name):
    if not programs.exists(preset, name):
        raise CannotMeasure(f"build/{preset}/{name} is not built")


def fuzz(*arguments, preset="release", **how):
    """Runs `afterlife fuzz --json` and returns its object and how it ended."""
    need(preset, "afterlife")
    ended = programs.run(preset, "afterlife", "fuzz", *arguments, "--json", **how)
    try:
        return json.loads(ended.out), ended
    except json.JSONDecodeError:
        raise CannotMeasure(f"afterlife fuzz {' '.join(map(str, arguments))}: exit {ended.code}, "
                            f"no JSON; {ended.err.strip()[-200:]}") from None


def key(row, name):
    if name not in row:
        raise CannotMeasure(f"afterlife fuzz --json has no '{name}'")
    return row[name]


@functools.cache
def list_all(preset="release"):
    """What `afterlife list --json` says there is."""
    need(preset, "afterlife")
    return json.loads(programs.run(preset, "afterlife", "list", "--json").out)


def variants(preset="release"):
    """(path/variant, claim) of everything there is."""
    return [(f"{path['path']}/{row['variant']}", row["claim"])
            for path in list_all(preset)["paths"] for row in path["variants"]]


def named_sound():
    return [name for name, claim in variants() if claim == "sound"]


def found_cases(folder, wanted, path=""):
    """Reproducers of distinct searches, of all paths in turn or of one: at least `wanted` of them if
    there are so many.
    """
    files = []
    for seed in range(1, 4 * wanted):
        out = pathlib.Path(folder) / str(seed)
        fuzz(*filter(None, [path]), "--runs", 2000, "--seed", seed, "--out", out)
        files += in_turn(sorted(p for p in out.rglob("*") if p.is_file()))
        if len(files) >= wanted:
            break
    return files[:wanted]


def in_turn(files):
    """The first of each path, then the second of each."""
    of_path = {}
    for file in files:
        of_path.setdefault(file.name.split("-")[0], []).append(file)
    return [file for row in itertools.zip_longest(*of_path.values()) for file in row if file]


def committed_repros():
    return sorted(p for p in programs.ROOT.glob("corpus/*/repros/*") if p.is_file())


def minimize(file, out):
    """Minimizes the file, knowing the windows' programs and none of the smallest cases, and writes `out`. Its object:
    runs, seconds, ops, decisions, window_ops.
    """
    with tempfile.TemporaryDirectory() as corpus:
        for folder in programs.ROOT.glob("corpus/*/programs"):
            (pathlib.Path(corpus) / folder.parent.name).mkdir()
            (pathlib.Path(corpus) / folder.parent.name / "programs").symlink_to(folder)
        return json_of("minimize", file, "--out", out, "--programs", corpus)


def smallest_known(file):
    """Ops of the smallest committed case that shows the file's fault in its variant and config, or None."""
    with tempfile.TemporaryDirectory() as folder:
        return json_of("minimize", file, "--out", f"{folder}/small.repro")["known_ops"]


def replayed(file):
    return json_of("replay", file)


def json_of(command, file, *options):
    ended = programs.run("release", "afterlife", command, file, *options, "--json")
    try:
        return json.loads(ended.out)
    except json.JSONDecodeError:
        raise CannotMeasure(f"afterlife {command} --json: exit {ended.code}, no JSON") from None


def benchmarks(program, full):
    """Name to row of a Google Benchmark program; the median of its repetitions."""
    need("release", program)
    ended = programs.run("release", program, "--benchmark_format=json",
                         f"--benchmark_repetitions={5 if full else 1}",
                         f"--benchmark_min_time={0.5 if full else 0.1}", one_core=True)
    if ended.code:
        raise CannotMeasure(f"{program}: exit {ended.code}")
    rows = json.loads(ended.out)["benchmarks"]
    medians = [r for r in rows if r.get("aggregate_name") == "median"] or rows
    return {row["run_name"]: row for row in medians}


def rate_of(rows, name):
    if name not in rows:
        raise CannotMeasure(f"no benchmark '{name}' among {', '.join(rows)}")
    return rows[name]["items_per_second"]


def line_through(points):
    """The line of least relative squares: its height at 0, and its slope."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    x_mean = sum(w * x for w, (x, _) in zip(weights, points)) / total
    y_mean = sum(w * y for w, (_, y) in zip(weights, points)) / total
    slope = (sum(w * (x - x_mean) * (y - y_mean) for w, (x, y) in zip(weights, points))
             / sum(w * (x - x_mean) ** 2 for w, (x, _) in zip(weights, points)))
    return y_mean - slope * x_mean, slope


def largest_deviation(points):
    """How far the worst point is off the line through all, as a share of the line."""
    height, slope = line_through(points)
    return max(abs(y / (height + slope * x) - 1) for x, y in points)
