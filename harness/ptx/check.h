// SPDX-License-Identifier: Apache-2.0
// Check: what an assembler refuses of a module although each line of it is right: names that are
// defined twice, and more of a memory than there is.
#pragma once

#include <cstdint>
#include <string>

#include "harness/ptx/layout.h"
#include "harness/ptx/module.h"

namespace harness::ptx {

// Limits, in bytes. Those of shared, constant and parameter memory are ptxas's.
inline constexpr std::uint64_t kSharedLimit = 48 << 10;    ///< Static; a block may have it.
inline constexpr std::uint64_t kConstantLimit = 64 << 10;  ///< A module may have it.
inline constexpr std::uint64_t kParameterLimit = 32764;    ///< A kernel may have it.
/// All variables of a module; they are filled when it is loaded.
inline constexpr std::uint64_t kVariablesLimit = std::uint64_t{1} << 30;

/// A module that needs more memory than the device gives it, in a line.
struct TooLarge {
  std::string words;
};

/// Errors: Malformed, TooLarge.
void require_valid(const Module& module);

/// The same, once shared memory is laid out. Errors: Malformed.
void require_valid(const Layout& layout);

}  // namespace harness::ptx
