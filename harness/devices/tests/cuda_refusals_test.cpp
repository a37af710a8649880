// SPDX-License-Identifier: Apache-2.0
// Refused calls and results of the simulated driver for which no other test failed when a mutant
// broke them.
#include <array>

#include "harness/devices/tests/arrays/array_stage.h"
#include "harness/devices/tests/memory/ipc_stage.h"
#include "harness/devices/tests/memory/virtual_memory_stage.h"

// Deprecated functions are tested, too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace harness::testing {
namespace {

constexpr CUresult kInvalid = CUDA_ERROR_INVALID_VALUE;

class CudaRefusals : public OnSim {
 protected:
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage.run(body), Ending::finished) << stage.fault();
  }
  void expect_no_fault() const { EXPECT_TRUE(stage.faults.empty()) << stage.fault(); }
  static CUfunction add_one() { return get_kernel(&afterlife_kernels_conformance, "add_one"); }
};

// ---- contexts ---------------------------------------------------------------------------------

TEST_F(CudaRefusals, OnlyTheCurrentContextIsDetachedFrom) {
  run([] {
    CUcontext primary = nullptr;
    CUDA_OK(cuCtxAttach(&primary, 0));
    CUcontext other = nullptr;
    CUDA_OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
    CUDA_OK(cuCtxSetCurrent(primary));
    EXPECT_EQ(cuCtxDetach(other), CUDA_ERROR_INVALID_CONTEXT);
    CUDA_OK(cuCtxDetach(primary));
    CUDA_OK(cuCtxDestroy_v2(other));
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, APrimaryContextHasTheFlagsThatWereSetBefore) {
  Plain plain;
  stage.run_bare(plain, [] {
    CUDA_OK(cuInit(0));
    CUDA_OK(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_YIELD));
    CUcontext context = nullptr;
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxSetCurrent(context));
    unsigned flags = 0;
    CUDA_OK(cuCtxGetFlags(&flags));
    EXPECT_EQ(flags, CU_CTX_SCHED_YIELD);
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, ALimitIsRoundedToASupportedValue) {
  run([] {
    CUDA_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1007));
    std::size_t value = 0;
    CUDA_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    EXPECT_EQ(value, 992u);
  });
  expect_no_fault();
}

// ---- modules and libraries --------------------------------------------------------------------

/// An image with two variables, of which one has a value.
KernelImage image_with_variables() {
  static constexpr std::array<std::byte, 4> kSeven{std::byte{7}};
  static std::uint64_t addresses[2] = {};
  static const KernelVariable variables[] = {{"zeros", 4, nullptr}, {"seven", 4, kSeven.data()}};
  KernelImage image = afterlife_kernels_conformance;
  image.variable_count = 2;
  image.variables = variables;
  image.variable_addresses = addresses;
  return image;
}

TEST_F(CudaRefusals, VariablesStartWithTheirInitializers) {
  run([] {
    const KernelImage image = image_with_variables();
    CUmodule module = nullptr;
    CUDA_OK(cuModuleLoadData(&module, &image));
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    CUDA_OK(cuModuleGetGlobal_v2(&address, &bytes, module, "zeros"));
    EXPECT_EQ(read_int(address), 0);
    CUDA_OK(cuModuleGetGlobal_v2(&address, &bytes, module, "seven"));
    EXPECT_EQ(read_int(address), 7);
    EXPECT_EQ(cuModuleLoad(&module, "/nothing/is/here"), CUDA_ERROR_FILE_NOT_FOUND);
  });
  expect_no_fault();
}

