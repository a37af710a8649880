// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a launch are among all work: each after those that it waits for, and after
// what the launch comes after. Every node has a separate line, the same in every launch of its
// executable, since these come one after another.
#pragma once

#include <cstdint>

#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/devices/sim/streams/data_race.h"

namespace harness::devices {

/// Finds what comes before each node of the frame; joins all of them to `after`.
void order_nodes(DataRaces& data_races, GraphFrame& frame, const Clock& base, Clock& after);

/// Orders the nodes of a conditional body, which share the place `at`.
void order_body(GraphFrame& frame, const OrderPoint& at, const Clock& before);

/// Returns the place of a node among all work.
OrderPoint point_of(const GraphFrame& frame, std::uint32_t node);

}  // namespace harness::devices
