// SPDX-License-Identifier: Apache-2.0
// Elements of matrices, by the PTX names of their types.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace harness::testing {

/// Returns how many bits an element has.
inline std::size_t bits_of(const std::string& type) {
  return type == "b1"                      ? 1
         : type == "s4" || type == "u4"    ? 4
         : type == "s8" || type == "u8"    ? 8
         : type == "f16" || type == "bf16" ? 16
         : type == "f64"                   ? 64
                                           : 32;
}
/// Returns whether it is one.
inline bool is_integer(const std::string& type) {
  return type[0] == 's' || type[0] == 'u' || type == "b1";
}

/// Returns the bits of a small integer as a type.
inline std::uint64_t bits_as(const std::string& type, int value) {
  if (type == "f16") return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
  const std::uint32_t single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == "bf16") return single >> 16;
  if (type == "f64") return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  if (type == "f32" || type == "tf32") return single;
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits_of(type)) - 1);
}

}  // namespace harness::testing
