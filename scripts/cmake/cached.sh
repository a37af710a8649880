#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cached.sh SOURCE_DIR CCACHE COMPILER ARGUMENT...: compiles by ccache, with names relative to the build folder. Beside a
# precompiled header is the hash of its text without comments, by which ccache knows it: when a comment changes, only that
# header is compiled again.
export CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
export CCACHE_SLOPPINESS=pch_defines,time_macros  # As its manual asks for precompiled headers.
shift
"$@" || exit
[[ $* == *" -emit-pch "* ]] || exit 0

shift
preprocess=()
while (( $# )); do
  case $1,$2 in
    -Xclang,-emit-pch|-o,*|-MT,*|-MF,*) [[ $1 != -o ]] || header=$2; shift ;;
    -MD,*|-c,*) ;;
    *) preprocess+=("$1") ;;
  esac
  shift
done
set -o pipefail
rm -f "$header.sum"
"${preprocess[@]}" -E -dD | sed "s#$CCACHE_BASEDIR/##g" | sha256sum >"$header.sum" || { rm -f "$header.sum" "$header"; exit 1; }
