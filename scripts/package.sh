#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages: installs what is missing, builds the release, installs it into a tree that can be moved, and
# makes of that a wheel for pip and a tarball.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  "") ;;
  --no-setup) ;;
  -h|--help)
    cat <<'HELP'
Usage: ./scripts/package.sh [--no-setup]

Writes into build/package: tree/ (bin/afterlife, lib/afterlife, CMake's files), afterlife_gpu-VERSION-...whl and
afterlife-VERSION-linux-x86_64.tar.gz, and prints their names. Each finds its parts from where it is. Where auditwheel is
installed, the wheel is shown to it.

  --no-setup   install nothing on this machine: what the build needs is there

Exit: 0 written, 2 not, 3 usage. Example: ./scripts/package.sh && pip install build/package/*.whl && afterlife selftest
HELP
    exit 0 ;;
  *) echo "package: unknown argument '$1'; see --help" >&2; exit 3 ;;
esac

[[ ${1:-} == --no-setup ]] || ./scripts/setup.sh
./scripts/build.sh release installed
build=build/package
mkdir -p $build
tree=$build/tree
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/release/CMakeCache.txt)
rm -rf "$tree" "$build"/*.whl "$build"/*.tar.gz
# With the lines of programs, by which a fault in a kernel of ours is told, and without the rest.
cmake --install build/release --prefix "$tree" >/dev/null || { echo "package: cmake --install failed" >&2; exit 2; }
if grep -rqF "$PWD" "$tree"; then
  echo "package: these name this folder, which is elsewhere on other machines:" >&2
  grep -rlF "$PWD" "$tree" >&2
  exit 2
fi
tarball=$build/afterlife-$version-linux-x86_64.tar.gz
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=2020-01-01 -C "$build" \
    --transform "s,^tree,afterlife-$version," -cf - tree | gzip -9n > "$tarball"
wheel=$(python3 scripts/package/wheel.py "$tree" "$version" "$build")
if command -v auditwheel >/dev/null; then auditwheel show "$wheel" >&2; fi
printf '%s\n' "$wheel" "$tarball"
