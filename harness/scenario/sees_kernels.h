// What a judge may ask of a device: whether a run's history has the kernels that ran.
#pragma once

namespace harness {

struct World;

/// Returns whether the device tells of each kernel that it runs. A GPU does not.
bool sees_kernels(const World& world);

}  // namespace harness
