// SPDX-License-Identifier: Apache-2.0
// The order of the nodes of a launch among all work: each after those that it waits for, and after
// the predecessors of the launch. Every node has a separate line, which is the same in every launch
// of its executable, because launches of an executable are sequential.
#pragma once

#include <cstdint>

#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/devices/sim/streams/data_race.h"

namespace harness::devices {

/// Finds the predecessors of each node of the frame, and joins all nodes to `after`.
void order_nodes(DataRaces& data_races, GraphFrame& frame, const Clock& base, Clock& after);

/// Orders the nodes of a conditional body, which share the position `at`.
void order_body(GraphFrame& frame, const OrderPoint& at, const Clock& before);

/// Returns the position of a node among all work.
OrderPoint point_of(const GraphFrame& frame, std::uint32_t node);

}  // namespace harness::devices
