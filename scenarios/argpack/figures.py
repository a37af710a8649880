# SPDX-License-Identifier: Apache-2.0
"""What the argpack path promises beyond what every path does."""
from common.measuring import Figure, fuzz

# Runs of seeds/plain per second in the release build.
PLAIN_RUNS_PER_SECOND = 150_000


def protected(full):
    """In every variant, a top-level pack that ordinary use keeps alive is protected."""
    found, _ = fuzz("argpack", "--runs", 20_000 if full else 8_000, "--seed", 1)
    row = next(row for row in found["windows"] if row["window"] == "top_level_dropped")
    yield Figure("argpack: window top_level_dropped protected",
                 f"reached {row['reached']}, caught {row['caught']}", row["protected"])


FIGURES = (protected,)
