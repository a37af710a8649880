// SPDX-License-Identifier: Apache-2.0
// How graphs run: the order of nodes, and changes while launches are in flight. On the simulated
// driver, with its choices.
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class GraphOrder : public UnderStrategy {};

CUfunction add_one() { return get_kernel(&afterlife_kernels_conformance, "add_one"); }

// ---- order ------------------------------------------------------------------------------------

/// Two nodes that set the same word, and nothing that orders them.
int last_of_two() {
  CUdeviceptr address = allocate(64);
  CUgraph graph = make_graph();
  add_set(graph, address, 1);
  add_set(graph, address, 2);
  launch_and_wait(instantiate(graph));
  return read_int(address);
}

TEST_F(GraphOrder, IndependentNodesRunInAnyOrder) {
  run(Plain(), [] { EXPECT_EQ(last_of_two(), 2); });
  expect_finished();
  run(Always(Site::order, 1), [] { EXPECT_EQ(last_of_two(), 1); });
  expect_finished();
}

TEST_F(GraphOrder, DependentNodesRunInOrder) {
  run(Always(Site::order, 1), [] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_set(graph, address, 2, {add_set(graph, address, 1)});
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_finished();
}

TEST_F(GraphOrder, ALaunchMayLagAndStopBetweenNodes) {
  for (std::uint32_t lag : {1U, 2U, 3U}) {
    run(Always(Site::lag, lag), [lag] {
      CUdeviceptr address = 0;
      CUDA_OK(cuMemAllocManaged(&address, 64, CU_MEM_ATTACH_GLOBAL));
      const volatile int* value = reinterpret_cast<int*>(address);
      CUfunction function = add_one();
      *reinterpret_cast<int*>(address) = 0;
      CUgraph graph = make_graph();
      CUgraphNode node = add_kernel(graph, function, address);
      node = add_kernel(graph, function, address, {node});
      add_kernel(graph, function, address, {node});
      CUDA_OK(cuGraphLaunch(instantiate(graph), nullptr));
      EXPECT_EQ(*value, static_cast<int>(lag) - 1);
      EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
      CUDA_OK(cuStreamSynchronize(nullptr));
      EXPECT_EQ(*value, 3);
    });
    expect_finished();
  }
}

TEST_F(GraphOrder, LaunchesOfOneExecutableAreOrdered) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_kernel(graph, add_one(), address);
    CUgraphExec exec = instantiate(graph);
    CUstream first = make_stream();
    CUstream second = make_stream();
    CUDA_OK(cuGraphLaunch(exec, first));
    CUDA_OK(cuGraphLaunch(exec, second));
    CUDA_OK(cuStreamSynchronize(second));
    EXPECT_EQ(cuStreamQuery(first), CUDA_SUCCESS);
  });
  expect_finished();
}

TEST_F(GraphOrder, AHostNodeDelaysNodesThatDependOnIt) {
  run(Plain(), [] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    int calls = 0;
    CUgraph graph = make_graph();
    CUfunction function = add_one();
    CUgraphNode host = add_host(graph, count_up, &calls);
    add_kernel(graph, function, address, {host});
    add_kernel(graph, function, address);
    CUDA_OK(cuGraphLaunch(instantiate(graph), nullptr));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(read_int(address), 2);
  });
  expect_finished();
}

