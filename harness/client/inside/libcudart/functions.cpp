// SPDX-License-Identifier: Apache-2.0
// Functions: attributes of kernels, their occupancy, and their handles.
#include "harness/client/inside/libcudart/binaries.h"
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/launch.h"

using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;
using harness::cudart::initialized;

static_assert(static_cast<int>(cudaFuncAttributeMaxDynamicSharedMemorySize) ==
                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
              static_cast<int>(cudaFuncAttributeClusterSchedulingPolicyPreference) ==
                  CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
static_assert(static_cast<int>(cudaFuncCachePreferEqual) == CU_FUNC_CACHE_PREFER_EQUAL);

namespace {

/// Finds the kernel of a function, and passes it to a driver function.
template <class Function>
cudaError_t with_kernel(const void* function, const Function& act) {
  return in_context([&] {
    CUkernel kernel = nullptr;
    const cudaError_t error = harness::cudart::find_kernel(function, kernel);
    return error != cudaSuccess ? error : error_of(act(reinterpret_cast<CUfunction>(kernel)));
  });
}

constexpr struct {
  CUfunction_attribute attribute;
  void (*set)(cudaFuncAttributes& attributes, int value);
} kAttributes[] = {
#define CUDART_ATTRIBUTE(field, name)                                        \
  {CU_FUNC_ATTRIBUTE_##name, [](cudaFuncAttributes& attributes, int value) { \
     attributes.field = static_cast<decltype(attributes.field)>(value);      \
   }}
    CUDART_ATTRIBUTE(sharedSizeBytes, SHARED_SIZE_BYTES),
    CUDART_ATTRIBUTE(constSizeBytes, CONST_SIZE_BYTES),
    CUDART_ATTRIBUTE(localSizeBytes, LOCAL_SIZE_BYTES),
    CUDART_ATTRIBUTE(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
    CUDART_ATTRIBUTE(numRegs, NUM_REGS),
    CUDART_ATTRIBUTE(ptxVersion, PTX_VERSION),
    CUDART_ATTRIBUTE(binaryVersion, BINARY_VERSION),
    CUDART_ATTRIBUTE(cacheModeCA, CACHE_MODE_CA),
    CUDART_ATTRIBUTE(maxDynamicSharedSizeBytes, MAX_DYNAMIC_SHARED_SIZE_BYTES),
    CUDART_ATTRIBUTE(preferredShmemCarveout, PREFERRED_SHARED_MEMORY_CARVEOUT),
    CUDART_ATTRIBUTE(clusterDimMustBeSet, CLUSTER_SIZE_MUST_BE_SET),
    CUDART_ATTRIBUTE(requiredClusterWidth, REQUIRED_CLUSTER_WIDTH),
    CUDART_ATTRIBUTE(requiredClusterHeight, REQUIRED_CLUSTER_HEIGHT),
    CUDART_ATTRIBUTE(requiredClusterDepth, REQUIRED_CLUSTER_DEPTH),
    CUDART_ATTRIBUTE(clusterSchedulingPolicyPreference, CLUSTER_SCHEDULING_POLICY_PREFERENCE),
    CUDART_ATTRIBUTE(nonPortableClusterSizeAllowed, NON_PORTABLE_CLUSTER_SIZE_ALLOWED),
#undef CUDART_ATTRIBUTE
};

}  // namespace

CUDART_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const Call call("cudaFuncGetAttributes");
  return with_kernel(function, [&](CUfunction kernel) {
    if (attributes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *attributes = {};
    for (const auto& [attribute, set] : kAttributes) {
      int value = 0;
      if (const CUresult error = driver.cuFuncGetAttribute(&value, attribute, kernel)) return error;
      set(*attributes, value);
    }
    return CUDA_SUCCESS;
  });
}

CUDART_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  const Call call("cudaFuncGetName");
  return with_kernel(function,
                     [&](CUfunction kernel) { return driver.cuFuncGetName(name, kernel); });
}

CUDART_API cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset,
                                            size_t* bytes) {
  const Call call("cudaFuncGetParamInfo");
  return with_kernel(function, [&](CUfunction kernel) {
    return driver.cuFuncGetParamInfo(kernel, index, offset, bytes);
  });
}

CUDART_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute,
                                            int value) {
  const Call call("cudaFuncSetAttribute");
  return with_kernel(function, [&](CUfunction kernel) {
    return driver.cuFuncSetAttribute(kernel, static_cast<CUfunction_attribute>(attribute), value);
  });
}

CUDART_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  const Call call("cudaFuncSetCacheConfig");
  return with_kernel(function, [&](CUfunction kernel) {
    return driver.cuFuncSetCacheConfig(kernel, static_cast<CUfunc_cache>(config));
  });
}

/// Does nothing: since compute capability 5.0, devices have no configurable banks.
CUDART_API cudaError_t cudaFuncSetSharedMemConfig(const void* function,
                                                  cudaSharedMemConfig config) {
  const Call call("cudaFuncSetSharedMemConfig");
  return with_kernel(function, [&](CUfunction /*kernel*/) {
    return config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

// ---- handles ------------------------------------------------------------------------------------

CUDART_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* found, const void* symbol) {
  const Call call("cudaGetFuncBySymbol");
  return with_kernel(symbol, [&](CUfunction kernel) {
    return driver.cuKernelGetFunction(found, reinterpret_cast<CUkernel>(kernel));
  });
}

CUDART_API cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  const Call call("cudaGetKernel");
  return in_context([&] {
    return kernel != nullptr ? harness::cudart::find_kernel(function, *kernel)
                             : cudaErrorInvalidValue;
  });
}

CUDART_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                       cudaFuncAttribute attribute, int value,
                                                       int device) {
  const Call call("cudaKernelSetAttributeForDevice");
  return initialized([&] {
    return driver.cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel,
                                       device);
  });
}

// ---- occupancy ----------------------------------------------------------------------------------

CUDART_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* block_count,
                                                                     const void* function,
                                                                     int block_size,
                                                                     size_t shared_bytes) {
  const Call call("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return with_kernel(function, [&](CUfunction kernel) {
    return driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(block_count, kernel, block_size,
                                                              shared_bytes);
  });
}

CUDART_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* block_count, const void* function, int block_size, size_t shared_bytes, unsigned flags) {
  const Call call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
  return with_kernel(function, [&](CUfunction kernel) {
    return driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        block_count, kernel, block_size, shared_bytes, flags);
  });
}

CUDART_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* shared_bytes,
                                                                 const void* function,
                                                                 int block_count, int block_size) {
  const Call call("cudaOccupancyAvailableDynamicSMemPerBlock");
  return with_kernel(function, [&](CUfunction kernel) {
    return driver.cuOccupancyAvailableDynamicSMemPerBlock(shared_bytes, kernel, block_count,
                                                          block_size);
  });
}

CUDART_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* block_count, const void* function,
                                                            const cudaLaunchConfig_t* config) {
  const Call call("cudaOccupancyMaxPotentialClusterSize");
  return with_kernel(function, [&](CUfunction kernel) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUlaunchConfig same = harness::cudart::launch_config(*config);
    return driver.cuOccupancyMaxPotentialClusterSize(block_count, kernel, &same);
  });
}

CUDART_API cudaError_t cudaOccupancyMaxActiveClusters(int* cluster_count, const void* function,
                                                      const cudaLaunchConfig_t* config) {
  const Call call("cudaOccupancyMaxActiveClusters");
  return with_kernel(function, [&](CUfunction kernel) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUlaunchConfig same = harness::cudart::launch_config(*config);
    return driver.cuOccupancyMaxActiveClusters(cluster_count, kernel, &same);
  });
}
