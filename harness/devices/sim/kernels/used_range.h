// SPDX-License-Identifier: Apache-2.0
// UsedRange: bytes of device memory, and how they were used.
#pragma once

#include <cstdint>

namespace harness::devices {

enum class AccessMode : std::uint8_t {
  read,
  write,
  atomic,  ///< Conflicts with reads and writes, not with its own kind.
};

/// Bytes [low, high) with the same kind of use.
struct UsedRange {
  std::uint64_t low;
  std::uint64_t high;
  AccessMode mode;
};

}  // namespace harness::devices
