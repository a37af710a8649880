// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/kernels.h"

#include "harness/device.h"
#include "harness/world.h"

namespace harness {

bool sees_kernels(const World& world) { return world.device->runs_host_kernels(); }

}  // namespace harness
