#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One element of a job array: one shard. What is finished of it is kept when it is stopped, and it goes on from there
# when Slurm requeues it; one that is told to stop (a limit of time, preemption) requeues itself.
#
# AFTERLIFE is the program, AFTERLIFE_NIGHT the folder in which the night's plan is (night/plan.json),
# AFTERLIFE_PROGRAMS the list of a night of programs.
set -uo pipefail

"$AFTERLIFE" nightly shard "$SLURM_ARRAY_TASK_ID" --history "$AFTERLIFE_NIGHT" \
  ${AFTERLIFE_PROGRAMS:+--programs "$AFTERLIFE_PROGRAMS"} &
shard=$!
trap 'kill -TERM "$shard" 2>/dev/null' TERM INT
wait "$shard"
code=$?
while kill -0 "$shard" 2>/dev/null; do wait "$shard"; code=$?; done  # A signal ended the wait, not the shard.
if [ "$code" -gt 128 ]; then wait "$shard"; code=$?; fi

readonly kStopped=4 kMostRestarts=20
if [ "$code" -eq "$kStopped" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$kMostRestarts" ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
