// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces that were destroyed, or whose memory was freed, before a kernel reads them;
// and unordered uses. On the simulated driver, which reports these faults.
#include "harness/device_code/kernel_image.h"
#include "harness/devices/tests/arrays/array_stage.h"
#include "harness/driver/cuda/leeway.h"

// Functions of the simulated driver that modules in PTX call.
extern "C" {
void afterlife_store_texel(const harness::KernelSurfaceAccess* asked,
                           const std::uint32_t* channels);
void afterlife_reduce_surface(const harness::KernelSurfaceAccess* asked, harness::AtomicOp op,
                              std::uint64_t value);
}

namespace harness::testing {
namespace {

/// An access to the third texel of the first row.
KernelSurfaceAccess third_texel(void* const* parameters) {
  KernelSurfaceAccess access{};
  access.surface = *static_cast<const std::uint64_t*>(parameters[0]);
  access.dimensions = 2;
  access.bytes = 4;
  access.boundary = KernelBoundary::trap;
  access.coordinates[0] = 2;
  access.is_by_texel = 1;
  return access;
}
void reduce(void* const* parameters) {
  const KernelSurfaceAccess access = third_texel(parameters);
  afterlife_reduce_surface(&access, AtomicOp::add, 1);
}
void store(void* const* parameters) {
  const KernelSurfaceAccess access = third_texel(parameters);
  const std::uint32_t channel = 7;
  afterlife_store_texel(&access, &channel);
}

/// Kernels that do what PTX alone can ask for.
constexpr KernelParameter kSurface{0, 8};
constexpr KernelEntry kEntries[] = {{"reduce", reduce, &kSurface, 1, 8},
                                    {"store", store, &kSurface, 1, 8}};
constexpr KernelImage kReductions{kKernelImageMagic, "texture_life", kEntries, 2};

class CudaTextureLife : public UnderStrategy {
 protected:
  /// Launches a kernel that reads a texel by a texture.
  static void fetch(CUtexObject texture, CUstream stream = nullptr) {
    CUdeviceptr out = allocate(4);
    EXPECT_EQ(launch(get_kernel(&afterlife_kernels_conformance, "fetch_texels"), 1, 1, stream,
                     {&texture, &out}),
              CUDA_SUCCESS);
  }
  static CUsurfObject surface_of_ints(CUarray* array = nullptr) {
    const CUarray made =
        make_array(4, 2, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST);
    if (array != nullptr) *array = made;
    return make_surface(made);
  }
  static void add_one(CUsurfObject surface, CUstream stream = nullptr, unsigned rows = 2) {
    EXPECT_EQ(launch(get_kernel(&afterlife_kernels_conformance, "add_one_to_surface"), rows, 4,
                     stream, {&surface}),
              CUDA_SUCCESS);
  }
  void expect(std::string_view kind, std::string_view object, std::string_view use) const {
    ASSERT_EQ(stage.fault(), kind);
    EXPECT_EQ(stage.faults.front().object_kind.view(), object);
    EXPECT_EQ(stage.faults.front().use_site.view(), use);
  }
};

TEST_F(CudaTextureLife, ATextureOfADestroyedArrayIsAUseAfterFree) {
  run(Plain(), [] {
    const CUarray array = make_array(4);
    const CUtexObject texture = make_texture(resource_of(array));
    CUDA_OK(cuArrayDestroy(array));
    fetch(texture);
  });
  expect("use_after_free", "CUDA array", "fetch_texels");
  if (HasFatalFailure()) return;
  EXPECT_EQ(stage.faults.front().death_site.view(), "cuArrayDestroy");
}

TEST_F(CudaTextureLife, ADestroyedTextureIsAUseAfterFree) {
  run(Plain(), [] {
    const CUtexObject texture = make_texture(resource_of(make_array(4)));
    CUDA_OK(cuTexObjectDestroy(texture));
    fetch(texture);
  });
  expect("use_after_free", "texture object", "fetch_texels");
}

TEST_F(CudaTextureLife, ADestroyedSurfaceIsAUseAfterFree) {
  run(Plain(), [] {
    const CUsurfObject surface = surface_of_ints();
    CUDA_OK(cuSurfObjectDestroy(surface));
    add_one(surface);
  });
  expect("use_after_free", "surface object", "add_one_to_surface");
}

TEST_F(CudaTextureLife, AHandleThatIsNotATextureIsAWildAccess) {
  run(Plain(), [] { fetch(surface_of_ints()); });
  expect("wild_access", "texture object", "fetch_texels");
}

TEST_F(CudaTextureLife, ATextureOfFreedMemoryIsAUseAfterFree) {
  run(Plain(), [] {
    const CUdeviceptr memory = allocate(64);
    const CUtexObject texture = make_texture(linear_resource(memory, 64));
    CUDA_OK(cuMemFree_v2(memory));
    fetch(texture);
  });
  expect("use_after_free", "device memory", "fetch_texels");
}

TEST_F(CudaTextureLife, ATextureOfAnArrayWithReusedStorageIsARecycledUse) {
  run(Always(Site::reuse, 1), [] {
    const CUarray array = make_array(4);
    const CUtexObject texture = make_texture(resource_of(array));
    CUDA_OK(cuArrayDestroy(array));
    make_array(4);
    fetch(texture);
    CUDA_OK(cuCtxSynchronize());
  });
  expect("recycled_use", "CUDA array", "fetch_texels");
}

TEST_F(CudaTextureLife, TexturesEndWithTheirContext) {
  run(Plain(), [] {
    CUcontext primary = nullptr;
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&primary));
    CUDA_OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
    const CUtexObject texture = make_texture(resource_of(make_array(4)));
    CUDA_OK(cuCtxDestroy_v2(context));
    CUDA_OK(cuCtxSetCurrent(primary));
    fetch(texture);
  });
  expect("use_after_free", "texture object", "fetch_texels");
}

