// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: the nodes that stream capture creates.
#include "harness/devices/tests/graphs/capture_stage.h"

namespace harness::testing {
namespace {

class CudaCapture : public OnEveryDevice {};

// ---- captured work ----------------------------------------------------------------------------

TEST_P(CudaCapture, WorkBecomesNodesInStreamOrderAndRunsInTheGraph) {
  const void* kernels = image();
  run([kernels] {
    CUfunction function = get_kernel(kernels, "add_one");
    CUdeviceptr address = allocate(64);
    CUdeviceptr copy = allocate(64);
    write_int(address, 1);
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    set(stream, address, 7);
    int count = 1;
    CUDA_OK(launch(function, 1, 1, stream, {&address, &count}));
    CUDA_OK(cuMemcpyDtoDAsync_v2(copy, address, sizeof(int), stream));
    CUDA_OK(cuLaunchHostFunc(stream, [](void*) {}, nullptr));
    CUgraph graph = end_capture(stream);
    EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(node_count(graph), 4u);
    EXPECT_EQ(edge_count(graph), 3u);
    EXPECT_EQ(read_int(address), 1);
    launch_and_wait(instantiate(graph), stream);
    EXPECT_EQ(read_int(copy), 8);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, EventsForkAndJoin) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream origin = capturing();
    CUstream other = make_stream();
    CUevent fork = make_event();
    CUevent join = make_event();
    set(origin, address, 1);
    CUDA_OK(cuEventRecord(fork, origin));
    CUDA_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    set(other, address + 8, 2);
    set(origin, address + 16, 3);
    CUDA_OK(cuEventRecord(join, other));
    CUDA_OK(cuStreamWaitEvent(origin, join, 0));
    set(origin, address + 24, 4);
    CUgraph graph = end_capture(origin);
    EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(node_count(graph), 4u);
    EXPECT_EQ(edge_count(graph), 4u);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, ADependencyIsRecordedOnce) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream origin = capturing();
    CUstream other = make_stream();
    CUevent fork = make_event();
    CUevent join = make_event();
    set(origin, address, 1);
    CUDA_OK(cuEventRecord(fork, origin));
    CUDA_OK(cuStreamWaitEvent(other, fork, 0));
    CUDA_OK(cuStreamWaitEvent(other, fork, 0));
    set(other, address, 2);
    CUDA_OK(cuEventRecord(join, other));
    CUDA_OK(cuStreamWaitEvent(origin, join, 0));
    CUgraph graph = end_capture(origin);
    EXPECT_EQ(edge_count(graph), 1u);
    CUDA_OK(cuGraphLaunch(instantiate(graph), origin));
    CUDA_OK(cuStreamSynchronize(origin));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, ExternalEventsAreNodes) {
  run([] {
    CUevent event = make_event();
    CUstream stream = capturing();
    CUDA_OK(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    CUDA_OK(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    EXPECT_EQ(node_count(end_capture(stream)), 2u);
  });
}

TEST_P(CudaCapture, ACaptureCanFillAnExistingGraph) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode first = nullptr;
    CUDA_OK(cuGraphAddEmptyNode(&first, graph, nullptr, 0));
    CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, kGlobal));
    set(stream, address, 1);
    EXPECT_EQ(end_capture(stream), graph);
    EXPECT_EQ(node_count(graph), 2u);
    EXPECT_EQ(edge_count(graph), 1u);
    EXPECT_EQ(cuStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0, kGlobal),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaCapture, DependenciesOfTheNextNodeCanBeReadAndChanged) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = capturing();
    set(stream, address, 1);
    set(stream, address + 8, 2);
    CUstreamCaptureStatus status{};
    cuuint64_t id = 0;
    CUgraph graph = nullptr;
    const CUgraphNode* nodes = nullptr;
    std::size_t count = 0;
    CUDA_OK(cuStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &nodes, nullptr, &count));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_NE(id, 0u);
    ASSERT_EQ(count, 1u);
    CUgraphNode second = nodes[0];
    CUgraphNode mine = nullptr;
    CUDA_OK(cuGraphAddEmptyNode(&mine, graph, &second, 1));
    CUDA_OK(cuStreamUpdateCaptureDependencies_v2(stream, &mine, nullptr, 1,
                                                 CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    CUDA_OK(cuStreamUpdateCaptureDependencies_v2(stream, &second, nullptr, 1,
                                                 CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    CUDA_OK(cuStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &nodes, nullptr, &count));
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(
        cuStreamGetCaptureInfo_v3(stream, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
        CUDA_ERROR_INVALID_VALUE);
    const CUgraphEdgeData* data = nullptr;
    EXPECT_EQ(cuStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, nullptr, &data, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 0, 99),
              CUDA_ERROR_INVALID_VALUE);
    set(stream, address + 16, 3);
    EXPECT_EQ(end_capture(stream), graph);
    EXPECT_EQ(node_count(graph), 4u);
    EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 0, 0),
              CUDA_ERROR_ILLEGAL_STATE);
  });
}

