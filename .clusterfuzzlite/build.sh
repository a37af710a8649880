#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets as OSS-Fuzz, ClusterFuzz and ClusterFuzzLite ask for: compilers, flags and engine come from
# the environment (CXX, CXXFLAGS, LIB_FUZZING_ENGINE), and $OUT gets each target with its seeds, dictionary, options
# and libraries. scripts/contracts/oss_fuzz.py runs it and looks at what it leaves.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
[[ -f CMakeLists.txt ]] || cd "$SRC/afterlife" 2>/dev/null || cd ..

# The paths are counted and sanitized, the harness is not: it judges, and is not what is looked for.
coverage=() judged=() others=()
for flag in $CXXFLAGS; do
  case $flag in
    -fsanitize=fuzzer-no-link) coverage+=(-fsanitize-coverage=inline-8bit-counters,pc-table) ;;
    -fsanitize-coverage=*) coverage+=("$flag") ;;
    # Their list for undefined behaviour, which the harness knows by one name.
    -fsanitize=array-bounds,*) judged+=(-fsanitize=undefined) ;;
    -fno-sanitize-recover=array-bounds,*) judged+=(-fno-sanitize-recover=all) ;;
    -fsanitize*|-fno-sanitize*|-fprofile-instr-generate|-fcoverage-mapping) judged+=("$flag") ;;
    -stdlib=*) ;;  # The distribution's libraries are built with its own.
    -O*) ;;
    *) others+=("$flag") ;;
  esac
done
(( ${#coverage[@]} )) && coverage+=("-fsanitize-coverage-ignorelist=$PWD/scripts/cmake/coverage_ignore.txt")
unset CFLAGS CXXFLAGS LDFLAGS

list() { local IFS=';'; echo "$*"; }
build=$WORK/afterlife
cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DAFTERLIFE_FUZZER=ON -DAFTERLIFE_PRECOMPILED=ON \
  -DAFTERLIFE_FLAGS="$(list -O2 -g1 -D_GLIBCXX_ASSERTIONS "${others[@]}")" \
  -DAFTERLIFE_JUDGED_FLAGS="$(list "${judged[@]}")" \
  -DAFTERLIFE_FUZZER_COVERAGE="$(list "${coverage[@]}")" \
  -DAFTERLIFE_FUZZER_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib'

targets=()
for seeds in corpus/*/seeds; do targets+=("fuzz_$(basename "$(dirname "$seeds")")"); done
ninja -C "$build" "${targets[@]}"

mkdir -p "$OUT/lib"
for target in "${targets[@]}"; do
  cp "$build/$target" "$OUT/"
  # What runs the targets has the C and C++ libraries, and no other.
  ldd "$build/$target" | awk '$3 ~ /^\// {print $3}' \
    | { grep -vE '/(libc|libm|libstdc\+\+|libgcc_s|libresolv|libdl|librt|libpthread)\.so' || true; } \
    | xargs -r -I{} cp -L {} "$OUT/lib/"
  "$OUT/$target" --dictionary="$OUT/$target.dict"
  rm -f "$OUT/${target}_seed_corpus.zip"
  python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "corpus/${target#fuzz_}/seeds/"*
  printf '[libfuzzer]\nmax_len = 16384\n' > "$OUT/$target.options"
done
