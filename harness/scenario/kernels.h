// SPDX-License-Identifier: Apache-2.0
// Whether a judge can count the kernels of a run: on the simulated driver each is in its history.
#pragma once

namespace harness {

struct World;

/// Returns whether the device reports each kernel that it runs. A GPU does not.
bool sees_kernels(const World& world);

}  // namespace harness
