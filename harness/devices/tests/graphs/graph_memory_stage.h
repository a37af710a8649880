// SPDX-License-Identifier: Apache-2.0
// Allocating: a graph with an allocation node, for tests of graph memory.
#pragma once

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {

/// A graph that allocates, and so far does nothing else.
struct Allocating {
  CUgraph graph;
  CUdeviceptr address;
  CUgraphNode node;
};

inline Allocating make_allocating() {
  Allocating made{make_graph(), 0, nullptr};
  made.node = add_alloc(made.graph, made.address);
  return made;
}

}  // namespace harness::testing
