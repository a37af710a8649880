// SPDX-License-Identifier: Apache-2.0
// GraphMemory: what an allocation node gives out: an address that stays the same, at which a new
// life begins with every launch that reaches the node.
//
// Code that copies the address means the allocation, not one of its lives: the documentation has it
// that the address may be kept. Ownership: GraphAllocations owns it. Lifetime: as long as a graph
// or an executable has the node, or memory is allocated there.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "harness/devices/sim/graphs/reused.h"

namespace harness::devices {

struct Graph;
class SimDevice;

struct GraphMemory {
  std::uint32_t block = 0;
  const Graph* graph = nullptr;     ///< The graph whose node allocates it.
  const Graph* freed_in = nullptr;  ///< The graph that has a node that frees it.
  std::uint32_t holders = 0;        ///< Graphs and executables with the node, and a life there.
  bool is_managed = false;          ///< The host may use it, too.
  /// The graph that allocates it can have no node that frees it: another one has, or had, or it was
  /// instantiated without.
  bool is_left = false;
};

/// The figures of CU_GRAPH_MEM_ATTR_*. Storage comes in large units, and counts as used until it is
/// trimmed: a free leaves it with the graphs.
/// Source: driver 580.
struct GraphMemoryCounters {
  std::uint64_t live = 0;  ///< Bytes of the lives that have begun and not ended.
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t reserved = 0;
  std::uint64_t reserved_high = 0;

  void begin(std::uint64_t bytes);
  void end(std::uint64_t bytes) { live -= bytes; }
  void trim() { used = reserved = unit_bytes(); }

 private:
  /// Returns the bytes of the units that hold what lives.
  std::uint64_t unit_bytes() const {
    constexpr std::uint64_t kUnit = 32 << 20;
    return (live + kUnit - 1) / kUnit * kUnit;
  }
};

/// The memory of all graphs, and what is in use of it.
/// Ownership: owns it, and keeps the storage from run to run.
class GraphAllocations {
 public:
  explicit GraphAllocations(SimDevice& sim) : sim_(sim) {}
  void begin();

  /// Returns an address for an allocation node, or null when there is no storage left.
  GraphMemory* reserve(const Graph& graph, std::uint64_t bytes);
  void drop(GraphMemory& memory);
  /// Begins a life: a launch has reached the node that allocates.
  void begin_life(GraphMemory& memory);
  void life_ended(GraphMemory& memory);
  GraphMemoryCounters& counters() { return counters_; }

 private:
  SimDevice& sim_;
  Reused<GraphMemory> memories_;
  std::vector<std::uint32_t> freed_;  ///< Blocks that no graph has any more.
  GraphMemoryCounters counters_;
};

}  // namespace harness::devices
