// SPDX-License-Identifier: Apache-2.0
// Clang: the compiler of this machine that builds kernels.
#pragma once

#include <string>

namespace harness {

/// How to get a clang, for messages.
inline constexpr const char* kClangAdvice =
    "clang++ 16 or newer, in PATH or named by AFTERLIFE_CLANG (on Debian: apt install clang-19)";

/// Returns the path of a clang++ of version 16 or newer; "" if there is none. This is the one that
/// AFTERLIFE_CLANG names, whatever its version. Otherwise it is one with the version in its name
/// (19 first, with which kernels are tested most, then newer, then older ones), else clang++.
std::string find_clang();

}  // namespace harness
