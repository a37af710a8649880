// SPDX-License-Identifier: Apache-2.0
// Errors of files: one line that begins with the file's name.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/base/printable.h"

namespace harness {

/// Throws std::runtime_error: "FILE: SAID".
[[noreturn]] inline void fail(const std::string& file, std::string_view said) {
  throw std::runtime_error(fmt::format("{}: {}", printable(file), said));
}

/// Throws std::runtime_error: "FILE: cannot DO: REASON", with the reason from errno.
[[noreturn]] inline void fail_by_errno(const std::string& file, std::string_view doing) {
  fail(file, fmt::format("cannot {}: {}", doing, std::strerror(errno)));
}

}  // namespace harness
