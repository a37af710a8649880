// SPDX-License-Identifier: Apache-2.0
// PartialReuse: places new memory inside a freed block, or across several adjacent ones.
//
// Drivers split freed blocks and join adjacent ones, so that a stale pointer may point into any
// part of the memory that has the storage now. A separate choice offers such places if the choice
// among whole blocks was fresh storage. So old tapes keep their meaning: they have no entry for the
// new choice, and the keys of other choices do not change.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "harness/base/label.h"
#include "harness/core/pick/pick.h"

namespace harness::devices {

class SimDevice;

/// Lifetime: begun again for every run. Threads: the run's thread.
class PartialReuse {
 public:
  explicit PartialReuse(SimDevice& sim) : sim_(sim) {}
  void begin() { askings_.clear(); }

  /// Chooses the address of new memory in the storage of the blocks in `usable`, which are offered
  /// in this order. Returns 0 for fresh storage (default).
  std::uint64_t pick(std::span<const std::uint32_t> usable, std::uint64_t bytes);

 private:
  struct Places;

  void add_places(Places& places, std::uint32_t index) const;
  std::uint32_t ask(const Places& places);

  SimDevice& sim_;
  std::map<Name, Activation> askings_;  ///< The activation of the choice, by the activation that
                                        ///< allocates.
};

}  // namespace harness::devices
