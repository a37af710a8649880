// SPDX-License-Identifier: Apache-2.0
// Interface: the exports of libnvJitLink.so.13, declared here so that its header is not needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace harness::nvjitlink {

/// A linker. Its content is hidden from users of its handle.
class Linker;

enum class Result : int {
#define NVJITLINK_RESULT(name) name,
#include "harness/device_code/libnvjitlink/interface.def"
#undef NVJITLINK_RESULT
};

enum class Input : int { none, cubin, ptx, ltoir, fatbin, object, library, index, any = 10 };

/// The functions that return a result, by name.
struct Interface {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): the parameters have theirs.
#define NVJITLINK_FUNCTION(name, parameters, arguments) Result(*name) parameters;
#include "harness/device_code/libnvjitlink/interface.def"
#undef NVJITLINK_FUNCTION
};

}  // namespace harness::nvjitlink
