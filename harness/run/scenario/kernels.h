// SPDX-License-Identifier: Apache-2.0
// Whether a judge can count the kernels of a run. On the simulated driver, each is in the history.
#pragma once

namespace harness {

struct World;

/// Returns whether the device reports each kernel that runs. A GPU does not.
bool sees_kernels(const World& world);

}  // namespace harness
