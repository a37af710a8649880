// SPDX-License-Identifier: Apache-2.0
// The functions of CUDA 12 that CUDA 13 has not, or has with another interface. A structure stands
// before bytes that nothing may write: those of CUDA 13 are larger.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstring>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

#include "harness/client/inside/libcudart/cuda12/functions.h"

// Some of the functions are deprecated, and called nevertheless.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace harness::testing {
namespace {

using cudart::cuda12::DeviceProperties;
using cudart::cuda12::PointerAttributes;
using cudart::cuda12::Resource;
using cudart::cuda12::ResourceView;
using ::testing::Each;

/// A structure that a function fills, and what comes after it in a program's memory.
template <class Structure>
class Guarded {
 public:
  Guarded() { std::memset(static_cast<void*>(this), kFill, sizeof *this); }
  Structure* get() { return &structure_; }
  Structure* operator->() { return &structure_; }
  void expect_untouched_after() const { EXPECT_THAT(after_, Each(kFill)); }

 private:
  static constexpr unsigned char kFill = 0xa5;
  Structure structure_;
  std::array<unsigned char, 256> after_;
};

class Runtime12 : public Runtime {
 protected:
  static constexpr cudaChannelFormatDesc kInts{32, 0, 0, 0, cudaChannelFormatKindSigned};

