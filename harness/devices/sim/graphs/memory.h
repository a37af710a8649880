// SPDX-License-Identifier: Apache-2.0
// GraphMemory: the memory of an allocation node: a fixed address, at which a new lifetime begins
// with every launch that reaches the node.
//
// A copied address refers to the allocation, not to one of its lifetimes, because the documentation
// permits to keep the address. Ownership: GraphAllocations owns it. Lifetime: as long as a graph or
// an executable has the node, or memory is allocated there.
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
  const Graph* freed_in = nullptr;  ///< The graph with a node that frees it.
  std::uint32_t holders = 0;        ///< Number of graphs and executables with the node, plus one
                                    ///< for a current lifetime.
  bool is_managed = false;          ///< The host may use it, too.
  /// The graph that allocates it cannot have a node that frees it, because another graph has or had
  /// one, or because it was instantiated without one.
  bool is_left = false;
};

/// The values of CU_GRAPH_MEM_ATTR_*. Storage is reserved in large units, and counts as used until
/// it is trimmed: a free leaves it to the graphs.
/// Source: driver 580.
struct GraphMemoryCounters {
  std::uint64_t live = 0;  ///< Bytes of the current lifetimes.
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t reserved = 0;
  std::uint64_t reserved_high = 0;

  void begin(std::uint64_t bytes);
  void end(std::uint64_t bytes) { live -= bytes; }
  void trim() { used = reserved = unit_bytes(); }

 private:
  /// Returns the bytes of the units that contain live memory.
  std::uint64_t unit_bytes() const {
    constexpr std::uint64_t kUnit = 32 << 20;
    return (live + kUnit - 1) / kUnit * kUnit;
  }
};

/// The memory of all graphs, and its usage.
/// Ownership: owns the memory, and keeps the storage from run to run.
class GraphAllocations {
 public:
  explicit GraphAllocations(SimDevice& sim) : sim_(sim) {}
  void begin();

  /// Returns memory for an allocation node, or null if there is no storage left.
  GraphMemory* reserve(const Graph& graph, std::uint64_t bytes);
  void drop(GraphMemory& memory);
  /// Begins a lifetime, because a launch has reached the allocation node.
  void begin_life(GraphMemory& memory);
  void life_ended(GraphMemory& memory);
  GraphMemoryCounters& counters() { return counters_; }

 private:
  SimDevice& sim_;
  Reused<GraphMemory> memories_;
  std::vector<std::uint32_t> freed_;  ///< Blocks that no graph uses any more.
  GraphMemoryCounters counters_;
};

}  // namespace harness::devices
