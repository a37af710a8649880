// SPDX-License-Identifier: Apache-2.0
// Devices: selection, properties and settings.
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/channels.h"
#include "harness/client/inside/libcudart/properties.h"
#include "harness/client/inside/libcudart/version.h"

using harness::cudart::Call;
using harness::cudart::current_device;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;
using harness::cudart::initialized;
using harness::cudart::keep;

static_assert(cudaDeviceScheduleMask == CU_CTX_SCHED_MASK && cudaDeviceMapHost == CU_CTX_MAP_HOST &&
              cudaDeviceLmemResizeToMax == CU_CTX_LMEM_RESIZE_TO_MAX &&
              cudaDeviceSyncMemops == CU_CTX_SYNC_MEMOPS);

namespace {

CUresult find_device(int ordinal) {
  CUdevice device = 0;
  return driver.cuDeviceGet(&device, ordinal);
}

/// Removes the flag for mapped memory, which is always available and not a flag of the driver.
CUresult set_flags(int device, unsigned flags) {
  if ((flags & ~unsigned{cudaDeviceMask}) != 0) return CUDA_ERROR_INVALID_VALUE;
  return driver.cuDevicePrimaryCtxSetFlags_v2(device, flags & ~unsigned{cudaDeviceMapHost});
}

}  // namespace

CUDART_API cudaError_t cudaGetDeviceCount(int* count) {
  const Call call("cudaGetDeviceCount");
  return initialized([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    const CUresult error = driver.cuDeviceGetCount(count);
    return error == CUDA_SUCCESS && *count == 0 ? cudaErrorNoDevice : error_of(error);
  });
}

CUDART_API cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return keep(cudaErrorInvalidValue);
  *device = current_device();
  return cudaSuccess;
}

CUDART_API cudaError_t cudaSetDevice(int device) {
  const Call call("cudaSetDevice");
  return initialized([&] { return harness::cudart::choose_device(device); });
}

/// Only checks the list, because the driver has at most one device.
CUDART_API cudaError_t cudaSetValidDevices(int* devices, int length) {
  const Call call("cudaSetValidDevices");
  return initialized([&] {
    int count = 0;
    CUresult error = driver.cuDeviceGetCount(&count);
    if (error != CUDA_SUCCESS) return error;
    if (length < 0 || length > count || (length > 0 && devices == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < length && error == CUDA_SUCCESS; ++i) error = find_device(devices[i]);
    return error;
  });
}

CUDART_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  const Call call("cudaChooseDevice");
  return initialized([&] {
    if (device == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    *device = 0;  // There is only one.
    return error_of(find_device(*device));
  });
}

CUDART_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  const Call call("cudaInitDevice");
  return initialized([&] {
    if ((flags & ~unsigned{cudaInitDeviceFlagsAreValid}) != 0) return cudaErrorInvalidValue;
    CUresult error = find_device(device);
    if (error == CUDA_SUCCESS && flags != 0) error = set_flags(device, device_flags);
    return error == CUDA_SUCCESS ? harness::cudart::retain_device(device) : error_of(error);
  });
}

CUDART_API cudaError_t cudaDeviceReset() {
  const Call call("cudaDeviceReset");
  return initialized([] { return harness::cudart::reset_device(); });
}

CUDART_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  const Call call("cudaSetDeviceFlags");
  const cudaError_t error = initialized([&] { return set_flags(current_device(), flags); });
  return error == cudaSuccess ? in_context([] { return CUDA_SUCCESS; }) : error;
}

CUDART_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  const Call call("cudaGetDeviceFlags");
  return initialized([&] {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = nullptr;
    CUresult error = driver.cuCtxGetCurrent(&context);
    if (error == CUDA_SUCCESS && context != nullptr) error = driver.cuCtxGetFlags(flags);
    int is_active = 0;
    if (error == CUDA_SUCCESS && context == nullptr)
      error = driver.cuDevicePrimaryCtxGetState(current_device(), flags, &is_active);
    if (error == CUDA_SUCCESS && harness::cudart::is_primary(context)) *flags |= cudaDeviceMapHost;
    return error;
  });
}

// ---- versions -----------------------------------------------------------------------------------

CUDART_API cudaError_t cudaDriverGetVersion(int* version) {
  const Call call("cudaDriverGetVersion");
  if (version == nullptr) return keep(cudaErrorInvalidValue);
  *version = 0;  // No driver is installed.
  return harness::cudart::open_driver() ? keep(error_of(driver.cuDriverGetVersion(version)))
                                        : cudaSuccess;
}

CUDART_API cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return keep(cudaErrorInvalidValue);
  *version = harness::cudart::kVersion;
  return cudaSuccess;
}

// ---- properties ---------------------------------------------------------------------------------

namespace {

constexpr harness::cudart::Property<cudaDeviceProp> kProperties[] = {
#define CUDART_PROPERTY(field, name) CUDART_PROPERTY_ROW(cudaDeviceProp, field, name)
#include "harness/client/inside/libcudart/properties.def"
};

}  // namespace

CUDART_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal) {
  const Call call("cudaGetDeviceProperties");
  return harness::cudart::get_properties(properties, ordinal, kProperties);
}

CUDART_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width,
                                                            const cudaChannelFormatDesc* format,
                                                            int device) {
  const Call call("cudaDeviceGetTexture1DLinearMaxWidth");
  return initialized([&] {
    harness::cudart::Channels channels;
    if (width == nullptr || format == nullptr || !harness::cudart::to_driver(*format, channels))
      return CUDA_ERROR_INVALID_VALUE;
    int elements = 0;
    const CUresult error = driver.cuDeviceGetAttribute(
        &elements, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, device);
    *width = static_cast<size_t>(elements);
    return error;
  });
}

// ---- shared memory banks, fixed since compute capability 5.0 ------------------------------------

namespace {

bool is_bank_size(cudaSharedMemConfig config) {
  return config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte;
}

}  // namespace

CUDART_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  const Call call("cudaDeviceGetSharedMemConfig");
  return in_context([&] {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

CUDART_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  const Call call("cudaDeviceSetSharedMemConfig");
  return in_context([&] { return is_bank_size(config) ? cudaSuccess : cudaErrorInvalidValue; });
}
