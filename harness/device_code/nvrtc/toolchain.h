// SPDX-License-Identifier: Apache-2.0
// Toolchain: a compiler of this machine that translates CUDA C++ to PTX.
#pragma once

#include <string>

namespace harness::nvrtc {

/// The message, one line, if no compiler was found.
struct NoCompiler {
  std::string words;
};

struct Toolchain {
  enum class Kind : unsigned char { nvcc, clang };
  Kind kind = Kind::nvcc;
  std::string program;        ///< Path of the compiler.
  std::string host_compiler;  ///< For nvcc if there is no g++; else empty.
  std::string identity;       ///< Differs if the compiler changes.
};

/// Finds a compiler: the nvcc or clang++ that AFTERLIFE_CUDA_COMPILER names; else an nvcc in
/// CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda, the toolkit of this build, or a wheel next to the
/// libraries of this process; else the clang for PTX. Errors: NoCompiler.
Toolchain find_toolchain();

/// Finds clang, for options that nvcc lacks. If there is none, `program` is "".
Toolchain find_clang_toolchain();

}  // namespace harness::nvrtc
