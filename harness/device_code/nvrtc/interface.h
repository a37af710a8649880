// SPDX-License-Identifier: Apache-2.0
// Interface: the exports of libnvrtc.so.13, from NVRTC's public header, which is not needed here.
#pragma once

#include <cstddef>

namespace harness::nvrtc {

/// A program; callers only have its handle.
class Program;

enum class Result : int {
#define NVRTC_RESULT(name, number) name = number,
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_RESULT
};

/// The functions that return a result.
struct Interface {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): the parameters have theirs.
#define NVRTC_FUNCTION(name, parameters, arguments) Result(*name) parameters;
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_FUNCTION
};

}  // namespace harness::nvrtc
