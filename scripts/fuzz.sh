#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to the matrix: installs what is missing, builds, and fuzzes every scenario and
# variant on the simulated device.
set -euo pipefail

if [[ " $* " == *" --help "* || " $* " == *" -h "* ]]; then
  cat <<'HELP'
Usage: ./scripts/fuzz.sh [PATH[/VARIANT]] [--seconds N] [--json] [option...]

Installs what is missing (Debian 12 or newer, root or sudo), builds the release preset with all that
`afterlife run` needs, and runs `afterlife fuzz`: every path and variant, or the one named, for 60
seconds in all. The build takes 4 to 10 minutes on two cores the first time, and 5 GB of disk.

  --seconds N   how long to fuzz, in all (default 60)
  --runs N      how many runs per variant, instead of a time
  --seed N      where the random walk starts
  --out DIR     where reproducers go
  --json        one JSON object on stdout, and nothing else there

It ends with one failure as a story and a summary: what came out as expected, what did not, the files, the
command that replays the story, and what to type next. --full prints all tables. Every other option of `build/release/afterlife fuzz --help` may be given too.

Examples:
  ./scripts/fuzz.sh --seconds 10
  ./scripts/fuzz.sh argpack/borrow --seed 7 --json | python3 -m json.tool

Exit: 0 every claim came out, 1 one did not, 2 the machine, a file or the build, 3 usage.
HELP
  exit 0
fi

scripts=$(dirname "$(readlink -f "$0")")
"$scripts/setup.sh" >&2
"$scripts/build.sh" release afterlife cuda_sim

limit=(--seconds 60)
for argument in "$@"; do
  case $argument in --seconds|--seconds=*|--runs|--runs=*) limit=() ;; esac
done
exec "$scripts/../build/release/afterlife" fuzz "${limit[@]}" "$@"
