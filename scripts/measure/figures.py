#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures: what the project promises, measured. The promises are functions in scripts/measure/promises.py; a path's own
are in scenarios/<path>/figures.py, functions of the same shape.

Usage: scripts/measure/figures.py [--long] [NAME...] | --self-test

Prints asked, measured, pass. Every row is judged by the bar that it prints, with two exceptions that it names:
without --long each check runs at a small fraction of its size, where times are printed and not judged, and what
has no small size is left out. With --long what the six hours on two cores do not suffice for is left out.
Needs the presets built, which scripts/test.sh does. --self-test measures planted promises, each of which must be
judged rightly. Exit: 0 nothing fails, 1 something does, 3 usage.
"""
import contextlib
import io
import sys
import pathlib
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from measure import path_figures  # noqa: E402
from measure import promises  # noqa: E402
from common.measuring import CannotMeasure, Figure, LeftOut  # noqa: E402


# No figure is started after this time. No figure takes an hour.
LAST_BEGIN_SECONDS = 5 * 3600


FIGURES = (*promises.FIGURES, *path_figures.all_figures())


def measure(full, names=(), functions=FIGURES, last_begin=LAST_BEGIN_SECONDS):
    """Runs the figures, prints a table row for each when it is ready, and returns all of them."""
    figures, begin = [], time.monotonic()
    for function in functions:
        if names and function.__name__ not in names:
            continue
        print(f"  {function.__name__}: {' '.join(function.__doc__.split())}", flush=True)
        late = time.monotonic() - begin > last_begin
        for figure in [left_out(function, "its time was over")] if late else rows_of(function, full):
            figures.append(figure)
            print_row(figure)
    return figures


def rows_of(function, full):
    """Yields the rows of one figure as they are measured; a figure that measured nothing has failed."""
    count = 0
    try:
        for figure in function(full):
            count += 1
            yield figure
        if count == 0:
            yield Figure(function.__name__, "nothing was measured", False)
    except LeftOut as reason:
        yield left_out(function, reason)
    except CannotMeasure as reason:
        yield Figure(function.__name__, str(reason), False)


def left_out(function, reason):
    return Figure(function.__name__, f"left out: {reason}", None)


def print_row(figure):
    print(f"    {figure.asked} | {figure.measured} | {word_for(figure)}", flush=True)


def word_for(figure):
    return {True: "pass", False: "FAIL", None: "not judged"}[figure.passed]


def table(figures):
    rows = [("asked", "measured", "pass")] + [(f.asked, f.measured, word_for(f)) for f in figures]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [" | ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-+-".join("-" * w for w in widths), *lines[1:], summary(figures)])


def summary(figures):
    """Returns how many figures passed, failed and were not judged, and the names of those left out."""
    count = {passed: sum(f.passed is passed for f in figures) for passed in (True, False, None)}
    names = [f.asked for f in figures if f.measured.startswith("left out: ")]
    return (f"{count[True]} pass, {count[False]} fail, {count[None]} not judged; "
            + ("left out: " + ", ".join(names) if names else "nothing left out"))


# Description | figures of the planted promise | expected results in the short form | in the full form.
PLANTS = (
    ("what passes", lambda full: [Figure("a", "1", True)], [True], [True]),
    ("what fails", lambda full: [Figure("a", "1", True), Figure("a", "2", False)], [True, False], [True, False]),
    ("a time that is over", lambda full: [Figure.timed(full, "a", "9 s", False)], [None], [False]),
    ("nothing at all", lambda full: [], [False], [False]),
    ("what cannot be measured", lambda full: stop(CannotMeasure("not built")), [False], [False]),
    ("a path that states no floor",
     lambda full: [Figure("a", str(path_figures.plain_runs_per_second("a", {"a": None})), True)], [False], [False]),
    ("what has no small size", lambda full: [Figure("a", "1", True)] if full else stop(LeftOut("small")), [None], [True]),
)


def stop(reason):
    raise reason


def self_test():
    """Returns whether each planted promise is judged correctly, and the figures left out are named."""
    def judged(plant, full, **how):
        def promise(full):
            """Planted."""
            yield from plant(full)
        with contextlib.redirect_stdout(io.StringIO()):
            return measure(full, functions=(promise,), **how)
    wrong = [what for what, plant, *expected in PLANTS
             if [[f.passed for f in judged(plant, full)] for full in (False, True)] != expected]
    late = judged(PLANTS[0][1], True, last_begin=-1)
    if [f.passed for f in late] != [None] or "left out: promise" not in summary(late):
        wrong.append("what comes too late")
    print(f"figures: {len(PLANTS) + 1 - len(wrong)} of {len(PLANTS) + 1} planted promises judged rightly"
          + "".join(f"; not {what}" for what in wrong))
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    names = [a for a in sys.argv[1:] if a != "--long"]
    if "--help" in names or "-h" in names:
        print(__doc__.strip() + "\n\nNames: " + " ".join(f.__name__ for f in FIGURES))
        return 0
    unknown = set(names) - {f.__name__ for f in FIGURES}
    if unknown:
        print(f"figures: no figure named {', '.join(sorted(unknown))}; see --help", file=sys.stderr)
        return 3
    figures = measure("--long" in sys.argv, names)
    print(table(figures))
    return 1 if any(f.passed is False for f in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
