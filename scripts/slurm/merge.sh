#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The job that follows the array: merges the shards that there are, whatever became of the others.
#
# AFTERLIFE is the program, AFTERLIFE_NIGHT where shards are, AFTERLIFE_HISTORY the history, on a disk of this node.
set -euo pipefail
exec "$AFTERLIFE" nightly merge "$AFTERLIFE_NIGHT/night" --history "$AFTERLIFE_HISTORY" \
  ${AFTERLIFE_PROGRAMS:+--programs "$AFTERLIFE_PROGRAMS"} "$@"
