// SPDX-License-Identifier: Apache-2.0
// Devices and their properties in CUDA 12, and the cudaThread functions, older names for
// cudaDevice.
#include "harness/client/inside/libcudart/cuda12/functions.h"
#include "harness/client/inside/libcudart/properties.h"

using harness::cudart::Call;
using harness::cudart::initialized;
using harness::cudart::cuda12::DeviceProperties;

namespace {

constexpr harness::cudart::Property<DeviceProperties> kProperties[] = {
#define CUDART_PROPERTY(field, name) CUDART_PROPERTY_ROW(DeviceProperties, field, name)
#define CUDART_PROPERTY_SINCE_13(field, name)
#include "harness/client/inside/libcudart/properties.def"
#define CUDART_PROPERTY(field, name) CUDART_PROPERTY_ROW(DeviceProperties, field, name)
    CUDART_PROPERTY(clockRate, CLOCK_RATE) CUDART_PROPERTY(deviceOverlap, GPU_OVERLAP)
        CUDART_PROPERTY(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT)
            CUDART_PROPERTY(computeMode, COMPUTE_MODE) CUDART_PROPERTY(
                maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH)
                CUDART_PROPERTY(memoryClockRate, MEMORY_CLOCK_RATE) CUDART_PROPERTY(
                    singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)
                    CUDART_PROPERTY(cooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH)
#undef CUDART_PROPERTY
};

}  // namespace

CUDART_API cudaError_t cudaGetDeviceProperties_v2(DeviceProperties* properties, int ordinal) {
  const Call call("cudaGetDeviceProperties");
  return harness::cudart::get_properties(properties, ordinal, kProperties);
}

/// Fills in the structure of CUDA 11, which is a prefix of CUDA 12's.
CUDART_API cudaError_t cudaGetDeviceProperties(DeviceProperties* properties, int ordinal) {
  const Call call("cudaGetDeviceProperties");
  if (properties == nullptr) return cudaGetDeviceProperties_v2(nullptr, ordinal);
  DeviceProperties found;
  const cudaError_t error = cudaGetDeviceProperties_v2(&found, ordinal);
  if (error == cudaSuccess)
    std::memcpy(static_cast<void*>(properties), &found,
                offsetof(DeviceProperties, hostRegisterSupported));
  return error;
}

CUDART_API cudaError_t cudaThreadExit() {
  const Call call("cudaThreadExit");
  return initialized([] { return harness::cudart::reset_device(); });
}

// ---- doubles, which devices have since compute capability 1.3 -----------------------------------

namespace {

cudaError_t convert(const double* value) {
  return initialized([&] { return value != nullptr ? cudaSuccess : cudaErrorInvalidValue; });
}

}  // namespace

CUDART_API cudaError_t cudaSetDoubleForDevice(double* value) {
  const Call call("cudaSetDoubleForDevice");
  return convert(value);
}

CUDART_API cudaError_t cudaSetDoubleForHost(double* value) {
  const Call call("cudaSetDoubleForHost");
  return convert(value);
}
