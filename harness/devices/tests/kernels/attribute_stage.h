// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of attributes of launches and kernel nodes.
#pragma once

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {

using Value = CUlaunchAttributeValue;

inline Value priority(int value) {
  Value made{};
  made.priority = value;
  return made;
}

inline Value cooperative(int value) {
  Value made{};
  made.cooperative = value;
  return made;
}

inline Value cluster(unsigned x) {
  Value made{};
  made.clusterDim = {x, 1, 1};
  return made;
}

/// Values that no kernel may have, with what they are values of.
inline std::vector<CUlaunchAttribute> wrong_values() {
  std::vector<CUlaunchAttribute> wrong;
  const auto add = [&wrong](CUlaunchAttributeID id) -> Value& {
    CUlaunchAttribute& made = wrong.emplace_back();
    made = {};
    made.id = id;
    return made.value;
  };
  add(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow.missProp =
      CU_ACCESS_PROPERTY_PERSISTING;
  add(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow.hitRatio = 1.5F;
  add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) = cluster(3);  // The grid has two blocks.
  add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE).clusterSchedulingPolicyPreference =
      static_cast<CUclusterSchedulingPolicy>(9);
  add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain = static_cast<CUlaunchMemSyncDomain>(9);
  add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).memSyncDomainMap = {99, 0};
  add(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE).deviceUpdatableKernelNode.deviceUpdatable =
      2;
  add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout = 101;
  add(CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING).nvlinkUtilCentricScheduling = 2;
  add(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY);  // For streams alone.
  add(static_cast<CUlaunchAttributeID>(99));
  return wrong;
}

inline int priority_of(CUgraphNode node) {
  Value found{};
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &found),
            CUDA_SUCCESS);
  return found.priority;
}

/// add_one(address, 1) with these attributes.
inline CUresult launch_with(CUfunction function, CUdeviceptr address, CUstream stream,
                            std::vector<CUlaunchAttribute> attributes, unsigned grid = 1,
                            unsigned block = 1) {
  int count = 1;
  void* values[] = {&address, &count};
  const CUlaunchConfig config{grid,
                              1,
                              1,
                              block,
                              1,
                              1,
                              0,
                              stream,
                              attributes.data(),
                              static_cast<unsigned>(attributes.size())};
  return cuLaunchKernelEx(&config, function, values, nullptr);
}

inline CUlaunchAttribute attribute(CUlaunchAttributeID id, const Value& value) {
  CUlaunchAttribute made{};
  made.id = id;
  made.value = value;
  return made;
}

}  // namespace harness::testing
