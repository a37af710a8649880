// SPDX-License-Identifier: Apache-2.0
// The work that a node of a graph does when its turn has come.
#pragma once

#include "harness/devices/sim/graphs/graph.h"
#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

class SimDevice;

/// Makes the work of a kernel, copy, set or memory operation node. Its addresses mean what they
/// meant when they were copied.
Work& make_work(SimDevice& sim, const NodeParams& params);

}  // namespace harness::devices
