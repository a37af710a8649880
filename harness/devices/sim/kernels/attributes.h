// SPDX-License-Identifier: Apache-2.0
// KernelAttributes: what a launch, or a kernel node, is reported beside its parameters.
//
// On the simulated device most are hints about speed, and only remembered. Cooperative launches are
// limited in size; clusters are none of its capabilities, and are refused.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>

namespace harness::devices {

/// The values that nodes have, by CUlaunchAttributeID. Zero where nothing was said. They never
/// change once made, like the parameters of a node: code that sets one makes others.
struct KernelAttributes {
  static constexpr std::size_t kCount = CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING + 1;
  std::array<CUlaunchAttributeValue, kCount> values{};

  bool cooperative() const { return values[CU_LAUNCH_ATTRIBUTE_COOPERATIVE].cooperative != 0; }
  int priority() const { return values[CU_LAUNCH_ATTRIBUTE_PRIORITY].priority; }
};

/// The attributes of a node that was told nothing.
inline const KernelAttributes kDefaultAttributes{};

/// A kernel node can have such an attribute.
bool is_node_attribute(CUlaunchAttributeID id);

/// Returns whether a kernel with this grid may have the value; an attribute that nodes can have.
CUresult check_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value,
                         const CUlaunchConfig& config);

/// All blocks of a cooperative kernel are on the device at once.
CUresult check_cooperative(const CUlaunchConfig& config);

}  // namespace harness::devices
