// SPDX-License-Identifier: Apache-2.0
// Graphs as Graphviz text, the output of cuGraphDebugDotPrint.
//
// Nodes are numbered in the order in which they were added, so that the text is the same in every
// run. Only data requested by flags (handles, addresses) may differ.
#pragma once

#include <string>

#include "harness/devices/sim/graphs/graph.h"

namespace harness::devices {

/// `flags` are those of CUgraphDebugDot_flags.
std::string to_dot(const Graph& graph, unsigned flags);

}  // namespace harness::devices
