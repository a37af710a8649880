// SPDX-License-Identifier: Apache-2.0
// Check: errors of a module that an assembler reports although each line is correct: names that are
// defined twice, and variables that exceed a memory.
#pragma once

#include <cstdint>
#include <string>

#include "harness/device_code/ptx/layout.h"
#include "harness/device_code/ptx/module.h"

namespace harness::ptx {

// Limits, in bytes. Those of shared, constant and parameter memory are the same as in ptxas.
inline constexpr std::uint64_t kSharedLimit = 48 << 10;    ///< Static shared memory of a block.
inline constexpr std::uint64_t kConstantLimit = 64 << 10;  ///< Constant memory of a module.
inline constexpr std::uint64_t kParameterLimit = 32764;    ///< Parameters of a kernel.
/// All variables of a module, which are initialized when it is loaded.
inline constexpr std::uint64_t kVariablesLimit = std::uint64_t{1} << 30;

/// Thrown if a module needs more memory than the device has. The message is one line.
struct TooLarge {
  std::string words;
};

/// Checks a module. Errors: Malformed, TooLarge.
void require_valid(const Module& module);

/// Checks shared memory after it is laid out. Errors: Malformed.
void require_valid(const Layout& layout);

}  // namespace harness::ptx
