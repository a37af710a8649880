// SPDX-License-Identifier: Apache-2.0
// HostMemory: device memory that the host can write without a call: pinned, registered and managed.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/devices/sim/graphs/memory.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/lent/lent_memory.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/memory/pools.h"

namespace harness::devices {

class SimDevice;

/// Returns whether all of these pages are mapped in the process, with any protection.
bool is_mapped(std::uint64_t address, std::uint64_t bytes);

class HostMemory {
 public:
  explicit HostMemory(SimDevice& sim) : sim_(sim) {}
  void begin() {
    blocks_.clear();
    lent_.begin();
  }

  static bool is_pinned(const Block& block) {
    return block.origin == Origin::pinned || block.origin == Origin::registered ||
           (block.pool != nullptr && block.pool->is_pinned());
  }
  static bool is_managed(const Block& block) {
    return block.origin == Origin::managed || (block.pool != nullptr && block.pool->is_managed()) ||
           (block.graph != nullptr && block.graph->is_managed);
  }
  static bool is_visible(const Block& block) { return is_pinned(block) || is_managed(block); }
  void add(std::uint32_t block) { blocks_.push_back(block); }
  /// Returns the loans of the program's own memory.
  LentMemory& lent() { return lent_; }
  /// Registers host memory, no part of which may be registered. Returns the block.
  std::uint32_t enter(std::uint64_t address, std::uint64_t bytes);

  /// Treats words that the host has written as pointers to the present objects.
  void adopt(std::uint64_t address, std::uint64_t bytes);
  void adopt_all();

 private:
  SimDevice& sim_;
  std::vector<std::uint32_t> blocks_;
  LentMemory lent_{sim_};
  CapturedWords words_;  ///< Scratch.
};

}  // namespace harness::devices
