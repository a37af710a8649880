// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scenario/kernels.h"

#include "harness/core/world.h"
#include "harness/driver/device.h"

namespace harness {

bool sees_kernels(const World& world) { return world.device->runs_host_kernels(); }

}  // namespace harness
