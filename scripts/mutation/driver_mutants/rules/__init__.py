# SPDX-License-Identifier: Apache-2.0
"""All rules of the simulated driver that mutants break, a file per topic."""
import typing

from mutation.driver_mutants.rules import arrays, calls, capture, graphs, memory, order, processes, streams, user_objects

NUMBERS_PER_TOPIC = 200  # The gap lets a topic get rules at its end without changing the numbers of other topics.
TOPICS = (streams, memory, order, capture, graphs, arrays, user_objects, processes, calls)
NO_MUTANT = NUMBERS_PER_TOPIC * len(TOPICS)


class Rule(typing.NamedTuple):
    """A rule of the simulated driver, and the change in one place of harness/devices/sim/ that breaks it."""
    name: str
    file: str
    old: str
    new: str
    number: int = 0


RULES = [Rule(*row, NUMBERS_PER_TOPIC * topic + place)
         for topic, rules in enumerate(TOPICS) for place, row in enumerate(rules.RULES)]
