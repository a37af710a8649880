#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to the end of a night: installs what is missing, builds, and searches everything.
set -euo pipefail

if [[ " $* " == *" --help "* || " $* " == *" -h "* ]]; then
  cat <<'HELP'
Usage: ./scripts/nightly.sh [--builds] [--hours N | --minutes N | --runs N] [--history DIR] [--resume] [option...]

Installs what is missing (Debian 12, root or sudo), builds the release preset and runs
`afterlife nightly` with the revision of this tree. The presets asan, tsan and fuzz, which a night
searches in, too, are built where they were before, so that they are of the same sources. Building
is no part of the time that is given.

  --builds        build asan, tsan and fuzz in any case (the first time that takes an hour of a core)

  --hours N       how long, in all; or --minutes N (default 10), or --runs N
  --history DIR   where nights are remembered (default results/nightly of this tree)
  --resume        go on with a night that was stopped, if one was
  --json          one JSON object on stdout, and nothing else there

Every other option of `build/release/afterlife nightly --help` may be given too.

Example:
  ./scripts/nightly.sh --hours 8 --resume

Exit: 0 green, 1 red (a sound variant failed, a recorded tape or finding no longer replays, or a canary was missed in 6200 runs or
more), 2 the machine, a file or the build, 3 usage, 4 stopped.
HELP
  exit 0
fi

root=$(dirname "$(dirname "$(readlink -f "$0")")")
"$root/scripts/setup.sh" >&2
all=no
if [[ "${1:-}" == --builds ]]; then
  all=yes
  shift
fi
"$root/scripts/build.sh" release afterlife
targets=("$root"/scenarios/*/)
targets=("${targets[@]%/}")
for program in asan/afterlife tsan/afterlife fuzz/fuzz_example; do
  [[ $all == yes || -e $root/build/$program ]] || continue
  case $program in
    fuzz/*) "$root/scripts/build.sh" fuzz "${targets[@]/#*\//fuzz_}" ;;
    *) "$root/scripts/build.sh" "${program%/*}" afterlife ;;
  esac
done

history=(--history "$root/results/nightly")
for argument in "$@"; do
  case $argument in --history|--history=*) history=() ;; esac
done
# A tree that is no checkout has no revision.
revision=$(git -C "$root" describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || true)
exec "$root/build/release/afterlife" nightly ${revision:+--revision "$revision"} "${history[@]}" "$@"
