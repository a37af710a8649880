// SPDX-License-Identifier: Apache-2.0
// Compilation: translates CUDA C++ to PTX, with a compiler of this machine in a separate process.
#pragma once

#include <string>
#include <vector>

#include "harness/device_code/nvrtc/options.h"
#include "harness/device_code/nvrtc/toolchain.h"

namespace harness::nvrtc {

struct Header {
  std::string name;  ///< The name by which it is included.
  std::string text;
};

/// Everything that a program consists of.
struct Source {
  std::string text;
  std::string name;
  std::vector<Header> headers;
  std::vector<std::string> expressions;  ///< Expressions whose lowered names are requested.
};

struct Compiled {
  bool is_ok = false;
  std::string log;                   ///< Diagnostics, with the program's name and lines.
  std::string ptx;                   ///< PTX with line information of the source.
  std::vector<std::string> lowered;  ///< One name for each expression.

  bool operator==(const Compiled&) const = default;
};

/// Compiles a program, or returns an earlier result for the same text, options, compiler and
/// headers. Errors: std::runtime_error if a process or file cannot be created.
Compiled compile(const Source& source, const Options& options, const Toolchain& toolchain);

}  // namespace harness::nvrtc