  /// Returns an array of two rows of four integers, which surfaces may write.
  static cudaArray_t array() {
    cudaArray_t made = nullptr;
    EXPECT_OK(cudaMallocArray(&made, &kInts, 4, 2, cudaArraySurfaceLoadStore));
    return made;
  }
  static Resource resource(cudaArray_t array) {
    Resource made{};
    made.resType = cudaResourceTypeArray;
    made.res.array.array = array;
    return made;
  }
};

// ---- the library --------------------------------------------------------------------------------

struct Row {
  std::string name;
  std::string status;
  std::string twin;
  std::string test;
};

/// Returns the rows of both tables, by the names of CUDA 12.
std::vector<Row> rows() {
  std::vector<Row> all = {
#define CUDART_ROW(name, status, twin, group, test) {#name, #status, #twin, #test},
#include "harness/client/inside/libcudart/cuda12/interface.def"
  };
  return all;
}

TEST_F(Runtime12, TheLibraryHasEveryFunctionAndTwin) {
  EXPECT_GT(rows().size(), 25U);
  for (const Row& row : rows()) {
    EXPECT_NE(dlvsym(RTLD_DEFAULT, row.name.c_str(), "libcudart.so.12"), nullptr) << row.name;
    if (row.twin != "none")
      EXPECT_NE(dlsym(RTLD_DEFAULT, (row.name + "_" + row.twin).c_str()), nullptr) << row.name;
  }
}

TEST_F(Runtime12, SharedFunctionsHaveTheirNumbers) {
  for (const char* name :
       {"cudaGraphAddDependencies_v2", "cudaGraphAddNode_v2", "cudaGraphGetEdges_v2",
        "cudaGraphNodeGetDependencies_v2", "cudaGraphNodeGetDependentNodes_v2",
        "cudaGraphRemoveDependencies_v2", "cudaMemAdvise_v2", "cudaMemPrefetchAsync_v2",
        "cudaMemPrefetchAsync_v2_ptsz", "cudaSignalExternalSemaphoresAsync_v2_ptsz",
        "cudaStreamGetCaptureInfo_v3", "cudaStreamGetCaptureInfo_v3_ptsz",
        "cudaStreamUpdateCaptureDependencies_v2", "cudaStreamUpdateCaptureDependencies_v2_ptsz",
        "cudaWaitExternalSemaphoresAsync_v2", "cudaMalloc", "__cudaLaunchKernel"})
    EXPECT_NE(dlvsym(RTLD_DEFAULT, name, "libcudart.so.12"), nullptr) << name;
  for (const char* name : {"cudaLogsCurrent", "cudaMemGetMemPool", "cudaMemPrefetchBatchAsync"})
    EXPECT_EQ(dlsym(RTLD_DEFAULT, name), nullptr) << name << " is of CUDA 13";
}

TEST_F(Runtime12, EachFunctionThatDoesSomethingHasATest) {
  const auto* unit = ::testing::UnitTest::GetInstance();
  std::vector<std::string> tests;
  for (int i = 0; i < unit->total_test_suite_count(); ++i)
    for (int j = 0; j < unit->GetTestSuite(i)->total_test_count(); ++j)
      tests.push_back(std::string(unit->GetTestSuite(i)->name()) + "_" +
                      unit->GetTestSuite(i)->GetTestInfo(j)->name());
  for (const Row& row : rows())
    if (row.status != "unsupported") EXPECT_THAT(tests, ::testing::Contains(row.test)) << row.name;
}

TEST_F(Runtime12, VersionsAreThoseOfTheInterface) {
  int version = 0;
  EXPECT_OK(cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version, 12090);
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
  EXPECT_OK(cudaGetDriverEntryPoint("cuMemGetMemPool", &function, cudaEnableDefault, &found));
  EXPECT_EQ(found, cudaDriverEntryPointVersionNotSufficent);  // It is of CUDA 13.
}

// ---- devices ------------------------------------------------------------------------------------

TEST_F(Runtime12, DevicesHaveProperties) {
  Guarded<DeviceProperties> properties;
  ASSERT_OK(cudaGetDeviceProperties_v2(properties.get(), 0));
  properties.expect_untouched_after();
  EXPECT_EQ(properties->major, 8);
  EXPECT_EQ(properties->maxThreadsDim[2], 64);
  EXPECT_EQ(properties->clockRate, 1410000);
  EXPECT_EQ(properties->deviceOverlap, 1);
  EXPECT_EQ(properties->memoryClockRate, 1215000);
  EXPECT_EQ(properties->singleToDoublePrecisionPerfRatio, 2);
  EXPECT_EQ(properties->maxTexture1DLinear, 1 << 28);
  EXPECT_EQ(properties->computeMode, cudaComputeModeDefault);
  EXPECT_EQ(properties->memoryPoolsSupported, 1);
  expect_error(cudaGetDeviceProperties_v2(properties.get(), 7), cudaErrorInvalidDevice);
  Guarded<std::array<unsigned char, offsetof(DeviceProperties, hostRegisterSupported)>> older;
  auto* const as_properties = reinterpret_cast<DeviceProperties*>(older.get());
  ASSERT_OK(cudaGetDeviceProperties(as_properties, 0));
  older.expect_untouched_after();
  EXPECT_EQ(as_properties->maxThreadsPerBlock, 1024);
  expect_error(cudaGetDeviceProperties(nullptr, 0), cudaErrorInvalidValue);
}

TEST_F(Runtime12, ThreadsAreTheDevice) {
  std::size_t limit = 0;
  EXPECT_OK(cudaThreadSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  EXPECT_OK(cudaThreadGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT_EQ(limit, std::size_t{1} << 20);
  cudaFuncCache cache = cudaFuncCachePreferNone;
  EXPECT_OK(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
  EXPECT_OK(cudaThreadGetCacheConfig(&cache));
  EXPECT_EQ(cache, cudaFuncCachePreferL1);
  int* memory = on_device();
  std::atomic<bool> has_run{false};
  EXPECT_OK(cudaLaunchHostFunc(
      cudaStreamPerThread, [](void* data) { *static_cast<std::atomic<bool>*>(data) = true; },
      &has_run));
  EXPECT_OK(cudaThreadSynchronize());
  EXPECT_TRUE(has_run);
  EXPECT_OK(cudaThreadExit());
  expect_error(cudaFree(memory), cudaErrorInvalidValue);
}

TEST_F(Runtime12, DoublesAreTheSame) {
  double value = 1.5;
  EXPECT_OK(cudaSetDoubleForDevice(&value));
  EXPECT_OK(cudaSetDoubleForHost(&value));
  EXPECT_EQ(value, 1.5);
  expect_error(cudaSetDoubleForDevice(nullptr), cudaErrorInvalidValue);
  expect_error(cudaSetDoubleForHost(nullptr), cudaErrorInvalidValue);
}

TEST_F(Runtime12, EventsTellTimes) {
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaEventCreate(&event));
  ASSERT_OK(cudaEventRecord(event, nullptr));
  ASSERT_OK(cudaEventSynchronize(event));
  float milliseconds = -1;
  EXPECT_OK(cudaEventElapsedTime_v2(&milliseconds, event, event));
  EXPECT_EQ(milliseconds, 0);
  EXPECT_OK(cudaEventDestroy(event));
}

// ---- memory -------------------------------------------------------------------------------------

TEST_F(Runtime12, MemoryThatIsManagedHasADevice) {
  void* memory = nullptr;
  void* other = on_device();
  ASSERT_OK(cudaMallocManaged(&memory, kBytes, cudaMemAttachGlobal));
  for (const int device : {0, cudaCpuDeviceId}) {
    EXPECT_OK(cudaMemAdvise(memory, kBytes, cudaMemAdviseSetPreferredLocation, device));
    EXPECT_OK(cudaMemPrefetchAsync(memory, kBytes, device, nullptr));
    EXPECT_OK(cudaMemPrefetchAsync_ptsz(memory, kBytes, device, nullptr));
  }
  expect_error(cudaMemAdvise(other, kBytes, cudaMemAdviseSetPreferredLocation, 0),
               cudaErrorInvalidValue);
  expect_error(cudaMemPrefetchAsync(memory, kBytes, 7, nullptr), cudaErrorInvalidDevice);
  expect_error(cudaMemPrefetchAsync_ptsz(other, kBytes, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(memory));
  EXPECT_OK(cudaFree(other));
}

TEST_F(Runtime12, BatchesNameTheCopyThatFailed) {
  int* memory = on_device(all(3));
  int* target = on_device();
  const cudaStream_t on = stream();
  void* targets[] = {target, target + 4};
  void* sources[] = {memory, memory + 4};
  std::size_t sizes[] = {16, 16};
  std::size_t first = 0;
  std::size_t failed = 5;
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_OK(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, &first, 1, &failed, on));
  EXPECT_EQ(read(target), all(3));
  EXPECT_OK(cudaMemset(target, 0, kBytes));
  EXPECT_OK(
      cudaMemcpyBatchAsync_ptsz(targets, sources, sizes, 2, &attributes, &first, 1, &failed, on));
  EXPECT_EQ(read(target), all(3));
  EXPECT_EQ(failed, 5U);
  expect_error(
      cudaMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, &first, 0, &failed, on),
      cudaErrorInvalidValue);
  EXPECT_EQ(failed, SIZE_MAX);  // The batch as a whole.
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaFree(memory));
  EXPECT_OK(cudaFree(target));
}

TEST_F(Runtime12, PointersAreToldApart) {
  int* memory = on_device();
  Guarded<PointerAttributes> found;
  ASSERT_OK(cudaPointerGetAttributes(found.get(), memory));
  found.expect_untouched_after();
  EXPECT_EQ(found->type, cudaMemoryTypeDevice);
  EXPECT_EQ(found->devicePointer, memory);
  EXPECT_EQ(found->hostPointer, nullptr);
  EXPECT_EQ(found->device, 0);
  expect_error(cudaPointerGetAttributes(nullptr, memory), cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(memory));
}

// ---- textures and surfaces ----------------------------------------------------------------------

TEST_F(Runtime12, TexturesAreDescribed) {
  const cudaArray_t texels = array();
  const Values from{10, 11, 12, 13, 14, 15, 16, 17};
  ASSERT_OK(cudaMemcpy2DToArray(texels, 0, 0, from.data(), 16, 16, 2, cudaMemcpyHostToDevice));
  const Resource wanted = resource(texels);
  cudaTextureDesc sampling{};
  sampling.normalizedCoords = 1;
  ResourceView as{};
  as.format = cudaResViewFormatUnsignedInt1;
  as.width = 4;
  as.height = 2;
  cudaTextureObject_t texture = 0;
  ASSERT_OK(cudaCreateTextureObject(&texture, &wanted, &sampling, &as));
  Guarded<Resource> found;
  EXPECT_OK(cudaGetTextureObjectResourceDesc(found.get(), texture));
  found.expect_untouched_after();
  EXPECT_EQ(found->res.array.array, texels);
  Guarded<ResourceView> view;
  EXPECT_OK(cudaGetTextureObjectResourceViewDesc(view.get(), texture));
  view.expect_untouched_after();
  EXPECT_EQ(view->width, 4U);
  EXPECT_OK(cudaDestroyTextureObject(texture));
  EXPECT_OK(cudaCreateTextureObject(&texture, &wanted, &sampling, nullptr));
  EXPECT_OK(cudaDestroyTextureObject(texture));
  expect_error(cudaCreateTextureObject(&texture, nullptr, &sampling, nullptr),
               cudaErrorInvalidValue);
  expect_error(cudaGetTextureObjectResourceDesc(nullptr, texture), cudaErrorInvalidValue);
  EXPECT_OK(cudaFreeArray(texels));
}

TEST_F(Runtime12, SurfacesAreDescribed) {
  const cudaArray_t written = array();
  const Resource wanted = resource(written);
  cudaSurfaceObject_t surface = 0;
  ASSERT_OK(cudaCreateSurfaceObject(&surface, &wanted));
  Guarded<Resource> found;
  EXPECT_OK(cudaGetSurfaceObjectResourceDesc(found.get(), surface));
  found.expect_untouched_after();
  EXPECT_EQ(found->res.array.array, written);
  EXPECT_OK(cudaDestroySurfaceObject(surface));
  expect_error(cudaCreateSurfaceObject(&surface, nullptr), cudaErrorInvalidValue);
  EXPECT_OK(cudaFreeArray(written));
}

// ---- graphs -------------------------------------------------------------------------------------

TEST_F(Runtime12, GraphsHaveEdgesWithoutData) {
  cudaGraph_t graph = nullptr;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams empty{};
  empty.type = cudaGraphNodeTypeEmpty;
  std::array<cudaGraphNode_t, 3> nodes{};
  ASSERT_OK(cudaGraphAddNode(&nodes[0], graph, nullptr, 0, &empty));
  ASSERT_OK(cudaGraphAddNode(&nodes[1], graph, nullptr, 0, &empty));
  ASSERT_OK(cudaGraphAddNode(&nodes[2], graph, &nodes[0], 1, &empty));
  std::size_t count = 0;
  EXPECT_OK(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_OK(cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], 1));
  EXPECT_OK(cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[2], 1));
  cudaGraphNode_t found = nullptr;
  EXPECT_OK(cudaGraphNodeGetDependencies(nodes[2], &found, &(count = 1)));
  EXPECT_EQ(found, nodes[1]);
  EXPECT_OK(cudaGraphNodeGetDependentNodes(nodes[1], &(found = nullptr), &(count = 1)));
  EXPECT_EQ(found, nodes[2]);
  EXPECT_OK(cudaGraphNodeGetDependentNodes(nodes[0], nullptr, &(count = 1)));
  EXPECT_EQ(count, 0U);
  EXPECT_OK(cudaGraphDestroy(graph));
}

