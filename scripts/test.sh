#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test there is, from a fresh clone: installs what is missing, builds the presets, runs.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h|--help) exec python3 scripts/check.py --help ;;
esac
./scripts/setup.sh
exec python3 scripts/check.py "$@"
