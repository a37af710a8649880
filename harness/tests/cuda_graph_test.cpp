// The conformance suite of devices/: graphs and their nodes.
#include <array>

#include "harness/tests/graph_stage.h"

namespace harness::testing {
namespace {

class CudaGraph : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

// ---- graphs -----------------------------------------------------------------------------------

TEST_P(CudaGraph, FlagsOfCreateMustBeZero) {
  run([] {
    CUgraph graph = nullptr;
    EXPECT_EQ(cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphCreate(&graph, 0));
    CUDA_OK(cuGraphDestroy(graph));
  });
  expect_no_fault();
}

TEST_P(CudaGraph, AGraphDestroyedTwiceIsAFault) {
  run([] {
    CUgraph graph = make_graph();
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaGraph, AGraphUsedAfterItsEndIsAFault) {
  run([] {
    CUgraph graph = make_graph();
    CUDA_OK(cuGraphDestroy(graph));
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_death");
}

TEST_P(CudaGraph, ANodeEndsWithItsGraph) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = add_empty(graph);
    CUDA_OK(cuGraphDestroy(graph));
    CUgraphNodeType type{};
    EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_death");
}

TEST_P(CudaGraph, ANodeDestroyedTwiceIsAFault) {
  run([] {
    CUgraphNode node = add_empty(make_graph());
    CUDA_OK(cuGraphDestroyNode(node));
    EXPECT_EQ(cuGraphDestroyNode(node), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

// ---- nodes and edges --------------------------------------------------------------------------

TEST_P(CudaGraph, NodesAndRootsAreListed) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph, {first});
    std::array<CUgraphNode, 3> nodes{};
    std::size_t count = nodes.size();
    CUDA_OK(cuGraphGetNodes(graph, nodes.data(), &count));
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(nodes[2], nullptr);
    count = nodes.size();
    CUDA_OK(cuGraphGetRootNodes(graph, nodes.data(), &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(nodes[0], first);
    count = nodes.size();
    CUDA_OK(cuGraphNodeGetDependencies_v2(second, nodes.data(), nullptr, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(nodes[0], first);
    count = nodes.size();
    CUDA_OK(cuGraphNodeGetDependentNodes_v2(first, nodes.data(), nullptr, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(nodes[0], second);
    CUgraphEdgeData data{};
    count = 1;
    EXPECT_EQ(cuGraphGetEdges_v2(graph, nullptr, nullptr, &data, &count), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependencies_v2(second, nullptr, &data, &count),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependentNodes_v2(first, nullptr, &data, &count),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphGetNodes(graph, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphGetRootNodes(graph, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependencies_v2(first, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependentNodes_v2(first, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, DependenciesAreAddedAndRemoved) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph);
    CUgraphNode elsewhere = add_empty(make_graph());
    CUDA_OK(cuGraphAddDependencies_v2(graph, &first, &second, nullptr, 1));
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    std::size_t count = 1;
    CUDA_OK(cuGraphGetEdges_v2(graph, &from, &to, nullptr, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(from, first);
    EXPECT_EQ(to, second);
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, &first, &second, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE)
        << "it exists";
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, &first, &elsewhere, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE)
        << "a node of another graph";
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, nullptr, nullptr, nullptr, 0), CUDA_SUCCESS);
    CUDA_OK(cuGraphRemoveDependencies_v2(graph, &first, &second, nullptr, 1));
    EXPECT_EQ(cuGraphRemoveDependencies_v2(graph, &first, &second, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count));
    EXPECT_EQ(count, 0U);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, DependenciesOfANewNodeMustBeDistinctAndOfItsGraph) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode elsewhere = add_empty(make_graph());
    const CUgraphNode twice[] = {first, first};
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, twice, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, &elsewhere, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(node_count(graph), 1U);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, EdgeDataIsNotLostSilently) {
  run([this] {
    CUgraph graph = make_graph();
    CUdeviceptr address = allocate(64);
    CUfunction function = add_one();
    CUgraphNode first = add_kernel(graph, function, address);
    CUgraphNode second = add_kernel(graph, function, address);
    CUgraphEdgeData data{};
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    CUgraphEdgeData wrong{};
    wrong.to_port = 1;
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, &first, &second, &wrong, 1),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphAddDependencies_v2(graph, &first, &second, &data, 1));
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    std::size_t count = 1;
    EXPECT_EQ(cuGraphGetEdges_v2(graph, &from, &to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
    EXPECT_EQ(cuGraphNodeGetDependencies_v2(second, &from, nullptr, &count),
              CUDA_ERROR_LOSSY_QUERY);
    EXPECT_EQ(cuGraphNodeGetDependentNodes_v2(first, &to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
    CUgraphEdgeData found{};
    CUDA_OK(cuGraphGetEdges_v2(graph, &from, &to, &found, &count));
    EXPECT_EQ(found.from_port, data.from_port);
    EXPECT_EQ(found.type, data.type);
    EXPECT_EQ(cuGraphRemoveDependencies_v2(graph, &first, &second, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE)
        << "with other data";
    CUDA_OK(cuGraphRemoveDependencies_v2(graph, &first, &second, &data, 1));
  });
  expect_no_fault();
}

TEST_P(CudaGraph, ADestroyedNodeTakesItsEdgesAlong) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode middle = add_empty(graph, {first});
    CUgraphNode last = add_empty(graph, {middle});
    CUDA_OK(cuGraphDestroyNode(middle));
    std::size_t count = 0;
    CUDA_OK(cuGraphNodeGetDependencies_v2(last, nullptr, nullptr, &count));
    EXPECT_EQ(count, 0U);
    EXPECT_EQ(node_count(graph), 2U);
  });
  expect_no_fault();
}

// ---- what nodes do ----------------------------------------------------------------------------

TEST_P(CudaGraph, NodesRunAfterThoseTheyDependOn) {
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

TEST_P(CudaGraph, ParametersAreCopiedWhenTheNodeIsAdded) {
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
    launch_and_wait(exec);  // What was instantiated does not change.
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

TEST_P(CudaGraph, KernelParametersMayComeInOneBuffer) {
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

TEST_P(CudaGraph, AKernelNodeNeedsAKernelAndAGrid) {
  run([this] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr address = allocate(64);
    int count = 1;
    void* values[] = {&address, &count};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(nullptr, values);
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
    params = kernel_params(add_one(), values, 0);
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, AKernelNodeMayNameAKernelOfALibrary) {
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

TEST_P(CudaGraph, CopiesHaveRowsAndSlices) {
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

TEST_P(CudaGraph, ACopyNeedsMemoryThatIsThere) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_MEMCPY3D params = copy_params(allocate(64), allocate(64), 4);
    EXPECT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr, current_context()),
              CUDA_ERROR_INVALID_VALUE);
    params.dstMemoryType = static_cast<CUmemorytype>(9);
    EXPECT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &params, current_context()),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, SetsHaveElementsOfOneTwoOrFourBytes) {
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

TEST_P(CudaGraph, AHostNodeIsCalledAtEachLaunch) {
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

TEST_P(CudaGraph, AnEventNodeRecordsAtEachLaunch) {
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

TEST_P(CudaGraph, ANodeIsAskedOnlyWhatItsTypeKnows) {
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

TEST_P(CudaGraph, ANodeOfAnyTypeIsAddedByOneFunction) {
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

TEST_P(CudaGraph, MemoryOperationsAreOneNode) {
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
    params = {current_context(), 1, nullptr, 0};
    EXPECT_EQ(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

// ---- clones and child graphs ------------------------------------------------------------------

TEST_P(CudaGraph, AChildGraphIsACopyThatItsNodeOwns) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUgraph inner = make_graph();
    add_kernel(inner, add_one(), address);
    CUgraph outer = make_graph();
    CUgraphNode child = add_child(outer, inner, {add_child(outer, inner)});
    add_kernel(inner, add_one(), address);
    CUDA_OK(cuGraphDestroy(inner));
    CUgraph body = nullptr;
    CUDA_OK(cuGraphChildGraphNodeGetGraph(child, &body));
    EXPECT_EQ(node_count(body), 1U);
    launch_and_wait(instantiate(outer));
    EXPECT_EQ(read_int(address), 2);
    EXPECT_EQ(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaGraph, ACloneIsACopyWhoseNodesAreFound) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUgraph graph = make_graph();
    CUgraphNode first = add_kernel(graph, add_one(), address);
    CUgraphNode second = add_kernel(graph, add_one(), address, {first});
    CUgraph clone = nullptr;
    CUDA_OK(cuGraphClone(&clone, graph));
    CUgraphNode copy = nullptr;
    CUDA_OK(cuGraphNodeFindInClone(&copy, second, clone));
    CUgraphNode before = nullptr;
    std::size_t count = 1;
    CUDA_OK(cuGraphNodeGetDependencies_v2(copy, &before, nullptr, &count));
    CUgraphNode first_copy = nullptr;
    CUDA_OK(cuGraphNodeFindInClone(&first_copy, first, clone));
    EXPECT_EQ(before, first_copy);
    CUgraphNode later = add_empty(graph);
    EXPECT_EQ(cuGraphNodeFindInClone(&copy, later, clone), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphDestroyNode(first_copy));
    EXPECT_EQ(cuGraphNodeFindInClone(&copy, first, clone), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphDestroy(graph));
    launch_and_wait(instantiate(clone));
    EXPECT_EQ(read_int(address), 1);
    EXPECT_EQ(cuGraphClone(nullptr, clone), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaGraph);

}  // namespace
}  // namespace harness::testing
