// SPDX-License-Identifier: Apache-2.0
// Interface: what libnvrtc.so.13 exports, by NVRTC's public header, which need not be here.
#pragma once

#include <cstddef>

namespace harness::nvrtc {

/// A program, to those that have only its handle.
class Program;

enum class Result : int {
#define NVRTC_RESULT(name, number) name = number,
#include "harness/nvrtc/interface.def"
#undef NVRTC_RESULT
};

/// The functions that return a result, by their names.
struct Interface {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): the parameters have theirs.
#define NVRTC_FUNCTION(name, parameters, arguments) Result(*name) parameters;
#include "harness/nvrtc/interface.def"
#undef NVRTC_FUNCTION
};

}  // namespace harness::nvrtc
