#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds one preset, or some of its targets: scripts/build.sh PRESET [TARGET...]. Targets that have no
# sources are left out. Everything it prints goes to stderr. Exit: 0 built, 2 not, 3 usage.
set -euo pipefail
case "${1:-}" in
  -h|--help) sed -n '3,4s/^# //p' "$0"; exit 0 ;;
  "") sed -n '3,4s/^# //p' "$0" >&2; exit 3 ;;
esac
cd "$(dirname "$0")/.."
preset=$1
shift

cache=build/$preset/CMakeCache.txt
if [[ -f $cache && $(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache") != "$PWD" ]]; then
  echo "build: build/$preset was made for another folder; removing it" >&2
  rm -rf "build/$preset"
fi
# The presets name clang 19; a newer one serves where that is missing.
compiler=$(compgen -c clang++- | grep -xE 'clang\+\+-(19|[2-9][0-9])' | sort -t- -k2 -n | head -1)
[[ $compiler ]] || { echo "build: no clang 19 or newer; run ./scripts/setup.sh" >&2; exit 2; }
configure=(cmake --preset "$preset" -DCMAKE_C_COMPILER="${compiler/++/}" -DCMAKE_CXX_COMPILER="$compiler")
# Flags are taken from the presets only when the preset is asked for.
[[ build/$preset/build.ninja -nt CMakePresets.json ]] && configure=(ninja -C "build/$preset" build.ninja)
log=$("${configure[@]}" 2>&1) || { echo "$log" >&2; echo "build: cmake failed for preset $preset" >&2; exit 2; }

targets=()
if (( $# )); then
  known=$(ninja -C "build/$preset" -t targets all 2>/dev/null)
  for target in "$@"; do
    [[ $'\n'$known == *$'\n'"$target: "* ]] && targets+=("$target")
  done
  (( ${#targets[@]} )) || exit 0
fi
# Prints every line on a terminal, and elsewhere one step in fifty, and what is no step.
progress() { if [[ -t 2 ]]; then cat; else awk '!/^\[[0-9]+\/[0-9]+\] / || ++steps % 50 == 0 {print; fflush()}'; fi; }
ninja -C "build/$preset" "${targets[@]}" 2>&1 | progress >&2 || { echo "build: preset $preset failed" >&2; exit 2; }

# The processor time says what the build costs on a busy machine, too. A build with nothing to do prints nothing.
spent=build/$preset/.processor_seconds
LC_ALL=C times >"$spent"  # Not in a pipe: a subshell would print its own.
seconds=$(awk 'NR == 2 {gsub("[ms]", " "); print int($1 * 60 + $2 + $3 * 60 + $4)}' "$spent")
(( seconds < 5 )) || echo "build: $seconds s of processors ($(( seconds / 2 )) s on two quiet cores)" >&2
