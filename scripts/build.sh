#!/usr/bin/env bash
# Builds one preset, or some of its targets: scripts/build.sh PRESET [TARGET...]. Targets that have no
# sources are left out. Everything it prints goes to stderr. Exit: 0 built, 2 not, 3 usage.
set -euo pipefail
case "${1:-}" in
  -h|--help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
  "") sed -n '2,3s/^# //p' "$0" >&2; exit 3 ;;
esac
cd "$(dirname "$0")/.."
preset=$1
shift

configure=(cmake --preset "$preset")
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
ninja -C "build/$preset" "${targets[@]}" >&2 || { echo "build: preset $preset failed" >&2; exit 2; }