/// A graph's launch, by an array that ended since the capture.
TEST_F(CudaTextureLife, AGraphReadingADestroyedArrayNamesItsCapture) {
  run(Plain(), [] {
    const CUarray array = make_array(4);
    const CUtexObject texture = make_texture(resource_of(array));
    const CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    fetch(texture, stream);
    CUgraph graph = nullptr;
    CUDA_OK(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    CUDA_OK(cuArrayDestroy(array));
    cuGraphLaunch(exec, stream);
  });
  expect("use_after_free", "CUDA array", "fetch_texels");
  if (HasFatalFailure()) return;
  EXPECT_EQ(stage.faults.front().captured_at.view(), "cuLaunchKernel");
}

// ---- order ------------------------------------------------------------------------------------

/// No document says that cuArrayDestroy waits.
TEST_F(CudaTextureLife, DestructionMayNotWaitForAKernel) {
  run(lagging(), [this] {
    give_leeway(stage.world);
    const CUarray array = make_array(4);
    fetch(make_texture(resource_of(array)), make_stream());
    CUDA_OK(cuArrayDestroy(array));
    cuCtxSynchronize();
    ADD_FAILURE() << "went on after touching a dead array";
  });
  EXPECT_EQ(ending, Ending::fatal);
  expect("use_after_free", "CUDA array", "fetch_texels");
}

TEST_F(CudaTextureLife, ADestructionUnorderedWithAKernelIsADataRace) {
  struct OnceArmed : Strategy {
    explicit OnceArmed(const bool& is_armed) : armed(is_armed) {}
    std::uint32_t answer(const Question& question) override {
      return armed && question.site == Site::lag;
    }
    const bool& armed;
  };
  stage.judge_order();
  bool armed = false;
  run(OnceArmed(armed), [&] {
    const CUarray array = make_array(4);
    fetch(make_texture(resource_of(array)), make_stream());  // Done at once, as it happens.
    give_leeway(stage.world);
    armed = true;
    CUDA_OK(cuArrayDestroy(array));
  });
  EXPECT_EQ(ending, Ending::finished);
  expect("data_race", "CUDA array", "fetch_texels");
}

TEST_F(CudaTextureLife, AnUnorderedReadAndWriteOfTheSameTexelRace) {
  stage.judge_order();
  run(Plain(), [] {
    CUarray array = nullptr;
    const CUsurfObject surface = surface_of_ints(&array);
    add_one(surface, make_stream());
    fetch(make_texture(resource_of(array)), make_stream());
    cuCtxSynchronize();
  });
  ASSERT_EQ(stage.fault(), "data_race");
  EXPECT_EQ(stage.faults.front().object_kind.view(), "bytes of device memory");
}

/// A place in the middle of a texel, of whose neighbours another stream writes one.
TEST_F(CudaTextureLife, ATexelOfWeightZeroIsNotRead) {
  stage.judge_order();
  run(Plain(), [] {
    const CUarray array = make_array(4, 2, 0, CU_AD_FORMAT_FLOAT);
    CUtexObject texture = make_texture(resource_of(array), clamped(CU_TR_FILTER_MODE_LINEAR));
    CUdeviceptr places = allocate(8);
    CUdeviceptr out = allocate(4);
    const float place[] = {1.25F, 0.5F};
    const float row[] = {1, 2, 3, 4};
    CUDA_OK(cuMemcpyHtoD_v2(places, place, sizeof place));
    CUDA_OK(cuCtxSynchronize());
    CUDA_MEMCPY2D copy = rows_to_array(row, array, 4, 1);
    copy.dstY = 1;
    CUDA_OK(cuMemcpy2DAsync_v2(&copy, make_stream()));
    CUDA_OK(launch(get_kernel(&afterlife_kernels_conformance, "fetch_places"), 1, 1, make_stream(),
                   {&texture, &places, &out}));
    cuCtxSynchronize();
  });
  expect_finished();
}

TEST_F(CudaTextureLife, BlocksThatWriteDifferentRowsDoNotRace) {
  stage.judge_order();
  run(Plain(), [] {
    make_stream();  // With one line alone nothing is noted.
    add_one(surface_of_ints(), make_stream());
    cuCtxSynchronize();
  });
  expect_finished();
}

TEST_F(CudaTextureLife, BlocksThatReduceTheSameTexelDoNotRace) {
  stage.judge_order();
  run(Plain(), [] {
    CUarray array = nullptr;
    CUsurfObject surface = surface_of_ints(&array);
    fill_array(array, std::vector<int>(8), 4);
    CUDA_OK(cuCtxSynchronize());
    const CUstream stream = make_stream();
    CUDA_OK(launch(get_kernel(&kReductions, "reduce"), 5, 1, stream, {&surface}));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(values_in<int>(array, 4, 2), (std::vector<int>{0, 0, 5, 0, 0, 0, 0, 0}));
  });
  expect_finished();
}

TEST_F(CudaTextureLife, BlocksThatStoreTheSameTexelRace) {
  stage.judge_order();
  run(Plain(), [] {
    make_stream();
    CUsurfObject surface = surface_of_ints();
    CUDA_OK(launch(get_kernel(&kReductions, "store"), 5, 1, make_stream(), {&surface}));
    cuCtxSynchronize();
  });
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(CudaTextureLife, AnAccessOutsideASurfaceIsATrap) {
  run(Plain(), [] { add_one(surface_of_ints(), nullptr, 3); });
  ASSERT_EQ(stage.fault(), "crash");
  EXPECT_EQ(stage.faults.front().object_kind.view(), "trap");
  EXPECT_EQ(stage.faults.front().detail, "outside of the surface");
}

}  // namespace
}  // namespace harness::testing
