// SPDX-License-Identifier: Apache-2.0
// Compilation: CUDA C++ as PTX, by a compiler of this machine in a separate process.
#pragma once

#include <string>
#include <vector>

#include "harness/nvrtc/options.h"
#include "harness/nvrtc/toolchain.h"

namespace harness::nvrtc {

struct Header {
  std::string name;  ///< By which it is included.
  std::string text;
};

/// All that a program consists of.
struct Source {
  std::string text;
  std::string name;
  std::vector<Header> headers;
  std::vector<std::string> expressions;  ///< Lowered names of these are wanted.
};

struct Compiled {
  bool is_ok = false;
  std::string log;                   ///< Diagnostics, by the program's name and lines.
  std::string ptx;                   ///< With the source's lines.
  std::vector<std::string> lowered;  ///< A name for each expression.

  bool operator==(const Compiled&) const = default;
};

/// Compiles a program, or takes what was made of it before: where text, options, compiler and all
/// headers that it read are the same. Errors: std::runtime_error if there can be no process or
/// file.
Compiled compile(const Source& source, const Options& options, const Toolchain& toolchain);

}  // namespace harness::nvrtc