/// Captures, by the functions of either kind of default stream.
TEST_F(Runtime12, StreamsAreCaptured) {
  int* memory = on_device();
  for (const bool is_twin : {false, true}) {
    const cudaStream_t on = is_twin ? cudaStreamPerThread : stream();
    const cudaStream_t named = is_twin ? nullptr : on;
    ASSERT_OK(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    EXPECT_OK(cudaMemsetAsync(memory, 1, kBytes, on));
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    EXPECT_OK(
        (is_twin ? cudaStreamGetCaptureInfo_ptsz : cudaStreamGetCaptureInfo)(named, &status, &id));
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    EXPECT_NE(id, 0U);
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
    const auto ask = is_twin ? cudaStreamGetCaptureInfo_v2_ptsz : cudaStreamGetCaptureInfo_v2;
    EXPECT_OK(ask(named, &status, nullptr, &graph, &nodes, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_NE(graph, nullptr);
    EXPECT_OK(
        (is_twin ? cudaStreamUpdateCaptureDependencies_ptsz : cudaStreamUpdateCaptureDependencies)(
            named, nullptr, 0, cudaStreamSetCaptureDependencies));
    EXPECT_OK(ask(named, &status, nullptr, &graph, &nodes, &count));
    EXPECT_EQ(count, 0U);
    EXPECT_OK(cudaStreamEndCapture(on, &graph));
    EXPECT_OK(cudaGraphDestroy(graph));
    if (!is_twin) EXPECT_OK(cudaStreamDestroy(on));
  }
  EXPECT_OK(cudaFree(memory));
}

}  // namespace
}  // namespace harness::testing
