// SPDX-License-Identifier: Apache-2.0
// Compiled code that holds what was true once: a word baked into its instructions (class e of the
// report), or a class's attribute in a cache (its own bug, which writes no word).
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// The word of an instance is an immediate of the compiled code, which is patched for each instance
/// that it meets and is stored to obj-0x18. A patch is not one store: code that runs half way
/// through it stores some bytes of the former word, and some of this one.
class TornWordStore final : public Writer {
 public:
  using Writer::Writer;
  void before_store(Address object) override {
    const std::uint64_t now = core_.attributes.word(object);
    const std::uint64_t baked = std::exchange(baked_, now);
    if (baked == now) return;
    const std::uint32_t kind = fires(2 * kTears.size());
    if (kind == 0) return;
    const std::uint32_t low = 8 * kTears[(kind - 1) / 2];
    const std::uint64_t mask = (std::uint64_t{1} << low) - 1;
    const bool low_is_old = kind % 2 == 1;
    const std::uint64_t of_old = low_is_old ? baked & mask : baked & ~mask;
    const std::uint64_t of_new = low_is_old ? now & ~mask : now & mask;
    memory().store<std::uint64_t>(object + kWordOffset, of_old | of_new);
  }

 private:
  static constexpr std::array<std::uint32_t, 3> kTears{1, 2, 4};  ///< In bytes, from the low end.

  std::uint64_t baked_ = 0;
};

/// The news that a type was modified does not reach a cache that borrows one of its values.
class StaleCacheValue final : public Writer {
 public:
  using Writer::Writer;
  bool forgets_invalidation() override { return fires() != 0; }
};

}  // namespace targets::managed_dict
