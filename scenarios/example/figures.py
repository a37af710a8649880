# SPDX-License-Identifier: Apache-2.0
"""What the path promises beyond what every path does."""
from common.measuring import Figure, fuzz

# Runs of seeds/plain per second in the release build.
PLAIN_RUNS_PER_SECOND = 100_000


def example_shared_stream(full):
    """If all workers share a stream, its order protects buffers in flight under every policy."""
    found, _ = fuzz("example", "--runs", 20_000 if full else 8_000, "--seed", 1, "--config", "stream=shared")
    row = next(row for row in found["windows"] if row["window"] == "replaced_in_flight")
    yield Figure("example: replaced_in_flight protected on a shared stream",
                 f"reached {row['reached']}, caught {row['caught']}", row["protected"])


FIGURES = (example_shared_stream,)
