#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is this tree slower than where it branched off? Installs what is missing, builds both, compares.
set -euo pipefail
cd "$(dirname "$0")/.."

case " $* " in
  *" -h "*|*" --help "*) exec python3 scripts/gate/gate.py --help ;;
esac
./scripts/setup.sh >&2
exec python3 scripts/gate/gate.py "$@"