CUlibrary load_library(const KernelImage& image) {
  CUlibrary library = nullptr;
  EXPECT_EQ(cuLibraryLoadData(&library, &image, nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  return library;
}

TEST_F(CudaRefusals, VariablesEndWithTheirLibraryAndAreNotManagedByDefault) {
  run([] {
    const KernelImage image = image_with_variables();
    CUlibrary library = load_library(image);
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    CUDA_OK(cuLibraryGetGlobal(&address, &bytes, library, "seven"));
    EXPECT_EQ(cuLibraryGetManaged(&address, &bytes, library, "seven"), CUDA_ERROR_NOT_FOUND);
    CUDA_OK(cuLibraryUnload(library));
    EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, address), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cuLibraryLoadData(&library, &image, nullptr, nullptr, 0, nullptr, nullptr, 1),
              kInvalid);
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, AKernelEndsWithItsLibrary) {
  run([] {
    CUlibrary library = load_library(afterlife_kernels_conformance);
    CUkernel kernel = nullptr;
    CUDA_OK(cuLibraryGetKernel(&kernel, library, "add_one"));
    CUDA_OK(cuLibraryUnload(library));
    const char* name = nullptr;
    EXPECT_EQ(cuKernelGetName(&name, kernel), CUDA_ERROR_INVALID_HANDLE);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

// ---- launches ---------------------------------------------------------------------------------

TEST_F(CudaRefusals, ALaunchNeedsAllParametersAndAValidBlock) {
  run([] {
    const CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    int count = 1;
    void* values[] = {&address, &count};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1024, 2, 1, 0, nullptr, values, nullptr), kInvalid);
    void* missing[] = {&address, nullptr};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, missing, nullptr), kInvalid);
    CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, 1};
    EXPECT_EQ(cuLaunchKernelEx(&config, function, values, nullptr), kInvalid);
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
    attribute.value.memSyncDomainMap.remote = 1;
    config.attrs = &attribute;
    EXPECT_EQ(cuLaunchKernelEx(&config, function, values, nullptr), kInvalid);
    EXPECT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
              kInvalid);
  });
  expect_no_fault();
}

/// So many bytes that the number of blocks is the same share of the multiprocessor.
std::size_t shared_of(int block_size) { return static_cast<std::size_t>(block_size) * 768; }

TEST_F(CudaRefusals, OccupancyCountsBlocksThatFit) {
  run([] {
    const CUfunction function = add_one();
    int count = -1;
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, 2048, 0));
    EXPECT_EQ(count, 0);
    int grid_size = 0;
    int block_size = 0;
    CUDA_OK(cuOccupancyMaxPotentialBlockSize(&grid_size, &block_size, function, shared_of, 0, 64));
    EXPECT_EQ(block_size, 64);
    std::size_t bytes = 99;
    CUDA_OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1000, 32));
    EXPECT_EQ(bytes, 0u);
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {1, 1, 2};
    const CUlaunchConfig config{2, 2, 2, 1, 1, 1, 0, nullptr, &attribute, 1};
    EXPECT_EQ(cuOccupancyMaxActiveClusters(&count, function, &config),
              CUDA_ERROR_INVALID_CLUSTER_SIZE);
  });
  expect_no_fault();
}

// ---- memory -----------------------------------------------------------------------------------

