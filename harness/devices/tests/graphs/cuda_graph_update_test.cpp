// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: changes of an executable graph.
#include <array>

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaGraphUpdate : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

// ---- one node ---------------------------------------------------------------------------------

TEST_P(CudaGraphUpdate, AKernelNodeOfAnExecutableGetsOtherParameters) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr other = allocate(64);
    write_int(address, 0);
    write_int(other, 0);
    CUgraph graph = make_graph();
    CUgraphNode node = add_kernel(graph, add_one(), address);
    CUgraphExec exec = instantiate(graph);
    int count = 1;
    void* values[] = {&other, &count};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(add_one(), values);
    CUDA_OK(cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 0);
    EXPECT_EQ(read_int(other), 1);
    CUDA_KERNEL_NODE_PARAMS kept{};
    CUDA_OK(cuGraphKernelNodeGetParams_v2(node, &kept));
    EXPECT_EQ(*static_cast<CUdeviceptr*>(kept.kernelParams[0]), address)
        << "the node keeps its own";
    EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, node, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUgraphNode stranger = add_kernel(make_graph(), add_one(), address);
    EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, stranger, &params), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, ARemovedNodeCannotBeUpdated) {
  run([] {
    CUgraph graph = make_graph();
    CUdeviceptr address = allocate(64);
    CUgraphNode node = add_set(graph, address, 1);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroyNode(node));
    const CUDA_MEMSET_NODE_PARAMS params = set_params(address, 2);
    EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaGraphUpdate, CopiesOfAnExecutableStayOneDimensional) {
  run([] {
    CUdeviceptr first = allocate(64);
    CUdeviceptr second = allocate(64);
    write_int(first, 1);
    write_int(second, 2);
    CUdeviceptr target = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode node = add_copy(graph, target, first);
    CUgraphExec exec = instantiate(graph);
    CUDA_MEMCPY3D params = copy_params(target, second, sizeof(int));
    CUDA_OK(cuGraphExecMemcpyNodeSetParams(exec, node, &params, current_context()));
    launch_and_wait(exec);
    EXPECT_EQ(read_int(target), 2);
    params.Height = 2;
    params.srcPitch = params.dstPitch = 8;
    EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, node, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE);
    params = copy_params(target, second, 0);
    EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, node, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE)
        << "nothing to copy";
    int host = 7;
    params = copy_params(target, second, sizeof(int));
    params.srcMemoryType = CU_MEMORYTYPE_HOST;
    params.srcHost = &host;
    EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, node, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE)
        << "other kind of memory";
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, SetsOfAnExecutableKeepTheirHeight) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode node = add_set(graph, address, 1);
    CUgraphExec exec = instantiate(graph);
    CUDA_MEMSET_NODE_PARAMS params = set_params(address, 8);
    CUDA_OK(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()));
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 8);
    params.height = 2;
    params.pitch = 8;
    EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE);
    params = set_params(address, 8, 0);
    EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr managed = 0;
    CUDA_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    params = set_params(managed, 8);  // Another kind of allocation, which the device has, too.
    CUDA_OK(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()));
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, HostAndEventNodesOfAnExecutableCanChange) {
  run([] {
    int first = 0;
    int second = 0;
    CUgraph graph = make_graph();
    CUgraphNode host = add_host(graph, count_up, &first);
    CUevent event = make_event();
    CUgraphNode record = nullptr;
    CUgraphNode wait = nullptr;
    CUDA_OK(cuGraphAddEventRecordNode(&record, graph, nullptr, 0, event));
    CUDA_OK(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
    CUgraphExec exec = instantiate(graph);
    CUDA_HOST_NODE_PARAMS params{count_up, &second};
    CUDA_OK(cuGraphExecHostNodeSetParams(exec, host, &params));
    CUDA_OK(cuGraphExecEventRecordNodeSetEvent(exec, record, make_event()));
    CUDA_OK(cuGraphExecEventWaitNodeSetEvent(exec, wait, make_event()));
    EXPECT_EQ(cuGraphExecEventWaitNodeSetEvent(exec, record, event), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphExecEventRecordNodeSetEvent(exec, record, nullptr), CUDA_ERROR_INVALID_VALUE);
    launch_and_wait(exec);
    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 1);
    EXPECT_EQ(cuGraphExecHostNodeSetParams(exec, host, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, ADisabledNodeDoesNothing) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUgraph graph = make_graph();
    CUgraphNode first = add_kernel(graph, add_one(), address);
    add_kernel(graph, add_one(), address, {first});
    CUgraphNode empty = add_empty(graph);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphNodeSetEnabled(exec, first, 0));
    unsigned enabled = 1;
    CUDA_OK(cuGraphNodeGetEnabled(exec, first, &enabled));
    EXPECT_EQ(enabled, 0U);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 1);
    CUDA_OK(cuGraphNodeSetEnabled(exec, first, 1));
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 3);
    EXPECT_EQ(cuGraphNodeSetEnabled(exec, empty, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetEnabled(exec, first, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AnyNodeOfAnExecutableIsSetByOneFunction) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode node = add_set(graph, address, 1);
    CUgraphExec exec = instantiate(graph);
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_MEMSET;
    params.memset.dst = address;
    params.memset.value = 6;
    params.memset.elementSize = 4;
    params.memset.width = params.memset.height = 1;
    params.memset.ctx = current_context();
    CUDA_OK(cuGraphExecNodeSetParams(exec, node, &params));
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 6);
    EXPECT_EQ(cuGraphExecNodeSetParams(exec, node, nullptr), CUDA_ERROR_INVALID_VALUE);
    params.type = CU_GRAPH_NODE_TYPE_HOST;
    EXPECT_EQ(cuGraphExecNodeSetParams(exec, node, &params), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

// ---- all nodes --------------------------------------------------------------------------------

CUgraphExecUpdateResultInfo update_in_vain(CUgraphExec exec, CUgraph graph) {
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  return info;
}

TEST_P(CudaGraphUpdate, AGraphOfTheSameShapeUpdatesTheExecutable) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr other = allocate(64);
    write_int(other, 0);
    CUfunction function = add_one();
    const auto make = [&](CUdeviceptr where) {
      CUgraph inner = make_graph();
      add_kernel(inner, function, where);
      CUgraph graph = make_graph();
      add_child(graph, inner, {add_kernel(graph, function, where)});
      return graph;
    };
    CUgraphExec exec = instantiate(make(address));
    CUgraphExecUpdateResultInfo info{};
    CUDA_OK(cuGraphExecUpdate_v2(exec, make(other), &info));
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(other), 2);
    EXPECT_EQ(cuGraphExecUpdate_v2(exec, nullptr, &info), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS) << "it says nothing of no graph";
    CUDA_OK(cuGraphExecUpdate_v2(exec, make(address), nullptr));
    write_int(address, 0);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 2) << "updated, though no one is told how";
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AnUpdateRefusesAnotherTopology) {
  run([] {
    CUgraph graph = make_graph();
    add_empty(graph, {add_empty(graph)});
    CUgraphExec exec = instantiate(graph);
    CUgraph larger = make_graph();
    add_empty(larger, {add_empty(larger, {add_empty(larger)})});
    CUgraphExecUpdateResultInfo info = update_in_vain(exec, larger);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    EXPECT_EQ(info.errorNode, nullptr) << "the count differs";
    CUgraph loose = make_graph();
    add_empty(loose);
    add_empty(loose);
    info = update_in_vain(exec, loose);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    EXPECT_NE(info.errorNode, nullptr);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AnUpdateRefusesAChangedDependency) {
  run([] {
    const auto make = [](bool on_first) {
      CUgraph graph = make_graph();
      CUgraphNode first = add_empty(graph);
      CUgraphNode second = add_empty(graph, {first});
      add_empty(graph, {on_first ? first : second});
      return graph;
    };
    CUgraphExec exec = instantiate(make(true));
    const CUgraphExecUpdateResultInfo info = update_in_vain(exec, make(false));
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  });
  expect_no_fault();
}

// cuda.h: additional exit nodes are reported by one of them, without a dependency.
TEST_P(CudaGraphUpdate, AnUpdateRefusesMoreExitNodes) {
  run([] {
    CUgraph chain = make_graph();
    add_empty(chain, {add_empty(chain, {add_empty(chain)})});
    CUgraphExec exec = instantiate(chain);
    CUgraph fork = make_graph();
    CUgraphNode root = add_empty(fork);
    const Nodes exits{add_empty(fork, {root}), add_empty(fork, {root})};
    const CUgraphExecUpdateResultInfo info = update_in_vain(exec, fork);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    EXPECT_TRUE(info.errorNode == exits[0] || info.errorNode == exits[1]);
    EXPECT_EQ(info.errorFromNode, nullptr);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AnUpdateRefusesAnotherNodeType) {
  run([] {
    CUgraph graph = make_graph();
    add_empty(graph);
    CUgraph other = make_graph();
    CUgraphNode node = add_set(other, allocate(64), 1);
    const CUgraphExecUpdateResultInfo info = update_in_vain(instantiate(graph), other);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    EXPECT_EQ(info.errorNode, node);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AnUpdateRefusesFixedParameters) {
  run([] {
    CUdeviceptr address = allocate(64);
    const auto make = [address](std::size_t height) {
      CUgraph graph = make_graph();
      CUDA_MEMSET_NODE_PARAMS params = set_params(address, 1);
      params.height = height;
      params.pitch = 8;
      CUgraphNode node = nullptr;
      EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, current_context()),
                CUDA_SUCCESS);
      return graph;
    };
    const CUgraphExecUpdateResultInfo info = update_in_vain(instantiate(make(2)), make(3));
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
    EXPECT_NE(info.errorNode, nullptr);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AnUpdateRefusesAKernelOfAnotherContext) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_kernel(graph, add_one(), address);
    CUgraphExec exec = instantiate(graph);
    CUcontext other = nullptr;
    CUDA_OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
    CUgraph there = make_graph();
    add_kernel(there, add_one(), allocate(64));
    const CUgraphExecUpdateResultInfo info = update_in_vain(exec, there);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE);
    CUDA_OK(cuGraphDestroy(there));
    CUDA_OK(cuCtxDestroy_v2(other));
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AChildGraphNodeIsUpdatedByAGraphOfTheSameShape) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr other = allocate(64);
    write_int(address, 0);
    write_int(other, 0);
    CUfunction function = add_one();
    CUgraph inner = make_graph();
    add_kernel(inner, function, address);
    CUgraph graph = make_graph();
    CUgraphNode child = add_child(graph, inner);
    CUgraphExec exec = instantiate(graph);
    CUgraph same = make_graph();
    add_kernel(same, function, other);
    CUDA_OK(cuGraphExecChildGraphNodeSetParams(exec, child, same));
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 0);
    EXPECT_EQ(read_int(other), 1);
    add_empty(same);
    EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(exec, child, same),
              CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphUpdate, AnUpdateKeepsLaunchAttributes) {
  run([this] {
    CUdeviceptr address = allocate(64);
    const auto with = [&](CUkernelNodeAttrID id, int value) {
      CUgraph graph = make_graph();
      CUkernelNodeAttrValue set{};
      (id == CU_KERNEL_NODE_ATTRIBUTE_PRIORITY ? set.priority : set.cooperative) = value;
      EXPECT_EQ(cuGraphKernelNodeSetAttribute(add_kernel(graph, add_one(), address), id, &set),
                CUDA_SUCCESS);
      return graph;
    };
    CUgraph plain = with(CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, 0);
    CUgraph urgent = with(CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, -1);
    CUgraph cooperative = with(CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, 1);
    CUgraphExec exec = instantiate(plain);
    CUgraphExecUpdateResultInfo info = update_in_vain(exec, cooperative);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
    EXPECT_EQ(info.errorNode, nodes_of(cooperative).front());
    CUDA_OK(cuGraphExecUpdate_v2(exec, urgent, &info));
    exec = instantiate(plain, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    EXPECT_EQ(update_in_vain(exec, urgent).result, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
    exec = instantiate(cooperative);
    EXPECT_EQ(update_in_vain(exec, plain).result, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaGraphUpdate);

}  // namespace
}  // namespace harness::testing
