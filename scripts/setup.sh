#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a machine with Debian 12 or newer ready to build: packages from apt, and a CUDA 13 toolkit. Installs only
# what is missing, so it is quick to run again, and then needs no root.
set -euo pipefail
cd "$(dirname "$0")/.."

with_packages=yes
case "${1:-}" in
  "") ;;
  --toolkit) with_packages= ;;
  -h|--help)
    cat <<'HELP'
Usage: ./scripts/setup.sh [--toolkit]

Installs what the build needs and is not there yet: clang 19 with its formatter and checker, CMake and the libraries from apt (as
root or with sudo), and a CUDA 13 toolkit if none is found in CUDA_HOME, PATH or /usr/local (NVIDIA's
toolkit wheels, into build/cuda). No GPU and no GPU driver is needed.

  --toolkit   the toolkit alone: compiler and libraries are the machine's own

Exit: 0 ready, 2 something could not be installed.
HELP
    exit 0 ;;
  *) echo "setup: unknown argument '$1'; see --help" >&2; exit 3 ;;
esac

packages=(clang-19 clang-format-19 clang-tidy-19 llvm-19 lld-19 libclang-rt-19-dev cmake ninja-build ccache git python3 python3-venv
          libboost-context-dev libcli11-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev
          libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev libsqlite3-dev libsodium-dev
          valgrind            # Instructions, counted exactly.
          strace              # System calls, seen from outside, for scripts/hostile/mutated_foreign.py.
          libpython3-dev      # A CPython to embed.
          python3-pytest      # The tests of our plugin for it run there.
          python3-yaml)       # scripts/package/action.py reads an action by it.
wheels=(nvidia-cuda-nvcc==13.0.* nvidia-cuda-crt==13.0.* nvidia-nvvm==13.0.*
        nvidia-cuda-runtime==13.0.* nvidia-cuda-profiler-api==13.0.* nvidia-nvtx==13.0.*
        nvidia-cuda-cccl==13.0.*)

say() { echo "setup: $*" >&2; }
stop() { say "$*"; exit 2; }

# The packages among the arguments that are not installed.
missing() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

install_packages() {
  local names=() root=()
  mapfile -t names < <(missing "$@")
  (( ${#names[@]} )) || return 0
  if (( EUID != 0 )); then
    command -v sudo >/dev/null || stop "missing ${names[*]}; run this as root, or install sudo"
    root=(sudo)
  fi
  say "installing ${names[*]}"
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive
                 apt-get install -y -q --no-install-recommends "${names[@]}")
  { "${root[@]}" apt-get update -q || { sleep 5; "${root[@]}" apt-get update -q; }; } >&2 \
    || stop "apt-get update failed; is the network up?"
  "${install[@]}" >&2 || stop "apt-get could not install ${names[*]}"
}

# Whether a folder is the root of a toolkit: it has cuda.h and an nvcc of version 13.
is_toolkit() {
  [[ -f $1/include/cuda.h && $("$1/bin/nvcc" --version 2>/dev/null) == *"release 13."* ]]
}

find_toolkit() {
  local nvcc root
  nvcc=$(command -v nvcc || true)
  for root in "${CUDA_HOME:-}" ${nvcc:+"$(dirname "$(dirname "$(readlink -f "$nvcc")")")"} \
              /usr/local/cuda /usr/local/cuda-13* "$PWD"/build/cuda/nvidia/cu13; do
    if [[ -n $root ]] && is_toolkit "$root"; then echo "$root"; return; fi
  done
}

install_toolkit() {
  say "installing a CUDA 13 toolkit into build/cuda"
  rm -rf build/cuda build/cuda.new
  python3 -m venv build/cuda.new/pip >&2 || stop "python3 -m venv failed"
  build/cuda.new/pip/bin/python -m pip install -q --no-deps --target build/cuda.new "${wheels[@]}" >&2 \
    || stop "could not install NVIDIA's toolkit wheels; is the network up? Or set CUDA_HOME to a CUDA 13 toolkit"
  rm -rf build/cuda.new/pip
  mv build/cuda.new build/cuda
}

if [[ $with_packages ]]; then
  command -v dpkg-query >/dev/null || stop "this script knows Debian's packages only; needed are: ${packages[*]}"
  install_packages "${packages[@]}"
fi

mkdir -p build
root=$(find_toolkit)
if [[ -z $root ]]; then
  install_toolkit
  root=$(find_toolkit)
  [[ -n $root ]] || stop "the toolkit in build/cuda has no working nvcc 13"
fi
# CMake configures again when this file changes, so it is written only when it does.
[[ -f build/cuda_root.txt && $(<build/cuda_root.txt) == "$root" ]] || echo "$root" > build/cuda_root.txt
