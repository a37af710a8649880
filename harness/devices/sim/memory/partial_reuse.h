// SPDX-License-Identifier: Apache-2.0
// PartialReuse: gives new memory a place inside a freed block, or across several that are adjacent.
//
// Drivers split freed blocks and join adjacent ones, so that a stale pointer may meet any part of
// what has the storage now. A question of its own offers such places, when the question about whole
// blocks was answered by fresh storage. So an old tape means what it meant: it has no answer to the
// new question, and the keys of the others are as before.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "harness/label.h"
#include "harness/pick.h"

namespace harness::devices {

class SimDevice;

/// Lifetime: begun again for every run. Threads: the run's thread.
class PartialReuse {
 public:
  explicit PartialReuse(SimDevice& sim) : sim_(sim) {}
  void begin() { askings_.clear(); }

  /// Picks where new memory begins in the storage of the blocks in `usable`, which are offered in
  /// this order. Returns 0 for fresh storage (plain).
  std::uint64_t pick(std::span<const std::uint32_t> usable, std::uint64_t bytes);

 private:
  struct Places;

  void add_places(Places& places, std::uint32_t index) const;
  std::uint32_t ask(const Places& places);

  SimDevice& sim_;
  std::map<Name, Activation> askings_;  ///< By the activation that allocates: who asks for it.
};

}  // namespace harness::devices
