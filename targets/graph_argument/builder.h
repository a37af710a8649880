// SPDX-License-Identifier: Apache-2.0
// BuilderBox: the stream on which a GraphBuilder captures, and the graph that the builder owns.
//
// CUDA owns the graph until the capture has ended successfully, then the builder does. An
// invalidated capture takes its graph with it when it ends, which is with the builder. Policies
// differ in who owns the graph during the capture, and in what happens to it (Captured).
#pragma once

#include "targets/graph_argument/handles.h"

namespace targets::graph_argument {

/// Ownership: owns its stream, its graph by `graph`, and a capture that has not ended.
struct BuilderBox {
  BuilderBox(Core& core, CUstream stream, GraphId id) : core(core), stream(stream), id(id) {}
  ~BuilderBox();
  BuilderBox(const BuilderBox&) = delete;
  BuilderBox& operator=(const BuilderBox&) = delete;

  /// GraphBuilder.end_building().
  Status end();

  Core& core;
  CUstream stream;
  GraphId id;  ///< Id of the captured graph in facts.
  Shared<GraphBox> graph;
  bool capturing = false;
  bool ended = false;  ///< Successfully: `graph` is the captured graph.
};

}  // namespace targets::graph_argument