TEST_P(CudaCapture, MemoryOperationsOfOneCallAreOneNode) {
  run([] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUstream stream = capturing(kRelaxed);
    CUDA_OK(cuStreamWriteValue32_v2(stream, address, 3, 0));
    CUDA_OK(cuStreamWaitValue32_v2(stream, address, 3, CU_STREAM_WAIT_VALUE_GEQ));
    CUstreamBatchMemOpParams operations[2] = {};
    for (unsigned i = 0; i < 2; ++i) {
      operations[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
      operations[i].writeValue.address = address + 4 * i;
      operations[i].writeValue.value = 5 + i;
    }
    CUDA_OK(cuStreamBatchMemOp_v2(stream, 2, operations, 0));
    operations[0].writeValue.address = 0;  // The node has copied them.
    CUgraph graph = end_capture(stream);
    EXPECT_EQ(node_types(graph), NodeTypes(3, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP));
    EXPECT_EQ(read_int(address), 0) << "nothing is done yet";
    launch_and_wait(instantiate(graph), stream);
    EXPECT_EQ(read_int(address), 5);
    EXPECT_EQ(read_int(address + 4), 6);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, AnEmptyBatchOfMemoryOperationsIsANode) {
  run([] {
    CUstream stream = capturing(kRelaxed);
    CUDA_OK(cuStreamBatchMemOp_v2(stream, 0, nullptr, 0));
    CUgraph graph = end_capture(stream);
    EXPECT_EQ(node_types(graph), NodeTypes{CU_GRAPH_NODE_TYPE_BATCH_MEM_OP});
    launch_and_wait(instantiate(graph), stream);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, InvalidMemoryOperationsDoNotChangeTheCapture) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(cuStreamWriteValue32_v2(stream, address + 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamWriteValue32_v2(stream, address, 1, 1U << 30), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(node_count(end_capture(stream)), 0u);
  });
}

TEST_P(CudaCapture, AllocationsAndFreesBelongToTheGraph) {
  const void* kernels = image();
  run([kernels] {
    CUfunction function = get_kernel(kernels, "add_one");
    CUdeviceptr out = allocate(64);
    CUstream stream = capturing(kRelaxed);
    CUdeviceptr inner = 0;
    CUDA_OK(cuMemAllocAsync(&inner, 64, stream));
    set(stream, inner, 7);
    int count = 1;
    CUDA_OK(launch(function, 1, 1, stream, {&inner, &count}));
    CUDA_OK(cuMemcpyDtoDAsync_v2(out, inner, 8, stream));
    CUDA_OK(cuMemFreeAsync(inner, stream));
    CUgraph graph = end_capture(stream);
    EXPECT_EQ(node_types(graph), (NodeTypes{CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEMSET,
                                            CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY,
                                            CU_GRAPH_NODE_TYPE_MEM_FREE}));
    CUgraphExec exec = instantiate(graph);
    for (int i = 0; i < 2; ++i) launch_and_wait(exec, stream);
    EXPECT_EQ(read_int(out), 8);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, AValueInAGraphsMemoryIsCapturedAndNotLaunched) {
  run([] {
    CUstream stream = capturing(kRelaxed);
    CUdeviceptr inner = 0;
    CUDA_OK(cuMemAllocAsync(&inner, 64, stream));
    CUDA_OK(cuStreamWriteValue32_v2(stream, inner + 4, 9, 0));
    CUDA_OK(cuMemFreeAsync(inner, stream));
    CUgraph graph = end_capture(stream);
    EXPECT_EQ(node_types(graph),
              (NodeTypes{CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                         CU_GRAPH_NODE_TYPE_MEM_FREE}));
    EXPECT_EQ(cuGraphLaunch(instantiate(graph), stream), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, AnAllocationHasThePropertiesOfItsPool) {
  run([] {
    CUmemoryPool pool = nullptr;
    CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CUstream stream = capturing(kRelaxed);
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 48, pool, stream));
    EXPECT_EQ(cuMemAllocFromPoolAsync(nullptr, 48, pool, stream), CUDA_ERROR_INVALID_VALUE);
    CUgraph graph = end_capture(stream);
    CUDA_MEM_ALLOC_NODE_PARAMS found{};
    CUDA_OK(cuGraphMemAllocNodeGetParams(nodes_of(graph).at(0), &found));
    EXPECT_EQ(found.dptr, address);
    EXPECT_EQ(found.bytesize, 48u);
    EXPECT_EQ(found.poolProps.allocType, CU_MEM_ALLOCATION_TYPE_PINNED);
    EXPECT_EQ(found.poolProps.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(found.poolProps.location.id, 0);
    launch_and_wait(instantiate(graph), stream);
    write_int(address, 3);
    EXPECT_EQ(read_int(address), 3);
    CUDA_OK(cuMemFreeAsync(address, stream));
  });
  expect_no_fault();
}

TEST_P(CudaCapture, OnlyGraphMemoryIsFreedInACapture) {
  run([] {
    CUdeviceptr pooled = allocate_async(64);
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(cuMemFreeAsync(pooled, stream), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(node_count(end_capture(stream)), 0u);
    write_int(pooled, 1);
    CUDA_OK(cuMemFreeAsync(pooled, nullptr));
  });
  expect_no_fault();
}

TEST_P(CudaCapture, AFreeLostWithItsCaptureStillBlocksTheOwningGraph) {
  run([] {
    CUstream stream = capturing(kRelaxed);
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocAsync(&address, 64, stream));
    CUgraph graph = end_capture(stream);
    CUDA_OK(cuStreamBeginCapture_v2(stream, kRelaxed));
    CUDA_OK(cuMemFreeAsync(address, stream));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, nodes_of(graph).data(), 1, address),
              CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = instantiate(graph);
    for (int i = 0; i < 2; ++i) {
      launch_and_wait(exec, stream);
      CUDA_OK(cuMemFreeAsync(address, stream));
    }
  });
  expect_no_fault();
}

TEST_P(CudaCapture, AnotherCaptureMayFreeAnAllocation) {
  run([] {
    CUstream stream = capturing(kRelaxed);
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocAsync(&address, 64, stream));
    CUgraphExec exec = instantiate(end_capture(stream));
    CUDA_OK(cuStreamBeginCapture_v2(stream, kRelaxed));
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUgraphExec freeing = instantiate(end_capture(stream));
    for (int i = 0; i < 2; ++i) {
      CUDA_OK(cuGraphLaunch(exec, stream));
      launch_and_wait(freeing, stream);
    }
  });
  expect_no_fault();
}

// onnxruntime#32081 saw the same: what an executable would do is no part of a capture.
TEST_P(CudaCapture, LaunchingAGraphIntoACaptureIsRefused) {
  run([] {
    CUstream stream = capturing(kRelaxed);
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocAsync(&address, 64, stream));
    CUgraph with_memory = end_capture(stream);
    CUgraph with_condition = make_graph();
    add_conditional(with_condition, make_handle(with_condition, 1), CU_GRAPH_COND_TYPE_IF);
    CUgraph with_set = make_graph();
    add_set(with_set, allocate(64), 3);
    for (CUgraph graph : {with_memory, with_condition, with_set}) {
      CUgraphExec exec = instantiate(graph);
      CUDA_OK(cuStreamBeginCapture_v2(stream, kRelaxed));
      EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
      expect_lost(stream);
    }
  });
  expect_no_fault();
}

TEST_P(CudaCapture, ACaptureIntoAConditionalBodyRefusesForbiddenNodes) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "driver 580 captures it; cuda.h forbids it";
  run([] {
    CUgraph outer = make_graph();
    CUgraph body = *add_conditional(outer, make_handle(outer, 1), CU_GRAPH_COND_TYPE_IF);
    CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, kRelaxed));
    CUDA_OK(cuMemsetD32Async(allocate(64), 1, 1, stream));
    const auto function = [](void*) {};
    EXPECT_EQ(cuLaunchHostFunc(stream, function, nullptr), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    EXPECT_EQ(node_count(body), 1u);
    CUDA_OK(cuStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, kRelaxed));
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAllocAsync(&address, 64, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaCapture);

TEST(SimCapture, ACaptureAllocatesNoPinnedMemory) {
  CudaStage stage(devices::sim.make());
  stage.run([] {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_HOST;
    CUmemoryPool pool = nullptr;
    CUDA_OK(cuMemPoolCreate(&pool, &properties));
    CUstream stream = capturing();
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 64, pool, stream), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(node_count(end_capture(stream)), 0u);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
