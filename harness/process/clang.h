// SPDX-License-Identifier: Apache-2.0
// Clang: the compiler of this machine by which kernels are carried out.
#pragma once

#include <string>

namespace harness {

/// How one comes by a clang, for messages.
inline constexpr const char* kClangAdvice =
    "clang++ 16 or newer, in PATH or named by AFTERLIFE_CLANG (on Debian: apt install clang-19)";

/// Returns the path of a clang++ of version 16 or newer; "" where there is none. It is that which
/// AFTERLIFE_CLANG names, of whatever version; else one whose name has the version: 19, with which
/// kernels are tested most, then newer ones, then older ones; else clang++.
std::string find_clang();

}  // namespace harness