TEST_F(CudaRefusals, APitchThatOverflowsIsOutOfMemory) {
  run([] {
    CUdeviceptr address = 0;
    std::size_t pitch = 0;
    EXPECT_EQ(cuMemAllocPitch_v2(&address, &pitch, std::size_t{1} << 34, std::size_t{1} << 30, 4),
              CUDA_ERROR_OUT_OF_MEMORY);
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, MemoryIsFreedOnlyByItsProcess) {
  run([this] {
    const CUdeviceptr address = allocate(64);
    const AsImporter other(stage.world);
    EXPECT_EQ(cuMemFree_v2(address), kInvalid);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaRefusals, ARegistrationIsEndedOnlyByItsProcess) {
  alignas(4096) static std::array<int, 1024> page;
  run([this] {
    CUDA_OK(cuMemHostRegister_v2(page.data(), sizeof page, 0));
    {
      const AsImporter other(stage.world);
      EXPECT_EQ(cuMemHostUnregister(page.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    }
    CUDA_OK(cuMemHostUnregister(page.data()));
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, AttributesOfUnknownMemoryAreNull) {
  run([] {
    int stack = 0;
    unsigned type = 9;
    int device = 9;
    std::size_t bytes = 9;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                    CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* data[] = {&type, &device, &bytes};
    CUDA_OK(cuPointerGetAttributes(3, wanted, data, reinterpret_cast<CUdeviceptr>(&stack)));
    EXPECT_EQ(type, 0u);
    EXPECT_EQ(device, CU_DEVICE_INVALID);
    EXPECT_EQ(bytes, 9u) << "as it was";
    bool is_exported = true;
    CUDA_OK(cuPointerGetAttribute(&is_exported, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                  allocate_async(64)));
    EXPECT_FALSE(is_exported);
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, MappingsNeedAlignmentAndAnExistingNumaNode) {
  run([] {
    const CUdeviceptr address = virtual_memory::reserve(2 * virtual_memory::kUnit);
    EXPECT_EQ(cuMemMap(address + 4096, virtual_memory::kUnit, 0, virtual_memory::create(), 0),
              kInvalid);
    CUdeviceptr managed = 0;
    CUDA_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    const CUmemLocation second{.type = CU_MEM_LOCATION_TYPE_HOST_NUMA, .id = 1};
    EXPECT_EQ(cuMemPrefetchAsync_v2(managed, 64, second, 0, nullptr), kInvalid);
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, AMappingIsOpenedLazily) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const AsImporter other(stage.world);
    CUdeviceptr address = 0;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, handle, 0), kInvalid);
  });
  expect_no_fault();
}

// ---- events and memory operations -------------------------------------------------------------

TEST_F(CudaRefusals, UnknownFlagsOfEventsAndBarriersAreRefused) {
  run([] {
    CUevent event = nullptr;
    EXPECT_EQ(cuEventCreate(&event, 0x100), kInvalid);
    CUstreamBatchMemOpParams operation{};
    operation.memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    operation.memoryBarrier.flags = 9;
    EXPECT_EQ(cuStreamBatchMemOp_v2(nullptr, 1, &operation, 0), kInvalid);
    operation = {};
    operation.flushRemoteWrites.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    EXPECT_EQ(cuStreamBatchMemOp_v2(nullptr, 1, &operation, 0), CUDA_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

// ---- arrays and textures ----------------------------------------------------------------------

CUresult try_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling,
                     const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
  CUtexObject texture = 0;
  return cuTexObjectCreate(&texture, &resource, &sampling, view);
}

TEST_F(CudaRefusals, AnInvalidFilterOrViewOfATextureIsRefused) {
  run([] {
    CUDA_TEXTURE_DESC sampling = clamped();
    sampling.mipmapFilterMode = static_cast<CUfilter_mode>(9);
    const CUDA_RESOURCE_DESC array = resource_of(make_array(4, 4));
    EXPECT_EQ(try_texture(array, sampling), kInvalid);
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    view.width = view.height = 4;
    EXPECT_EQ(try_texture(array, clamped(), &view), CUDA_ERROR_NOT_SUPPORTED);
    view.format = CU_RES_VIEW_FORMAT_NONE;
    view.width = 16;
    view.height = 0;
    EXPECT_EQ(try_texture(linear_resource(allocate(64), 64), clamped(), &view), kInvalid);
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, AViewOfCubemapsHasWholeCubes) {
  run([] {
    const CUDA_RESOURCE_DESC cubes = resource_of(make_array(
        4, 4, 12, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP));
    CUDA_RESOURCE_VIEW_DESC view{};
    view.width = view.height = 4;
    view.depth = 12;
    view.lastLayer = 6;
    EXPECT_EQ(try_texture(cubes, clamped(), &view), kInvalid);
    view.lastLayer = 5;
    EXPECT_EQ(try_texture(cubes, clamped(), &view), CUDA_SUCCESS);
  });
  expect_no_fault();
}

TEST_F(CudaRefusals, ASparseArrayIsUnsupported) {
  run([] {
    const CUDA_ARRAY3D_DESCRIPTOR wanted{
        4, 4, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SPARSE};
    CUarray array = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&array, &wanted), CUDA_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

}  // namespace
}  // namespace harness::testing
