// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/memory.h"
#include "harness/devices/sim/memory/parts.h"

#include <algorithm>
#include <array>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

// ---- addresses --------------------------------------------------------------------------------

/// Chooses a block to reuse, out of those that belong to no graph any more. The default is 0, which
/// means fresh storage.
static std::uint32_t pick_address(SimDevice& sim, std::vector<std::uint32_t>& freed,
                                  std::uint64_t bytes) {
  constexpr std::size_t kOfferLimit = 4;
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<std::size_t, kOfferLimit + 1> places{};
  std::uint32_t count = 1;
  for (std::size_t i = freed.size(); i-- > 0 && count <= kOfferLimit;) {
    const Block& block = sim.memory().block(freed[i]);
    if (block.granules * Memory::kGranule < bytes || !storage_is_free(sim.memory(), freed[i]))
      continue;
    names[count] = static_cast<std::uint32_t>(sim.ledger().life(block.birth).name) | 1;
    places[count++] = i;
  }
  const std::uint32_t choice = sim.world().picker.pick_value(Site::reuse, {names.data(), count});
  if (choice == 0) return 0;
  const std::uint32_t block = freed[places[choice]];
  freed.erase(freed.begin() + static_cast<std::ptrdiff_t>(places[choice]));
  return block;
}

void GraphAllocations::begin() {
  memories_.begin();
  freed_.clear();
  counters_ = {};
}

GraphMemory* GraphAllocations::reserve(const Graph& graph, std::uint64_t bytes) {
  const std::uint32_t index = sim_.memory().set_apart(bytes, pick_address(sim_, freed_, bytes));
  if (index == 0) return nullptr;
  GraphMemory& memory = memories_.next();
  memory = {index, &graph, nullptr, 1};
  sim_.memory().block(index).graph = &memory;
  return &memory;
}

void GraphAllocations::drop(GraphMemory& memory) {
  if (--memory.holders > 0) return;
  sim_.memory().give_up(memory.block);
  freed_.push_back(memory.block);
}

// ---- lifetimes --------------------------------------------------------------------------------

void GraphMemoryCounters::begin(std::uint64_t bytes) {
  live += bytes;
  used = std::max(used, unit_bytes());
  used_high = std::max(used_high, used);
  reserved = std::max(reserved, used);
  reserved_high = std::max(reserved_high, reserved);
}

void GraphAllocations::begin_life(GraphMemory& memory) {
  ++memory.holders;
  sim_.memory().begin_life(memory.block);
  counters_.begin(sim_.memory().block(memory.block).granules * Memory::kGranule);
}

void GraphAllocations::life_ended(GraphMemory& memory) {
  counters_.end(sim_.memory().block(memory.block).granules * Memory::kGranule);
  drop(memory);
}

}  // namespace harness::devices
