// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: attributes of kernel nodes.
#include "harness/devices/tests/kernels/attribute_stage.h"

namespace harness::testing {
namespace {

class CudaKernelAttributes : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

CUresult set_priority(CUgraphNode node, int value) {
  const Value given = priority(value);
  return cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &given);
}

TEST_P(CudaKernelAttributes, EachNodeHasItsOwnAttributes) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode node = add_kernel(graph, add_one(), address);
    CUgraphNode other = add_kernel(graph, add_one(), address, {node});
    EXPECT_EQ(priority_of(node), 0);
    CUDA_OK(set_priority(node, -2));
    const Value is_cooperative = cooperative(1);
    CUDA_OK(
        cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &is_cooperative));
    EXPECT_EQ(priority_of(node), -2);
    EXPECT_EQ(priority_of(other), 0);
    CUDA_OK(cuGraphKernelNodeCopyAttributes(other, node));
    EXPECT_EQ(priority_of(other), -2);
    Value found{};
    CUDA_OK(cuGraphKernelNodeGetAttribute(other, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &found));
    EXPECT_NE(found.cooperative, 0);
    CUDA_OK(set_priority(node, -1));
    EXPECT_EQ(priority_of(other), -2);
    write_int(address, 0);
    launch_and_wait(instantiate(graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_no_fault();
}

TEST_P(CudaKernelAttributes, ANodeKeepsThemAfterAParameterChangeAndInAClone) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode node = add_kernel(graph, add_one(), address);
    CUDA_OK(set_priority(node, -2));
    CUDA_KERNEL_NODE_PARAMS params{};
    CUDA_OK(cuGraphKernelNodeGetParams_v2(node, &params));
    CUDA_OK(cuGraphKernelNodeSetParams_v2(node, &params));
    EXPECT_EQ(priority_of(node), -2);
    CUgraph clone = nullptr;
    CUDA_OK(cuGraphClone(&clone, graph));
    EXPECT_EQ(priority_of(nodes_of(clone).front()), -2);
  });
  expect_no_fault();
}

/// The answer to what no kernel may have: nodes keep any policy for the scheduling of clusters.
CUresult refusal_of(CUlaunchAttributeID id) {
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  return id == CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE ? CUDA_SUCCESS
                                                                        : CUDA_ERROR_INVALID_VALUE;
}

TEST_P(CudaKernelAttributes, MeaninglessAttributesOfANodeAreRefused) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    int count = 1;
    void* values[] = {&address, &count};
    const CUDA_KERNEL_NODE_PARAMS params = kernel_params(add_one(), values, 2);
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
    for (const CUlaunchAttribute& wrong : wrong_values())
      EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, wrong.id, &wrong.value), refusal_of(wrong.id))
          << wrong.id;
    // Attributes of launches alone.
    const Value one = cooperative(1);
    EXPECT_EQ(cuGraphKernelNodeSetAttribute(
                  node, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, &one),
              CUDA_ERROR_INVALID_VALUE);
    Value found{};
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(node, static_cast<CUlaunchAttributeID>(99), &found),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaKernelAttributes, ANullValueIsInvalid) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([this] {
    CUgraphNode node = add_kernel(make_graph(), add_one(), allocate(64));
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaKernelAttributes, ACooperativeNodeGetsItsParametersByPointer) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode by_pointer = add_kernel(graph, function, address);
    const Value is_cooperative = cooperative(1);
    CUDA_OK(cuGraphKernelNodeSetAttribute(by_pointer, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE,
                                          &is_cooperative));
    std::byte buffer[sizeof(CUdeviceptr) + sizeof(int)] = {};
    std::size_t bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(function, nullptr);
    params.extra = extra;
    CUgraphNode by_buffer = nullptr;
    CUDA_OK(cuGraphAddKernelNode_v2(&by_buffer, graph, nullptr, 0, &params));
    EXPECT_EQ(cuGraphKernelNodeSetAttribute(by_buffer, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE,
                                            &is_cooperative),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphKernelNodeCopyAttributes(by_buffer, by_pointer), CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = instantiate(graph);
    EXPECT_EQ(cuGraphKernelNodeSetParams_v2(by_pointer, &params), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, by_pointer, &params),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaKernelAttributes, OnlyKernelNodesHaveThem) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode kernel = add_kernel(graph, add_one(), address);
    CUgraphNode set = add_set(graph, address, 1);
    Value found{};
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(set, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &found),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(set_priority(set, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphKernelNodeCopyAttributes(set, kernel), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphKernelNodeCopyAttributes(kernel, set), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphKernelNodeCopyAttributes(kernel, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUcontext other = nullptr;
    CUDA_OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
    CUgraphNode elsewhere = add_kernel(graph, add_one(), address);
    EXPECT_EQ(cuGraphKernelNodeCopyAttributes(elsewhere, kernel), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuCtxDestroy_v2(other));
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaKernelAttributes);

// ---- unsupported features of the simulated device ---------------------------------------------

class CudaSimKernelAttributes : public OnSim {};

TEST_F(CudaSimKernelAttributes, ClustersAndDeviceUpdatableNodesAreUnsupported) {
  stage.run([] {
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
    CUdeviceptr address = allocate(64);
    const CUlaunchAttribute one = attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, cluster(1));
    const CUlaunchAttribute two = attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, cluster(2));
    CUDA_OK(launch_with(function, address, nullptr, {one}, 2));
    EXPECT_EQ(launch_with(function, address, nullptr, {two}, 2), CUDA_ERROR_NOT_SUPPORTED);
    Value updatable{};
    updatable.deviceUpdatableKernelNode.deviceUpdatable = 1;
    CUgraphNode node = add_kernel(make_graph(), function, address);
    EXPECT_EQ(cuGraphKernelNodeSetAttribute(
                  node, CU_KERNEL_NODE_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &updatable),
              CUDA_ERROR_NOT_SUPPORTED);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaSimKernelAttributes, ACooperativeNodeThatIsTooLargeIsNotInstantiated) {
  stage.run([] {
    CUdeviceptr address = allocate(64);
    int count = 1;
    void* values[] = {&address, &count};
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
    const CUDA_KERNEL_NODE_PARAMS params = kernel_params(function, values, 3, 1024);
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
    const Value is_cooperative = cooperative(1);
    CUDA_OK(
        cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &is_cooperative));
    CUDA_GRAPH_INSTANTIATE_PARAMS result{};
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &result),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    EXPECT_EQ(result.result_out, CUDA_GRAPH_INSTANTIATE_ERROR);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
