// SPDX-License-Identifier: Apache-2.0
// Graphs as text that Graphviz draws: what cuGraphDebugDotPrint writes.
//
// Nodes are numbered as they were added, so that the text is the same in every run; only what was
// asked for by flag (handles, addresses) may differ.
#pragma once

#include <string>

#include "harness/devices/sim/graphs/graph.h"

namespace harness::devices {

/// `flags` are those of CUgraphDebugDot_flags.
std::string to_dot(const Graph& graph, unsigned flags);

}  // namespace harness::devices
