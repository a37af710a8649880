// SPDX-License-Identifier: Apache-2.0
// Older versions of entry points, which a program built for an older CUDA requests from
// cuGetProcAddress by version.
#include "harness/devices/tests/graphs/graph_stage.h"
#include "harness/driver/cuda/older_forms.h"

namespace harness::testing {
namespace {

class CudaOlderForms : public OnEveryDevice {};

/// The form of a function that a version has.
template <class Function>
Function* find(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  void* found = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2(name, &found, version, flags, nullptr), CUDA_SUCCESS);
  EXPECT_NE(found, nullptr) << name << " of " << version;
  return reinterpret_cast<Function*>(found);
}

using KernelParams = CUDA_KERNEL_NODE_PARAMS_v1;

KernelParams older_params(CUfunction function, void** values) {
  return {function, 1, 1, 1, 1, 1, 1, 0, values, nullptr};
}

// ---- contexts, events, memory -------------------------------------------------------------------

TEST_P(CudaOlderForms, TheFirstVersionCreatesAContext) {
  run([] {
    const auto create = find<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate", 2000);
    CUcontext made = nullptr;
    CUDA_OK(create(&made, 0, 0));
    EXPECT_EQ(current_context(), made);
    EXPECT_EQ(create(&made, 0xf000, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuCtxDestroy_v2(made));
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, TheFirstVersionReportsElapsedTime) {
  run([] {
    const auto elapsed = find<CUresult(float*, CUevent, CUevent)>("cuEventElapsedTime", 2000);
    CUevent start = make_event();
    CUevent end = make_event();
    float milliseconds = -1;
    EXPECT_NE(elapsed(&milliseconds, start, end), CUDA_SUCCESS) << "never recorded";
    CUDA_OK(cuEventRecord(start, nullptr));
    CUDA_OK(cuEventRecord(end, nullptr));
    CUDA_OK(cuEventSynchronize(end));
    CUDA_OK(elapsed(&milliseconds, start, end));
    EXPECT_GE(milliseconds, 0);
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, SizesOf32BitsAreAccepted) {
  run([] {
    const auto create =
        find<CUresult(CUarray*, const harness::older::ArrayDescriptor*)>("cuArrayCreate", 2000);
    const auto get =
        find<CUresult(harness::older::ArrayDescriptor*, CUarray)>("cuArrayGetDescriptor", 2000);
    const auto fill =
        find<CUresult(CUarray, unsigned, const void*, unsigned)>("cuMemcpyHtoA", 2000);
    const auto read = find<CUresult(void*, CUarray, unsigned, unsigned)>("cuMemcpyAtoH", 2000);
    const auto allocate_host = find<CUresult(void**, unsigned)>("cuMemAllocHost", 2000);
    const harness::older::ArrayDescriptor wanted{8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    harness::older::ArrayDescriptor found{};
    CUarray array = nullptr;
    CUDA_OK(create(&array, &wanted));
    EXPECT_EQ(create(&array, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(get(&found, array));
    EXPECT_EQ(found.Width, 8U);
    EXPECT_EQ(found.Height, 0U);
    EXPECT_EQ(found.NumChannels, 1U);
    void* host = nullptr;
    CUDA_OK(allocate_host(&host, 16));
    static_cast<int*>(host)[1] = 5;
    int value = 0;
    CUDA_OK(fill(array, 8, host, 8));
    CUDA_OK(read(&value, array, 12, 4));
    EXPECT_EQ(value, 5);
    CUDA_OK(cuMemFreeHost(host));
    CUDA_OK(cuArrayDestroy(array));
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, AnArrayHasThreeDimensions) {
  run([] {
    using Descriptor = harness::older::Array3dDescriptor;
    const auto create = find<CUresult(CUarray*, const Descriptor*)>("cuArray3DCreate", 2000);
    const auto get = find<CUresult(Descriptor*, CUarray)>("cuArray3DGetDescriptor", 2000);
    const Descriptor wanted{8, 4, 2, CU_AD_FORMAT_FLOAT, 2, 0};
    Descriptor found{};
    CUarray array = nullptr;
    CUDA_OK(create(&array, &wanted));
    CUDA_OK(get(&found, array));
    EXPECT_EQ(found.Depth, 2U);
    EXPECT_EQ(found.Format, CU_AD_FORMAT_FLOAT);
    EXPECT_EQ(found.NumChannels, 2U);
    CUDA_OK(cuArrayDestroy(array));
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, ADeviceOrdinalIsALocationForManagedMemory) {
  run([] {
    const auto prefetch =
        find<CUresult(CUdeviceptr, size_t, CUdevice, CUstream)>("cuMemPrefetchAsync", 8000);
    const auto advise =
        find<CUresult(CUdeviceptr, size_t, CUmem_advise, CUdevice)>("cuMemAdvise", 8000);
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
    CUDA_OK(prefetch(address, 4096, 0, nullptr));
    CUDA_OK(prefetch(address, 4096, CU_DEVICE_CPU, nullptr));
    EXPECT_EQ(prefetch(address, 4096, 99, nullptr), CUDA_ERROR_INVALID_DEVICE);
    CUDA_OK(advise(address, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    EXPECT_EQ(advise(address, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 99), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, AKernelIsLaunchedCooperatively) {
  run([this] {
    using Launch = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, CUstream, void**);
    const auto launch_it = find<Launch>("cuLaunchCooperativeKernel", 9000);
    CUfunction function = get_kernel(image(), "add_one");
    CUdeviceptr address = allocate(64);
    write_int(address, 1);
    int count = 1;
    void* values[] = {&address, &count};
    CUDA_OK(launch_it(function, 1, 1, 1, 1, 1, 1, 0, nullptr, values));
    EXPECT_EQ(read_int(address), 2);
    EXPECT_EQ(launch_it(function, 1 << 12, 1, 1, 1024, 1, 1, 0, nullptr, values),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

// ---- graphs -------------------------------------------------------------------------------------

using Instantiate = CUresult(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t);

TEST_P(CudaOlderForms, AGraphIsMadeAndLaunched) {
  run([this] {
    using Add = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, size_t, const KernelParams*);
    using Connect = CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*, size_t);
    const auto add = find<Add>("cuGraphAddKernelNode", 10000);
    const auto connect = find<Connect>("cuGraphAddDependencies", 10000);
    const auto disconnect = find<Connect>("cuGraphRemoveDependencies", 10000);
    const auto edges =
        find<CUresult(CUgraph, CUgraphNode*, CUgraphNode*, size_t*)>("cuGraphGetEdges", 10000);
    CUfunction function = get_kernel(image(), "add_one");
    CUdeviceptr address = allocate(64);
    write_int(address, 1);
    int count = 1;
    void* values[] = {&address, &count};
    const KernelParams params = older_params(function, values);
    CUgraph graph = make_graph();
    CUgraphNode first = nullptr;
    CUgraphNode second = nullptr;
    CUDA_OK(add(&first, graph, nullptr, 0, &params));
    CUDA_OK(add(&second, graph, &first, 1, &params));
    EXPECT_EQ(add(&second, graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(disconnect(graph, &first, &second, 1));
    CUDA_OK(connect(graph, &first, &second, 1));
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    std::size_t edge_count = 1;
    CUDA_OK(edges(graph, &from, &to, &edge_count));
    EXPECT_EQ(edge_count, 1U);
    EXPECT_EQ(from, first);
    EXPECT_EQ(to, second);
    for (const int version : {10000, 11000, 11080}) {
      char log[8] = "unread";
      CUgraphNode culprit = first;
      CUgraphExec exec = nullptr;
      CUDA_OK(find<Instantiate>("cuGraphInstantiate", version)(&exec, graph, &culprit, log,
                                                               sizeof log));
      EXPECT_EQ(culprit, nullptr);
      EXPECT_STREQ(log, "");
      CUDA_OK(cuGraphLaunch(exec, nullptr));
      CUDA_OK(cuGraphExecDestroy(exec));
    }
    EXPECT_EQ(read_int(address), 7);
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, ACycleIsReportedByItsNode) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph, {first});
    CUDA_OK(cuGraphAddDependencies_v2(graph, &second, &first, nullptr, 1));
    CUgraphNode culprit = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(find<Instantiate>("cuGraphInstantiate", 11000)(&exec, graph, &culprit, nullptr, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_TRUE(culprit == first || culprit == second);
  });
}

TEST_P(CudaOlderForms, NodesAreQueriedAndConnected) {
  run([] {
    using Ask = CUresult(CUgraphNode, CUgraphNode*, size_t*);
    using Add = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, size_t, CUgraphNodeParams*);
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = nullptr;
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUDA_OK(find<Add>("cuGraphAddNode", 12020)(&second, graph, &first, 1, &params));
    CUgraphNode found = nullptr;
    std::size_t count = 1;
    CUDA_OK(find<Ask>("cuGraphNodeGetDependencies", 10000)(second, &found, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(found, first);
    CUDA_OK(find<Ask>("cuGraphNodeGetDependentNodes", 10000)(first, &found, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(found, second);
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, ParametersOfKernelNodesAreChanged) {
  run([this] {
    const auto get =
        find<CUresult(CUgraphNode, KernelParams*)>("cuGraphKernelNodeGetParams", 10000);
    const auto set =
        find<CUresult(CUgraphNode, const KernelParams*)>("cuGraphKernelNodeSetParams", 10000);
    const auto set_exec = find<CUresult(CUgraphExec, CUgraphNode, const KernelParams*)>(
        "cuGraphExecKernelNodeSetParams", 10010);
    CUfunction function = get_kernel(image(), "add_one");
    CUdeviceptr address = allocate(64);
    CUdeviceptr other = allocate(64);
    write_int(address, 1);
    write_int(other, 1);
    CUgraph graph = make_graph();
    CUgraphNode node = add_kernel(graph, function, address);
    KernelParams found{};
    CUDA_OK(get(node, &found));
    EXPECT_EQ(found.func, function);
    EXPECT_EQ(found.gridDimX, 1U);
    EXPECT_EQ(get(node, nullptr), CUDA_ERROR_INVALID_VALUE);
    int count = 1;
    void* values[] = {&other, &count};
    const KernelParams params = older_params(function, values);
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_OK(set_exec(exec, node, &params));
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(read_int(address), 1);
    EXPECT_EQ(read_int(other), 2);
    CUDA_OK(set(node, &params));
    EXPECT_EQ(set(node, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(read_int(other), 3);
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, AnUpdateReportsItsResult) {
  run([] {
    using Update = CUresult(CUgraphExec, CUgraph, CUgraphNode*, CUgraphExecUpdateResult*);
    const auto update = find<Update>("cuGraphExecUpdate", 10020);
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode node = add_set(graph, address, 1);
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    const CUDA_MEMSET_NODE_PARAMS params = set_params(address, 7);
    CUDA_OK(cuGraphMemsetNodeSetParams(node, &params));
    CUgraphNode culprit = node;
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_ERROR;
    CUDA_OK(update(exec, graph, &culprit, &result));
    EXPECT_EQ(culprit, nullptr);
    EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(read_int(address), 7);
    CUgraph another = make_graph();
    CUgraphNode empty = add_empty(another);
    EXPECT_EQ(update(exec, another, &culprit, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    EXPECT_EQ(culprit, empty);
    EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    const CUDA_MEMSET_NODE_PARAMS later = set_params(address, 9);
    CUDA_OK(cuGraphMemsetNodeSetParams(node, &later));
    CUDA_OK(update(exec, graph, nullptr, nullptr)) << "no one wants to know";
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(read_int(address), 9);
    EXPECT_EQ(update(exec, another, nullptr, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  });
  expect_no_fault();
}

// ---- captures -----------------------------------------------------------------------------------

TEST_P(CudaOlderForms, ACaptureIsQueriedAndChanged) {
  run([] {
    using First = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*);
    using Second = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*,
                            const CUgraphNode**, size_t*);
    using Change = CUresult(CUstream, CUgraphNode*, size_t, unsigned);
    const auto first = find<First>("cuStreamGetCaptureInfo", 10010);
    const auto second = find<Second>("cuStreamGetCaptureInfo", 11030);
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUDA_OK(cuMemsetD32Async(address, 1, 1, stream));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    cuuint64_t same = 0;
    CUgraph graph = nullptr;
    const CUgraphNode* nodes = nullptr;
    std::size_t count = 0;
    CUDA_OK(first(stream, &status, &id));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CUDA_OK(second(stream, &status, &same, &graph, &nodes, &count));
    EXPECT_EQ(id, same);
    EXPECT_EQ(count, 1U);
    CUgraphNode none = nullptr;
    CUDA_OK(find<Change>("cuStreamUpdateCaptureDependencies", 11030)(
        stream, &none, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    CUDA_OK(second(stream, &status, nullptr, nullptr, &nodes, &count));
    EXPECT_EQ(count, 0U);
    CUDA_OK(cuStreamEndCapture(stream, &graph));
  });
  expect_no_fault();
}

TEST_P(CudaOlderForms, PerThreadStreamVersionsExist) {
  constexpr auto kTwin = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  for (const int version : {10010, 11030})
    EXPECT_NE(find<void()>("cuStreamGetCaptureInfo", version, kTwin),
              find<void()>("cuStreamGetCaptureInfo", version));
  EXPECT_NE(find<void()>("cuMemPrefetchAsync", 8000, kTwin),
            find<void()>("cuMemPrefetchAsync", 8000));
  run([] {
    using First = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*);
    CUDA_OK(cuStreamBeginCapture_v2(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUDA_OK(find<First>("cuStreamGetCaptureInfo", 10010, kTwin)(nullptr, &status, nullptr));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CUgraph graph = nullptr;
    CUDA_OK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
  });
}

INSTANTIATE_ON_EVERY_DEVICE(CudaOlderForms);

}  // namespace
}  // namespace harness::testing
