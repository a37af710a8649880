// SPDX-License-Identifier: Apache-2.0
// Conditions: values that kernels set and conditional nodes read.
#pragma once

#include <cuda.h>

#include <vector>

#include "harness/devices/sim/graphs/graph.h"
#include "harness/devices/sim/graphs/reused.h"

namespace harness::devices {

/// Ownership: owns the conditions, and keeps their storage from run to run.
class Conditions {
 public:
  void begin();

  Conditional& add(const Graph& graph, unsigned default_value, bool assigns_default);
  /// Returns the condition of the handle, or null if there is no such handle.
  Conditional* find(CUgraphConditionalHandle handle);
  /// Returns whether the graph has a handle that no node uses.
  bool has_unused(const Graph& graph) const;

 private:
  std::vector<Conditional*> conditions_;
  Reused<Conditional> storage_;
};

}  // namespace harness::devices
