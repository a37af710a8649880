// SPDX-License-Identifier: Apache-2.0
// The work of a node of a graph when it is executed.
#pragma once

#include "harness/devices/sim/graphs/graph.h"
#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

class SimDevice;

/// Makes the work of a kernel, copy, set or memory operation node. Its addresses refer to the
/// memory that they referred to when they were copied.
Work& make_work(SimDevice& sim, const NodeParams& params);

}  // namespace harness::devices
