// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: names, properties and queries of a device and its contexts.
#include <cstring>
#include <string>

#include "harness/devices/tests/cuda_stage.h"
#include "harness/driver/cuda/cuda.h"

extern "C" {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult CUDAAPI name parameters;
#include "harness/driver/cuda/cuda.def"
}

// Deprecated functions are tested, too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace harness::testing {
namespace {

class CudaContext : public OnEveryDevice {
 protected:
  /// Whether the driver counts who uses a context: through the GPU device nothing may ask it to.
  bool counts_users() const { return GetParam() == Backend::sim; }
};

// ---- the device -------------------------------------------------------------------------------

TEST_P(CudaContext, TheDevicesUuidIsStable) {
  run([] {
    CUuuid first{};
    CUuuid second{};
    CUDA_OK(cuDeviceGetUuid_v2(&first, 0));
    CUDA_OK(cuDeviceGetUuid_v2(&second, 0));
    EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
    EXPECT_NE(std::string(first.bytes, 16), std::string(16, '\0'));
    EXPECT_EQ(cuDeviceGetUuid_v2(&first, 99), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceGetUuid_v2(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaContext, TheDeviceIsFoundByItsBusId) {
  run([] {
    char text[32] = {};
    CUdevice device = -1;
    int bus = -1;
    CUDA_OK(cuDeviceGetPCIBusId(text, sizeof text, 0));
    EXPECT_GE(std::strlen(text), 12u);
    CUDA_OK(cuDeviceGetByPCIBusId(&device, text));
    EXPECT_EQ(device, 0);
    CUDA_OK(cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0));
    EXPECT_EQ(bus, std::stoi(std::string(text).substr(5, 2), nullptr, 16));
    EXPECT_NE(cuDeviceGetByPCIBusId(&device, "00ff:ee:dd.0"), CUDA_SUCCESS);
    EXPECT_EQ(cuDeviceGetPCIBusId(nullptr, 32, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaContext, AShortBufferAndAMalformedBusIdAreInvalid) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "how long is long enough is the driver's";
  run([] {
    char text[32] = {};
    CUdevice device = -1;
    EXPECT_EQ(cuDeviceGetPCIBusId(text, 12, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuDeviceGetPCIBusId(text, 13, 0));
    EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "nowhere"), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuDeviceGetByPCIBusId(&device, std::string(text).substr(5).c_str()));
    CUDA_OK(cuDeviceGetByPCIBusId(&device, std::string(text).substr(0, 10).c_str()));
  });
}

TEST_P(CudaContext, TheDeviceIsNotItsOwnPeer) {
  run([] {
    int value = 1;
    int minor = -1;
    int attribute = 0;
    CUDA_OK(cuDeviceCanAccessPeer(&value, 0, 0));
    EXPECT_EQ(value, 0);
    EXPECT_EQ(cuDeviceCanAccessPeer(&value, 0, 99), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceCanAccessPeer(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuDeviceComputeCapability(&value, &minor, 0));
    CUDA_OK(cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    EXPECT_EQ(value, attribute);
    CUDA_OK(cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    EXPECT_EQ(minor, attribute);
    EXPECT_EQ(cuDeviceComputeCapability(&value, &minor, 99), CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST_P(CudaContext, ExecutionAffinityIsReportedForAnyType) {
  run([] {
    int supported = -1;
    CUDA_OK(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    EXPECT_TRUE(supported == 0 || supported == 1) << supported;
    EXPECT_EQ(cuDeviceGetExecAffinitySupport(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_MAX, 0));
    EXPECT_EQ(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 99),
              CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST_P(CudaContext, AttributesOfEveryDeviceAreNotZero) {
  run([] {
    for (const CUdevice_attribute attribute : {
             CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
             CU_DEVICE_ATTRIBUTE_MAX_PITCH,
             CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
             CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
             CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
             CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT,
             CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH,
             CU_DEVICE_ATTRIBUTE_GPU_OVERLAP,
             CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,
             CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS,
             CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
             CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
             CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
             CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
             CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
             CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
             CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
             CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID,
             CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID,
         }) {
      int value = 0;
      CUDA_OK(cuDeviceGetAttribute(&value, attribute, 0));
      EXPECT_GT(value, 0) << attribute;
    }
  });
}

// ---- older contexts ---------------------------------------------------------------------------

TEST_P(CudaContext, OlderVersionsCreateContextsToo) {
  run([] {
    CUcontext second = nullptr;
    CUcontext third = nullptr;
    CUcontext fourth = nullptr;
    CUcontext current = nullptr;
    CUDA_OK(cuCtxCreate_v2(&second, CU_CTX_SCHED_YIELD, 0));
    CUDA_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, second);
    CUDA_OK(cuCtxCreate_v3(&third, nullptr, 0, 0, 0));
    EXPECT_NE(third, second);
    CUexecAffinityParam affinity{};
    CUDA_OK(cuCtxCreate_v3(&fourth, &affinity, -1, 0, 0));  // Fewer than none are none.
    CUDA_OK(cuCtxDestroy_v2(fourth));
    EXPECT_EQ(cuCtxCreate_v2(&current, 0xf000, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxCreate_v2(&current, 0, 99), CUDA_ERROR_INVALID_DEVICE);
    CUDA_OK(cuCtxDestroy_v2(third));
    CUDA_OK(cuCtxDestroy_v2(second));
  });
  expect_no_fault();
}

TEST_P(CudaContext, TheLastDetachEndsAContext) {
  if (!counts_users()) GTEST_SKIP();
  run([] {
    CUcontext made = nullptr;
    CUcontext attached = nullptr;
    CUDA_OK(cuCtxCreate_v2(&made, 0, 0));
    CUDA_OK(cuCtxAttach(&attached, 0));
    EXPECT_EQ(attached, made);
    EXPECT_EQ(cuCtxAttach(&attached, 1), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuCtxDetach(made));
    CUDA_OK(cuCtxSynchronize());
    CUDA_OK(cuCtxDetach(made));
    EXPECT_EQ(cuCtxDetach(made), CUDA_ERROR_INVALID_CONTEXT) << "another one is current now";
    EXPECT_EQ(cuCtxSetCurrent(made), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaContext, DetachesOfThePrimaryContextMatchAttaches) {
  if (!counts_users()) GTEST_SKIP();
  run([] {
    CUcontext primary = nullptr;
    CUDA_OK(cuCtxAttach(&primary, 0));
    CUDA_OK(cuCtxDetach(primary));
    EXPECT_EQ(cuCtxDetach(primary), CUDA_ERROR_INVALID_CONTEXT);
    CUDA_OK(cuCtxSynchronize());
  });
  expect_no_fault();
}

// ---- a reset of the primary context -------------------------------------------------------------

/// On a GPU it would take the context from the process, which keeps it from run to run.
class CudaPrimaryReset : public OnEveryDevice {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::gpu) GTEST_SKIP() << "other tests have the same context";
    OnEveryDevice::SetUp();
  }
};

TEST_P(CudaPrimaryReset, EndsEverythingThatTheContextOwns) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUcontext again = nullptr;
    unsigned flags = 0;
    int active = 1;
    CUDA_OK(cuDevicePrimaryCtxReset_v2(0));
    CUDA_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(active, 0);
    CUDA_OK(cuDevicePrimaryCtxRetain(&again, 0));
    CUDA_OK(cuCtxSetCurrent(again));
    EXPECT_EQ(cuMemsetD8_v2(address, 0, 64), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaPrimaryReset, LeavesTheContextDestroyed) {
  run([] {
    CUcontext old = nullptr;
    CUDA_OK(cuCtxGetCurrent(&old));
    CUDA_OK(cuDevicePrimaryCtxReset_v2(0));
    EXPECT_NE(cuCtxPushCurrent_v2(old), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaPrimaryReset, DoesNotReleaseTheContext) {
  run([] {
    CUcontext context = nullptr;
    unsigned flags = 0;
    int active = 0;
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));  // The second time.
    CUDA_OK(cuDevicePrimaryCtxReset_v2(0));
    CUDA_OK(cuDevicePrimaryCtxReset_v2(0));
    CUDA_OK(cuDevicePrimaryCtxRelease_v2(0));
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuDevicePrimaryCtxRelease_v2(0));
    CUDA_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(active, 1) << "retained once more than released";
    CUDA_OK(cuDevicePrimaryCtxRelease_v2(0));
    CUDA_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(active, 0);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuDevicePrimaryCtxReset_v2(99), CUDA_ERROR_INVALID_DEVICE);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaPrimaryReset);

// ---- settings ---------------------------------------------------------------------------------

TEST_P(CudaContext, ContextsHaveIdsAndAnApiVersion) {
  run([] {
    CUcontext made = nullptr;
    unsigned long long primary = 0;
    unsigned long long current = 0;
    unsigned long long named = 0;
    unsigned version = 0;
    CUDA_OK(cuCtxGetId(nullptr, &primary));
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    CUDA_OK(cuCtxGetId(nullptr, &current));
    CUDA_OK(cuCtxGetId(made, &named));
    EXPECT_EQ(current, named);
    EXPECT_NE(current, primary);
    CUDA_OK(cuCtxGetApiVersion(made, &version));
    EXPECT_GE(version, 3010u);
    EXPECT_EQ(cuCtxGetApiVersion(made, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxGetId(made, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuCtxDestroy_v2(made));
  });
  expect_no_fault();
}

TEST_P(CudaContext, FlagsAreKept) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver may add some";
  run([] {
    CUcontext made = nullptr;
    unsigned flags = 0;
    int active = 0;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    CUDA_OK(cuCtxGetFlags(&flags));
    EXPECT_EQ(flags, static_cast<unsigned>(CU_CTX_SCHED_BLOCKING_SYNC));
    CUDA_OK(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
    CUDA_OK(cuCtxGetFlags(&flags));
    EXPECT_EQ(flags, static_cast<unsigned>(CU_CTX_SCHED_SPIN));
    EXPECT_EQ(cuCtxSetFlags(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxGetFlags(nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuCtxDestroy_v2(made));
    CUDA_OK(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_YIELD));
    CUDA_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(flags, static_cast<unsigned>(CU_CTX_SCHED_YIELD));
    EXPECT_EQ(active, 1);
    EXPECT_EQ(cuDevicePrimaryCtxSetFlags_v2(0, 0xf000), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDevicePrimaryCtxSetFlags_v2(99, 0), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDevicePrimaryCtxGetState(99, &flags, &active), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDevicePrimaryCtxGetState(0, nullptr, &active), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuDevicePrimaryCtxSetFlags_v2(0, 0));
  });
  expect_no_fault();
}

TEST_P(CudaContext, LimitsKeepTheValueSet) {
  run([] {
    std::size_t value = 0;
    CUDA_OK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    EXPECT_GE(value, std::size_t{8} << 20);
    CUDA_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    CUDA_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    EXPECT_GE(value, 4096u);
    EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 4096), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64));
    CUDA_OK(cuCtxGetLimit(&value, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
    EXPECT_LE(value, 128u);
    EXPECT_EQ(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
    EXPECT_NE(cuCtxGetLimit(&value, CU_LIMIT_MAX), CUDA_SUCCESS);
  });
}

TEST_P(CudaContext, ALimitOfGraphicsContextsIsUnsupported) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "newer drivers may have it";
  run([] {
    std::size_t value = 0;
    EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_SHMEM_SIZE), CUDA_ERROR_UNSUPPORTED_LIMIT);
    EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
    EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaContext, CachePreferencesAndProfilerMarksAreAccepted) {
  run([] {
    CUfunc_cache config = CU_FUNC_CACHE_PREFER_NONE;
    CUDA_OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    CUDA_OK(cuCtxGetCacheConfig(&config));
    EXPECT_EQ(config, CU_FUNC_CACHE_PREFER_L1);
    EXPECT_EQ(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(99)), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxGetCacheConfig(nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuCtxResetPersistingL2Cache());
    CUDA_OK(cuProfilerStart());
    CUDA_OK(cuProfilerStop());
  });
}

INSTANTIATE_ON_EVERY_DEVICE(CudaContext);

}  // namespace
}  // namespace harness::testing
