// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/kernels/attributes.h"

#include <cstdint>

#include "harness/devices/sim/limits.h"

namespace harness::devices {

bool is_node_attribute(CUlaunchAttributeID id) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return true;
    default:
      return false;
  }
}

static CUresult valid_if(bool is_valid) {
  return is_valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_window(const CUaccessPolicyWindow& window) {
  const bool miss_is_valid = window.missProp == CU_ACCESS_PROPERTY_NORMAL ||
                             window.missProp == CU_ACCESS_PROPERTY_STREAMING;
  const bool hit_is_valid = window.hitProp >= CU_ACCESS_PROPERTY_NORMAL &&
                            window.hitProp <= CU_ACCESS_PROPERTY_PERSISTING;
  return valid_if(miss_is_valid && hit_is_valid && window.hitRatio >= 0 && window.hitRatio <= 1);
}

/// Checks the size of a cluster. Zeros mean none, and the device supports only clusters of one
/// block.
template <class Cluster>
static CUresult check_cluster(const Cluster& cluster, const CUlaunchConfig& config) {
  if (cluster.x == 0 && cluster.y == 0 && cluster.z == 0) return CUDA_SUCCESS;
  if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0 || config.gridDimX % cluster.x != 0 ||
      config.gridDimY % cluster.y != 0 || config.gridDimZ % cluster.z != 0)
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  const bool one_block = cluster.x == 1 && cluster.y == 1 && cluster.z == 1;
  return one_block ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult check_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value,
                         const CUlaunchConfig& config) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      return check_window(value.accessPolicyWindow);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      return check_cluster(value.clusterDim, config);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      return check_cluster(value.preferredClusterDim, config);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return valid_if(
          value.clusterSchedulingPolicyPreference >= CU_CLUSTER_SCHEDULING_POLICY_DEFAULT &&
          value.clusterSchedulingPolicyPreference <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:  // There is only one domain.
      return valid_if(value.memSyncDomainMap.default_ == 0 && value.memSyncDomainMap.remote == 0);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return valid_if(value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT ||
                      value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      if (value.deviceUpdatableKernelNode.deviceUpdatable == 1) return CUDA_ERROR_NOT_SUPPORTED;
      return valid_if(value.deviceUpdatableKernelNode.deviceUpdatable == 0);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return valid_if(value.sharedMemCarveout <= 100);
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return valid_if(value.nvlinkUtilCentricScheduling <= 1);
    default:
      return CUDA_SUCCESS;  // Any value is valid for priorities, and any number for cooperative.
  }
}

CUresult check_cooperative(const CUlaunchConfig& config) {
  const std::uint64_t blocks = std::uint64_t{config.gridDimX} * config.gridDimY * config.gridDimZ;
  const unsigned threads = config.blockDimX * config.blockDimY * config.blockDimZ;
  return blocks <= kResidentThreads / threads ? CUDA_SUCCESS
                                              : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

}  // namespace harness::devices
