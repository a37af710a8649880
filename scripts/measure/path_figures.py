# SPDX-License-Identifier: Apache-2.0
"""Path figures: what scenarios/<path>/figures.py says of a path: FIGURES of its own, the floor of its speed, and how long to look
for a first fault.
"""
import functools
import importlib.util

from common import programs
from common.measuring import CannotMeasure


@functools.cache
def modules():
    """Returns the modules by path."""
    found = {}
    for file in sorted(programs.ROOT.glob("scenarios/*/figures.py")):
        path = file.parent.name
        spec = importlib.util.spec_from_file_location(path + "_figures", file)
        found[path] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[path])
    return found


def all_figures():
    """Returns the figures of all paths, in the order of the paths."""
    return [figure for module in modules().values() for figure in module.FIGURES]


def plain_runs_per_second(path, known=None):
    """Returns the floor of a path: the least number of runs per second for its seeds/plain."""
    floor = getattr((known or modules()).get(path), "PLAIN_RUNS_PER_SECOND", None)
    if floor is None:
        raise CannotMeasure(f"scenarios/{path}/figures.py states no PLAIN_RUNS_PER_SECOND")
    return floor


def first_fault_runs(path, known=None):
    """Returns the number of runs in a search for a first fault: as many as a core can do in less than 60 s."""
    return getattr((known or modules()).get(path), "FIRST_FAULT_RUNS", 100_000)