TEST_F(GraphOrder, AHostNodeMayNotCallCuda) {
  run(Plain(), [] {
    CUresult inside = CUDA_SUCCESS;
    CUgraph graph = make_graph();
    add_host(
        graph, [](void* data) { *static_cast<CUresult*>(data) = cuCtxSynchronize(); }, &inside);
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(inside, CUDA_ERROR_NOT_PERMITTED);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(GraphOrder, WithoutTasksHostNodesRunInTheWaitingCall) {
  Plain plain;
  stage.run_outside(plain, [] {
    CUDA_OK(cuInit(0));
    CUcontext context = nullptr;
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxSetCurrent(context));
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    int calls = 0;
    CUgraph graph = make_graph();
    add_kernel(graph, add_one(), address, {add_host(graph, count_up, &calls)});
    CUDA_OK(cuGraphLaunch(instantiate(graph), nullptr));
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(read_int(address), 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

// ---- events -----------------------------------------------------------------------------------

TEST_F(GraphOrder, AnEventNodeRecordsItsDependenciesOnly) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUfunction function = add_one();
    CUevent event = make_event();
    CUgraph graph = make_graph();
    CUgraphNode record = nullptr;
    CUDA_OK(cuGraphAddEventRecordNode(&record, graph, nullptr, 0, event));
    add_kernel(graph, function, address, {record});
    CUDA_OK(cuGraphLaunch(instantiate(graph), nullptr));
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS) << "it depends on nothing";
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    CUgraph other = make_graph();
    CUgraphNode kernel = add_kernel(other, function, address);
    CUDA_OK(cuGraphAddEventRecordNode(&record, other, &kernel, 1, event));
    CUDA_OK(cuGraphLaunch(instantiate(other), nullptr));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    CUstream stream = make_stream();
    CUDA_OK(cuStreamWaitEvent(stream, event, 0));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
  });
  expect_finished();
}

TEST_F(GraphOrder, AnEventWaitNodeWaitsForWorkElsewhere) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream producer = make_stream();
    CUevent event = make_event();
    keep_busy(producer, address);
    CUDA_OK(cuEventRecord(event, producer));
    CUgraph graph = make_graph();
    CUgraphNode wait = nullptr;
    CUDA_OK(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
    CUstream consumer = make_stream();
    CUDA_OK(cuGraphLaunch(instantiate(graph), consumer));
    EXPECT_EQ(cuStreamQuery(consumer), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(consumer));
    EXPECT_EQ(cuStreamQuery(producer), CUDA_SUCCESS);
  });
  expect_finished();
}

TEST_F(GraphOrder, ALaunchWithADestroyedEventIsAFault) {
  run(Plain(), [] {
    CUevent event = make_event();
    CUgraph graph = make_graph();
    CUgraphNode record = nullptr;
    CUDA_OK(cuGraphAddEventRecordNode(&record, graph, nullptr, 0, event));
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuEventDestroy_v2(event));
    launch_and_wait(exec);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(GraphOrder, AMemoryOperationOfAGraphDelaysItsDependentsOnly) {
  run(Plain(), [] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 64));
    auto* flag = static_cast<volatile int*>(pinned);
    *flag = 0;
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUstreamBatchMemOpParams wait{};
    wait.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    wait.waitValue.address = reinterpret_cast<CUdeviceptr>(pinned);
    wait.waitValue.value = 1;
    const CUDA_BATCH_MEM_OP_NODE_PARAMS params{current_context(), 1, &wait, 0};
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
    CUfunction function = add_one();
    add_kernel(graph, function, address, {node});
    add_kernel(graph, function, address);
    CUDA_OK(cuGraphLaunch(instantiate(graph), nullptr));
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    *flag = 1;
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_finished();
}

// ---- launches in flight -----------------------------------------------------------------------

TEST_F(GraphOrder, AnUpdateDoesNotAffectLaunchesInFlight) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemsetD32_v2(address, 0, 2));
    CUDA_OK(cuCtxSynchronize());
    CUgraph graph = make_graph();
    CUgraphNode node = add_set(graph, address, 1);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    const CUDA_MEMSET_NODE_PARAMS params = set_params(address + 4, 2);
    CUDA_OK(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(read_int(address), 1);
    EXPECT_EQ(read_int(address + 4), 0);
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(read_int(address + 4), 2);
  });
  expect_finished();
}

TEST_F(GraphOrder, AnExecutableDestroyedInFlightRunsToCompletion) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_set(graph, address, 3);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroy(graph));
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    CUDA_OK(cuGraphExecDestroy(exec));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(read_int(address), 3);
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
