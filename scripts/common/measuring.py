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
    """A row: what was asked, what was measured, and whether that passes (None: not judged)."""
    asked: str
    measured: str
    passed: bool | None

    @classmethod
    def timed(cls, full, asked, measured, passed):
        """Returns a figure for a time, which is judged only in the full measurement: a short run on a busy machine is too inexact."""
        return cls(asked, measured, passed if full else None)


class LeftOut(Exception):
    """The figure is not measured in this form, for the reason in the text. The summary names it."""


class CannotMeasure(Exception):
    """The figure cannot be measured, such as when a program is not built or an output lacks a key. The figure fails."""


def need(preset, name):
    if not programs.exists(preset, name):
        raise CannotMeasure(f"build/{preset}/{name} is not built")


def fuzz(*arguments, preset="release", **how):
    """Runs `afterlife fuzz --json` and returns its object, and the result of the process."""
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
    """Returns the object printed by `afterlife list --json`."""
    need(preset, "afterlife")
    return json.loads(programs.run(preset, "afterlife", "list", "--json").out)


def variants(preset="release"):
    """Returns (path/variant, claim) of all variants."""
    return [(f"{path['path']}/{row['variant']}", row["claim"])
            for path in list_all(preset)["paths"] for row in path["variants"]]


def named_sound():
    return [name for name, claim in variants() if claim == "sound"]


def found_cases(folder, wanted, path=""):
    """Returns reproducers found by different searches, either of all paths in turn or of one path: at least `wanted` of them,
    if that many are found.
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
    """Returns the first file of each path, then the second of each, and so on."""
    of_path = {}
    for file in files:
        of_path.setdefault(file.name.split("-")[0], []).append(file)
    return [file for row in itertools.zip_longest(*of_path.values()) for file in row if file]


def committed_repros():
    return sorted(p for p in programs.ROOT.glob("corpus/*/repros/*") if p.is_file())


def minimize(file, out):
    """Minimizes the file into `out`, using the committed programs of the windows but not the smallest cases. Returns the command's object: runs, seconds,
    ops, decisions, window_ops.
    """
    with tempfile.TemporaryDirectory() as corpus:
        for folder in programs.ROOT.glob("corpus/*/programs"):
            (pathlib.Path(corpus) / folder.parent.name).mkdir()
            (pathlib.Path(corpus) / folder.parent.name / "programs").symlink_to(folder)
        return json_of("minimize", file, "--out", out, "--programs", corpus)


def smallest_known(file):
    """Returns the ops of the smallest committed case with the same fault, variant and config as the file, or None."""
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
    """Returns the rows of a Google Benchmark program by name, each the median of its repetitions."""
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
    """Returns the line with the least squared relative errors: its value at 0, and its slope."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    x_mean = sum(w * x for w, (x, _) in zip(weights, points)) / total
    y_mean = sum(w * y for w, (_, y) in zip(weights, points)) / total
    slope = (sum(w * (x - x_mean) * (y - y_mean) for w, (x, y) in zip(weights, points))
             / sum(w * (x - x_mean) ** 2 for w, (x, _) in zip(weights, points)))
    return y_mean - slope * x_mean, slope


def largest_deviation(points):
    """Returns the largest deviation of a point from the line through all points, as a fraction of the line's value."""
    height, slope = line_through(points)
    return max(abs(y / (height + slope * x) - 1) for x, y in points)
