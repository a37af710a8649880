#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Renews scripts/cmake/release.profdata, by which the release build is optimized: which code runs how often.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=scripts/cmake/release.profdata
counters=build/profile/counters
seconds=${1:-120}
case "$seconds" in
  -h|--help)
    cat <<'HELP'
Usage: ./scripts/profile.sh [SECONDS]

Builds the preset `profile`, which counts, has it search everything for SECONDS (120) and each sound variant for a tenth of that,
replays the corpus, and writes what was counted to scripts/cmake/release.profdata. Prints how much that has in common with the
profile before: with most of it, there is no need for a new one.

Exit: 0 written, 2 not, 3 usage.
HELP
    exit 0 ;;
  *[!0-9]*|?|0*) echo "profile: SECONDS is a number from 10 on, not '$seconds'; see --help" >&2; exit 3 ;;
esac

stop() { echo "profile: $*" >&2; exit 2; }

# Whatever is found: what counts is that it ran.
search() {
  local code=0
  build/profile/afterlife fuzz "$@" --out "$out" >/dev/null || code=$?
  (( code <= 1 )) || stop "fuzz $* ended with exit code $code"
}

./scripts/setup.sh >&2
./scripts/build.sh profile afterlife
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
rm -rf "$counters"
export LLVM_PROFILE_FILE=$PWD/$counters/%m.profraw
search --seconds "$seconds"
sound=$(build/profile/afterlife list --json | python3 -c '
import json, sys
for path in json.load(sys.stdin)["paths"]:
    print(*(path["path"] + "/" + row["variant"] for row in path["variants"] if row["claim"] == "sound"), sep="\n")')
for variant in $sound; do search "$variant" --seconds $((seconds / 10)); done
build/profile/afterlife replay corpus >/dev/null || stop "the corpus does not replay as recorded"

# Without what never ran: that is compiled as if there were no profile, and not for size. And without commands and
# reports, for which no run of a search waits.
llvm-profdata-19 merge --sparse --no-function='nlohmann|3CLI|3fmt|harness(7entries|6client|7reports)|CMakeFiles/(commands|nightly|report|client|border)' -o "$out/release.profdata" "$counters"/*.profraw || stop "the counters could not be read"
[[ ! -f $profile ]] || llvm-profdata-19 overlap "$profile" "$out/release.profdata" | grep -i 'overlap' || true
chmod 644 "$out/release.profdata"
mv "$out/release.profdata" "$profile"
echo "$profile: $(stat -c %s "$profile") bytes"
