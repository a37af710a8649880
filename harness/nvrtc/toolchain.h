// SPDX-License-Identifier: Apache-2.0
// Toolchain: a compiler of this machine that makes PTX of CUDA C++.
#pragma once

#include <string>

namespace harness::nvrtc {

/// No compiler was found, in a line.
struct NoCompiler {
  std::string words;
};

struct Toolchain {
  enum class Kind : unsigned char { nvcc, clang };
  Kind kind = Kind::nvcc;
  std::string program;        ///< Its path.
  std::string host_compiler;  ///< For nvcc where there is no g++; else empty.
  std::string identity;       ///< Differs when another compiler is there.
};

/// Finds that which AFTERLIFE_CUDA_COMPILER names (an nvcc, or a clang++); else nvcc by CUDA_HOME,
/// CUDA_PATH, PATH, in /usr/local/cuda, if this was built with, and in wheels beside the libraries
/// of this process; else clang as for PTX. Errors: NoCompiler.
Toolchain find_toolchain();

/// Finds clang, for what nvcc has no option for. Without one, its program is "".
Toolchain find_clang_toolchain();

}  // namespace harness::nvrtc
