// SPDX-License-Identifier: Apache-2.0
// BuilderBox: what a GraphBuilder captures on, and what it owns of what CUDA makes of it.
//
// The graph is CUDA's until the capture has ended well, the builder's from then on. A
// capture that was invalidated takes its graph with it when it ends, which is with the builder.
// Policies differ in whose the graph is meanwhile, and in what becomes of it (Captured).
#pragma once

#include "targets/graph_argument/handles.h"

namespace targets::graph_argument {

/// Ownership: its stream; its graph, by `graph`; and a capture that was not ended.
struct BuilderBox {
  BuilderBox(Core& core, CUstream stream, GraphId id) : core(core), stream(stream), id(id) {}
  ~BuilderBox();
  BuilderBox(const BuilderBox&) = delete;
  BuilderBox& operator=(const BuilderBox&) = delete;

  /// GraphBuilder.end_building().
  Status end();

  Core& core;
  CUstream stream;
  GraphId id;  ///< Number of the captured graph in facts.
  Shared<GraphBox> graph;
  bool capturing = false;
  bool ended = false;  ///< Well: `graph` is what was captured.
};

}  // namespace targets::graph_argument
