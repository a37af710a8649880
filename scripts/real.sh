#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real libraries under `afterlife run`: installs what is missing, builds, installs pinned wheels, runs.
set -euo pipefail
cd "$(dirname "$0")/.."

case " $* " in
  *" -h "*|*" --help "*) exec python3 scripts/real/real.py --help ;;
esac
./scripts/setup.sh >&2
./scripts/build.sh release afterlife cuda_sim
exec python3 scripts/real/real.py "$@"
