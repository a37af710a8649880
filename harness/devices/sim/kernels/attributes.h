// SPDX-License-Identifier: Apache-2.0
// KernelAttributes: the attributes of a launch or a kernel node, in addition to its parameters.
//
// On the simulated device most are performance hints, and only stored. Cooperative launches are
// limited in size. Clusters are not supported, and are refused.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>

namespace harness::devices {

/// The values of a node, by CUlaunchAttributeID; zero if not set. Immutable, like the parameters of
/// a node: setting an attribute makes a new object.
struct KernelAttributes {
  static constexpr std::size_t kCount = CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING + 1;
  std::array<CUlaunchAttributeValue, kCount> values{};

  bool cooperative() const { return values[CU_LAUNCH_ATTRIBUTE_COOPERATIVE].cooperative != 0; }
  int priority() const { return values[CU_LAUNCH_ATTRIBUTE_PRIORITY].priority; }
};

/// The attributes of a node without settings.
inline const KernelAttributes kDefaultAttributes{};

/// Returns whether a kernel node can have this attribute.
bool is_node_attribute(CUlaunchAttributeID id);

/// Checks a value for a kernel with this grid. The attribute must be one of nodes.
CUresult check_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value,
                         const CUlaunchConfig& config);

/// Checks that all blocks of a cooperative kernel fit on the device at once.
CUresult check_cooperative(const CUlaunchConfig& config);

}  // namespace harness::devices
