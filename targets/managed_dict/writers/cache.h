// SPDX-License-Identifier: Apache-2.0
// Compiled code with outdated facts: a word in its instructions (class e of the report), or a
// class's attribute in a cache (a separate bug, which writes no word).
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// The word of an instance is an immediate operand of the compiled code. It is patched for each new
/// instance and then stored to obj-0x18. A patch takes more than one store: code that runs in
/// between stores some bytes of the former word and some of the new one.
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

/// A cache with a borrowed value of a type is not notified that the type was modified.
class StaleCacheValue final : public Writer {
 public:
  using Writer::Writer;
  bool forgets_invalidation() override { return fires() != 0; }
};

}  // namespace targets::managed_dict
