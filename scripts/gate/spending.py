#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spending: how long a comparison may take, how long its parts have taken, and which of them have no time left.

Usage: scripts/gate/spending.py --self-test

Builds are not counted. A part that has no time left is undecided, never passed. Exit: 0 all plants were judged rightly, 1
not, 3 usage.
"""
import contextlib
import time

import self_tested

WALL_SECONDS, ALL_SECONDS = 60, 180  # For a pull request; 0 means no limit.


class Spending:
    """The seconds spent on each part."""

    def __init__(self, wall_seconds=WALL_SECONDS, all_seconds=ALL_SECONDS, clock=time.monotonic):
        self.wall_seconds, self.all_seconds, self.clock = wall_seconds, all_seconds, clock
        self.parts = {}

    def total(self):
        return sum(self.parts.values())

    def left(self):
        """Returns the seconds left of the total limit, or None if there is no limit."""
        return max(0.0, self.all_seconds - self.total()) if self.all_seconds else None

    def has_time(self):
        return self.left() is None or self.left() > 0

    def for_wall(self):
        """Returns the limit of the wall suite, or None if there is none."""
        limits = [limit for limit in (self.wall_seconds or None, self.left()) if limit is not None]
        return min(limits) if limits else None

    @contextlib.contextmanager
    def on(self, part):
        """Counts the time spent in the block. If the clock goes backwards, counts nothing."""
        begin = self.clock()
        try:
            yield
        finally:
            self.parts[part] = self.parts.get(part, 0) + max(0.0, self.clock() - begin)

    def told(self):
        each = ", ".join(f"{part} {seconds:.1f}" for part, seconds in self.parts.items())
        limit = f" of {self.all_seconds:g}" if self.all_seconds else ""
        return f"took {self.total():.1f}{limit} s, builds excluded: {each}"


# ---- the self-test ----

class PlantedClock:
    def __init__(self, *times):
        self.times = list(times)

    def __call__(self):
        return self.times.pop(0)


def spent(wall_seconds, all_seconds, *times):
    spending = Spending(wall_seconds, all_seconds, PlantedClock(*times))
    for index in range(len(times) // 2):
        with spending.on(f"part {index}"):
            pass
    return spending


# Wall limit | total limit | clock readings | expected spending | wall limit afterwards | whether time is left.
PLANTS = [
    (60, 180, (), 0, 60, True), (60, 180, (0, 100), 100, 60, True), (60, 180, (0, 150), 150, 30, True),
    (60, 180, (0, 100, 100, 180), 180, 0, False), (60, 180, (0, 999), 999, 0, False), (0, 0, (0, 999), 999, None, True),
    (0, 180, (5, 25), 20, 160, True), (60, 0, (0, 999), 999, 60, True), (60, 180, (50, 20), 0, 60, True),
]


def self_test():
    rightly = 0
    for wall_seconds, all_seconds, times, total, limit, has_time in PLANTS:
        spending = spent(wall_seconds, all_seconds, *times)
        rightly += (spending.total(), spending.for_wall(), spending.has_time()) == (total, limit, has_time)
    rightly += spent(60, 180, 0, 12, 12, 15.5).told() == "took 15.5 of 180 s, builds excluded: part 0 12.0, part 1 3.5"
    print(f"spending: {rightly} of {len(PLANTS) + 1} plants judged rightly")
    return 0 if rightly == len(PLANTS) + 1 else 1


if __name__ == "__main__":
    self_tested.main(__doc__, self_test)
