// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: the effects of nodes, and queries of their parameters.
#include <array>

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaGraphNode : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

TEST_P(CudaGraphNode, NodesRunAfterTheirDependencies) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr copy = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode set = add_set(graph, address, 5);
    CUgraphNode kernel = add_kernel(graph, add_one(), address, {set});
    add_copy(graph, copy, address, {add_empty(graph, {kernel})});
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(copy), 6);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, ParametersAreCopiedWhenTheNodeIsAdded) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr other = allocate(64);
    write_int(address, 0);
    write_int(other, 0);
    CUdeviceptr value = address;
    int count = 1;
    void* values[] = {&value, &count};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(add_one(), values);
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
    value = other;
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 1);
    EXPECT_EQ(read_int(other), 0);
    CUDA_OK(cuGraphKernelNodeSetParams_v2(node, &params));
    launch_and_wait(exec);  // The instantiated graph does not change.
    EXPECT_EQ(read_int(address), 2);
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(other), 1);
    CUDA_KERNEL_NODE_PARAMS found{};
    CUDA_OK(cuGraphKernelNodeGetParams_v2(node, &found));
    EXPECT_EQ(*static_cast<CUdeviceptr*>(found.kernelParams[0]), other);
    EXPECT_EQ(found.blockDimX, 1U);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, KernelParametersMayComeInOneBuffer) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    struct {
      CUdeviceptr address;
      int count;
    } buffer{address, 1};
    std::size_t bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(add_one(), nullptr);
    params.extra = extra;
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE)
        << "longer than the parameters";
    bytes = sizeof(CUdeviceptr) + sizeof(int);
    CUDA_OK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 1);
    void* values[] = {&address, &buffer.count};
    params.kernelParams = values;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE)
        << "both";
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, AKernelNodeNeedsAKernelAndAGrid) {
  run([this] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr address = allocate(64);
    int count = 1;
    void* values[] = {&address, &count};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(nullptr, values);
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params),
              CUDA_ERROR_INVALID_HANDLE);
    params = kernel_params(add_one(), values, 0);
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, AKernelNodeMayNameAKernelOfALibrary) {
  run([this] {
    CUlibrary library = nullptr;
    CUDA_OK(cuLibraryLoadData(&library, image(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUkernel kernel = nullptr;
    CUDA_OK(cuLibraryGetKernel(&kernel, library, "add_one"));
    CUdeviceptr address = allocate(64);
    write_int(address, 3);
    int count = 1;
    void* values[] = {&address, &count};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(nullptr, values);
    params.kern = kernel;
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 4);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, CopiesHaveRowsAndSlices) {
  run([] {
    std::array<unsigned char, 64> host{};
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemsetD8_v2(address, 0xff, 64));
    CUDA_MEMCPY3D params{};
    params.srcMemoryType = CU_MEMORYTYPE_HOST;
    params.srcHost = host.data();
    params.srcPitch = 8;
    params.srcHeight = 4;
    params.srcXInBytes = 1;
    params.srcY = 1;
    params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    params.dstDevice = address;
    params.dstPitch = 4;
    params.dstHeight = 3;
    params.WidthInBytes = 2;
    params.Height = 2;
    params.Depth = 2;
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &params, current_context()));
    launch_and_wait(instantiate(graph));
    std::array<unsigned char, 64> found{};
    CUDA_OK(cuMemcpyDtoH_v2(found.data(), address, found.size()));
    EXPECT_EQ(found[0], 9);  // Row 1, byte 1.
    EXPECT_EQ(found[1], 10);
    EXPECT_EQ(found[2], 0xff);
    EXPECT_EQ(found[4], 17);   // The next row.
    EXPECT_EQ(found[12], 41);  // The next slice.
    EXPECT_EQ(found[8], 0xff);
    CUDA_MEMCPY3D same{};
    CUDA_OK(cuGraphMemcpyNodeGetParams(node, &same));
    EXPECT_EQ(same.WidthInBytes, 2U);
    EXPECT_EQ(same.dstDevice, address);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, ACopyNeedsLiveMemory) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_MEMCPY3D params = copy_params(allocate(64), allocate(64), 4);
    EXPECT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr, current_context()),
              CUDA_ERROR_INVALID_VALUE);
    const auto refused = [&](auto change) {
      CUDA_MEMCPY3D wrong = params;
      change(wrong);
      EXPECT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &wrong, current_context()),
                CUDA_ERROR_INVALID_VALUE);
    };
    refused([](CUDA_MEMCPY3D& wrong) { wrong.dstMemoryType = static_cast<CUmemorytype>(9); });
    refused([](CUDA_MEMCPY3D& wrong) { wrong.WidthInBytes = 0; });
    params.Height = 2;
    params.srcPitch = params.dstPitch = 8;
    CUDA_OK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &params, current_context()));
    refused([](CUDA_MEMCPY3D& wrong) { wrong.srcPitch = 2; });
    refused([](CUDA_MEMCPY3D& wrong) { wrong.dstXInBytes = 6; });
    params.Depth = 2;
    params.srcHeight = params.dstHeight = 2;
    CUDA_OK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &params, current_context()));
    refused([](CUDA_MEMCPY3D& wrong) { wrong.dstHeight = 1; });
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, SetsHaveElementsOfOneTwoOrFourBytes) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_MEMSET_NODE_PARAMS params = set_params(address, 0x0102);
    params.elementSize = 3;
    EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr, current_context()),
              CUDA_ERROR_INVALID_VALUE);
    const auto refused = [&](auto change) {
      CUDA_MEMSET_NODE_PARAMS wrong = set_params(address, 1);
      change(wrong);
      EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &wrong, current_context()),
                CUDA_ERROR_INVALID_VALUE);
    };
    refused([](CUDA_MEMSET_NODE_PARAMS& wrong) { wrong.dst += 2; });
    refused([](CUDA_MEMSET_NODE_PARAMS& wrong) { wrong.width = 0; });
    refused([](CUDA_MEMSET_NODE_PARAMS& wrong) { wrong.height = 0; });
    refused([](CUDA_MEMSET_NODE_PARAMS& wrong) { wrong.height = 2, wrong.pitch = 2; });
    params.elementSize = 2;
    params.width = 2;
    CUDA_OK(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, current_context()));
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 0x01020102);
    CUDA_MEMSET_NODE_PARAMS found{};
    CUDA_OK(cuGraphMemsetNodeGetParams(node, &found));
    EXPECT_EQ(found.dst, address);
    EXPECT_EQ(found.width, 2U);
    params = set_params(address, 9);
    CUDA_OK(cuGraphMemsetNodeSetParams(node, &params));
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 9);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, AHostNodeRunsAtEachLaunch) {
  run([] {
    int calls = 0;
    CUgraph graph = make_graph();
    CUgraphNode node = add_host(graph, count_up, &calls);
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    launch_and_wait(exec);
    EXPECT_EQ(calls, 2);
    CUDA_HOST_NODE_PARAMS params{};
    CUDA_OK(cuGraphHostNodeGetParams(node, &params));
    EXPECT_EQ(params.userData, &calls);
    params.fn = nullptr;
    EXPECT_EQ(cuGraphHostNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddHostNode(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, AnEventNodeRecordsAtEachLaunch) {
  run([] {
    CUevent event = make_event();
    CUgraph graph = make_graph();
    CUgraphNode record = nullptr;
    CUDA_OK(cuGraphAddEventRecordNode(&record, graph, nullptr, 0, event));
    CUevent found = nullptr;
    CUDA_OK(cuGraphEventRecordNodeGetEvent(record, &found));
    EXPECT_EQ(found, event);
    CUgraphNode wait = nullptr;
    CUDA_OK(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
    CUDA_OK(cuGraphEventWaitNodeGetEvent(wait, &found));
    EXPECT_EQ(found, event);
    EXPECT_EQ(cuGraphEventRecordNodeGetEvent(wait, &found), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddEventRecordNode(&record, graph, nullptr, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphEventWaitNodeSetEvent(wait, make_event()));
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, AQueryForAnotherNodeTypeIsRefused) {
  run([] {
    CUgraphNode node = add_empty(make_graph());
    CUgraphNodeType type{};
    CUDA_OK(cuGraphNodeGetType(node, &type));
    EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_EMPTY);
    EXPECT_EQ(cuGraphNodeGetType(node, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_KERNEL_NODE_PARAMS kernel{};
    EXPECT_EQ(cuGraphKernelNodeGetParams_v2(node, &kernel), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMCPY3D copy{};
    EXPECT_EQ(cuGraphMemcpyNodeGetParams(node, &copy), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMSET_NODE_PARAMS set{};
    EXPECT_EQ(cuGraphMemsetNodeGetParams(node, &set), CUDA_ERROR_INVALID_VALUE);
    CUDA_HOST_NODE_PARAMS host{};
    EXPECT_EQ(cuGraphHostNodeGetParams(node, &host), CUDA_ERROR_INVALID_VALUE);
    CUgraph body = nullptr;
    EXPECT_EQ(cuGraphChildGraphNodeGetGraph(node, &body), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, ANodeOfAnyTypeIsAddedByOneFunction) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 1);
    int count = 1;
    void* values[] = {&address, &count};
    CUgraph graph = make_graph();
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel.func = add_one();
    params.kernel.gridDimX = params.kernel.gridDimY = params.kernel.gridDimZ = 1;
    params.kernel.blockDimX = params.kernel.blockDimY = params.kernel.blockDimZ = 1;
    params.kernel.kernelParams = values;
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &params));
    CUDA_OK(cuGraphNodeSetParams(node, &params));
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 2);
    params.type = CU_GRAPH_NODE_TYPE_HOST;
    EXPECT_EQ(cuGraphNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE) << "another type";
    EXPECT_EQ(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    params.type = static_cast<CUgraphNodeType>(99);
    EXPECT_EQ(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &params),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, UnusedFieldsOfANodesParametersAreZero) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUgraphNodeParams good{};
    good.type = CU_GRAPH_NODE_TYPE_HOST;
    good.host.fn = [](void*) {};
    CUDA_OK(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &good));
    CUgraphExec exec = instantiate(graph);
    const auto refused = [&](auto change) {
      CUgraphNodeParams wrong = good;
      change(wrong);
      CUgraphNode other = nullptr;
      EXPECT_EQ(cuGraphAddNode_v2(&other, graph, nullptr, nullptr, 0, &wrong),
                CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuGraphNodeSetParams(node, &wrong), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuGraphExecNodeSetParams(exec, node, &wrong), CUDA_ERROR_INVALID_VALUE);
    };
    refused([](CUgraphNodeParams& wrong) { wrong.reserved0[1] = 1; });
    refused([](CUgraphNodeParams& wrong) { wrong.reserved1[28] = 1; });
    refused([](CUgraphNodeParams& wrong) { wrong.reserved2 = 1; });
    CUDA_OK(cuGraphNodeSetParams(node, &good));
    CUDA_OK(cuGraphExecNodeSetParams(exec, node, &good));
  });
  expect_no_fault();
}

TEST_P(CudaGraphNode, MemoryOperationsAreOneNode) {
  run([] {
    CUdeviceptr address = allocate(64);
    std::array<CUstreamBatchMemOpParams, 2> operations{};
    operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = address;
    operations[0].writeValue.value = 5;
    operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[1].waitValue.address = address;
    operations[1].waitValue.value = 5;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params{current_context(), 2, operations.data(), 0};
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
    operations[0].writeValue.value = 6;  // The node has copied them.
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 5);
    CUDA_BATCH_MEM_OP_NODE_PARAMS found{};
    CUDA_OK(cuGraphBatchMemOpNodeGetParams(node, &found));
    EXPECT_EQ(found.count, 2U);
    EXPECT_EQ(found.paramArray[0].writeValue.value, 5U);
    operations[1].waitValue.value = 6;
    CUDA_OK(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    CUDA_OK(cuGraphBatchMemOpNodeSetParams(node, &params));
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 6);
    params.count = 1;
    EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    params.flags = 1;
    EXPECT_EQ(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params),
              CUDA_ERROR_INVALID_VALUE);
    params = {current_context(), 256, operations.data(), 0};
    EXPECT_EQ(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params),
              CUDA_ERROR_INVALID_VALUE);
    operations[0].writeValue.address = address + 1;
    params = {current_context(), 1, operations.data(), 0};
    EXPECT_EQ(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params),
              CUDA_ERROR_INVALID_VALUE);
    params = {current_context(), 1, nullptr, 0};
    EXPECT_EQ(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaGraphNode);

}  // namespace
}  // namespace harness::testing
