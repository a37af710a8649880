// SPDX-License-Identifier: Apache-2.0
// The driver and its only device.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/identity.h"

namespace harness::devices::calls {

static constexpr CUdevice kDevice = 0;

CUresult Calls::cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (sim.processes().current().is_forked) return CUDA_ERROR_NOT_INITIALIZED;
  sim.processes().current().initialized = true;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

// ---- the device -------------------------------------------------------------------------------

CUresult Calls::cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *device = kDevice;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceGetCount(int* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceGetName(char* name, int bytes, CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  if (name == nullptr || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t length = std::min(sizeof kDeviceName - 1, static_cast<std::size_t>(bytes) - 1);
  std::memcpy(name, kDeviceName, length);
  name[length] = '\0';
  return CUDA_SUCCESS;
}

int attribute_value(CUdevice_attribute attribute) {
  switch (attribute) {
#define ATTRIBUTE(name, value)     \
  case CU_DEVICE_ATTRIBUTE_##name: \
    return value;
#include "harness/devices/sim/attributes.def"
    default:
      return 0;  // Not present in this device.
  }
}

CUresult Calls::cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (value == nullptr || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *value = attribute_value(attribute);
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = Memory::kBytes;
  return CUDA_SUCCESS;
}

// ---- its names ---------------------------------------------------------------------------------

CUresult Calls::cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(uuid->bytes, kUuid, sizeof kUuid);
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device) {
  if (text == nullptr || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  char name[16];
  const int length =
      std::snprintf(name, sizeof name, "%04x:%02x:%02x.0", kPciDomain, kPciBus, kPciDevice);
  if (bytes <= length) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(text, name, static_cast<std::size_t>(length) + 1);
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  if (device == nullptr || text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const PciPlace place = read_pci_place(text);
  if (place == PciPlace::none) return CUDA_ERROR_INVALID_VALUE;
  if (place == PciPlace::other) return CUDA_ERROR_INVALID_DEVICE;
  *device = kDevice;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *major = attribute_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  *minor = attribute_value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return CUDA_SUCCESS;
}

/// Only clients of MPS support it, so that the answer is 0 for every type.
CUresult Calls::cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType /*type*/,
                                               CUdevice device) {
  if (supported == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *supported = 0;
  return CUDA_SUCCESS;
}

/// A device is not its own peer.
CUresult Calls::cuDeviceCanAccessPeer(int* can_access, CUdevice device, CUdevice peer) {
  if (can_access == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice || peer != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *can_access = 0;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
