// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes of all types, their parameters, and what executable graphs do with them.
#include "harness/client/inside/libcudart/tests/runtime_stage.h"

extern "C" {
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t*, cudaGraph_t,
                                                cudaGraphInstantiateParams*);
cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t, cudaStream_t);
}

namespace harness::testing {
namespace {

class RuntimeGraphs : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    ASSERT_OK(cudaGraphCreate(&graph_, 0));
    memory_ = on_device();
    other_ = on_device({1, 2, 3});
  }
  void TearDown() override {
    EXPECT_OK(cudaGraphDestroy(graph_));
    EXPECT_OK(cudaFree(memory_));
    EXPECT_OK(cudaFree(other_));
    Runtime::TearDown();
  }
  /// Runs the graph once, as it is now. Returns what the memory then holds, and clears it.
  Values ran() {
    cudaGraphExec_t exec = nullptr;
    EXPECT_OK(cudaGraphInstantiate(&exec, graph_, 0));
    const Values values = ran(exec);
    EXPECT_OK(cudaGraphExecDestroy(exec));
    return values;
  }
  Values ran(cudaGraphExec_t exec) {
    EXPECT_OK(cudaGraphLaunch(exec, nullptr));
    const Values values = read(memory_);
    EXPECT_OK(cudaMemset(memory_, 0, kBytes));
    return values;
  }
  cudaGraphExec_t instantiated() {
    cudaGraphExec_t exec = nullptr;
    EXPECT_OK(cudaGraphInstantiate(&exec, graph_, 0));
    return exec;
  }
  cudaGraphNode_t empty_node() {
    cudaGraphNode_t node = nullptr;
    EXPECT_OK(cudaGraphAddEmptyNode(&node, graph_, nullptr, 0));
    return node;
  }
  static cudaKernelNodeParams kernel(AddArguments& arguments) {
    return {&host.add, 1, 8, 0, arguments.get(), nullptr};
  }
  cudaMemcpy3DParms slices() const {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {other_, kBytes, kBytes, 1};
    copy.dstPtr = {memory_, kBytes, kBytes, 1};
    copy.extent = {kBytes, 1, 1};
    copy.kind = cudaMemcpyDeviceToDevice;
    return copy;
  }

  cudaGraph_t graph_ = nullptr;
  int* memory_ = nullptr;
  int* other_ = nullptr;  ///< Holds 1, 2, 3, 0, ...
};

// ---- kernels ------------------------------------------------------------------------------------

TEST_F(RuntimeGraphs, KernelsAreNodes) {
  AddArguments two(memory_, 2);
  AddArguments three(memory_, 3);
  cudaKernelNodeParams parameters = kernel(two);
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters));
  cudaKernelNodeParams found{};
  EXPECT_OK(cudaGraphKernelNodeGetParams(node, &found));
  EXPECT_EQ(found.func, &host.add);
  EXPECT_EQ(found.blockDim.x, 8U);
  cudaGraphExec_t exec = instantiated();
  EXPECT_EQ(ran(exec), all(2));
  parameters.kernelParams = three.get();
  EXPECT_OK(cudaGraphKernelNodeSetParams(node, &parameters));
  EXPECT_EQ(ran(exec), all(2));  // It is what the graph was.
  EXPECT_EQ(ran(), all(3));
  EXPECT_OK(cudaGraphExecKernelNodeSetParams(exec, node, &parameters));
  EXPECT_EQ(ran(exec), all(3));
  parameters.func = nullptr;
  expect_error(cudaGraphKernelNodeSetParams(node, &parameters), cudaErrorInvalidDeviceFunction);
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(RuntimeGraphs, KernelsHaveAttributes) {
  AddArguments two(memory_, 2);
  const cudaKernelNodeParams parameters = kernel(two);
  std::array<cudaGraphNode_t, 2> nodes{};
  for (cudaGraphNode_t& node : nodes)
    ASSERT_OK(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters));
  cudaLaunchAttributeValue value{};
  value.cooperative = 1;
  EXPECT_OK(cudaGraphKernelNodeSetAttribute(nodes[0], cudaLaunchAttributeCooperative, &value));
  EXPECT_OK(cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
  value.cooperative = 0;
  EXPECT_OK(cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributeCooperative, &value));
  EXPECT_EQ(value.cooperative, 1);
}

// ---- copies and sets ----------------------------------------------------------------------------

TEST_F(RuntimeGraphs, SlicesAreCopied) {
  const cudaMemcpy3DParms copy = slices();
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddMemcpyNode(&node, graph_, nullptr, 0, &copy));
  cudaMemcpy3DParms found{};
  EXPECT_OK(cudaGraphMemcpyNodeGetParams(node, &found));
  EXPECT_EQ(found.srcPtr.ptr, other_);
  EXPECT_EQ(found.dstPtr.ptr, memory_);
  EXPECT_EQ(found.extent.width, kBytes);
  EXPECT_EQ(found.kind, cudaMemcpyDeviceToDevice);
  cudaGraphExec_t exec = instantiated();
  EXPECT_EQ(ran(exec), (Values{1, 2, 3}));
  cudaMemcpy3DParms shorter = copy;
  shorter.extent.width = 8;
  EXPECT_OK(cudaGraphMemcpyNodeSetParams(node, &shorter));
  EXPECT_EQ(ran(), (Values{1, 2}));
  EXPECT_OK(cudaGraphExecMemcpyNodeSetParams(exec, node, &shorter));
  EXPECT_EQ(ran(exec), (Values{1, 2}));
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(RuntimeGraphs, ARowIsCopied) {
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddMemcpyNode1D(&node, graph_, nullptr, 0, memory_, other_, 12,
                                     cudaMemcpyDeviceToDevice));
  cudaGraphExec_t exec = instantiated();
  EXPECT_EQ(ran(exec), (Values{1, 2, 3}));
  EXPECT_OK(cudaGraphMemcpyNodeSetParams1D(node, memory_, other_, 4, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(ran(), (Values{1}));
  EXPECT_OK(
      cudaGraphExecMemcpyNodeSetParams1D(exec, node, memory_, other_, 8, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(ran(exec), (Values{1, 2}));
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(RuntimeGraphs, VariablesAreCopied) {
  cudaGraphNode_t from = nullptr;
  ASSERT_OK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph_, nullptr, 0, memory_, &host.counter, 4,
                                             0, cudaMemcpyDeviceToDevice));
  cudaGraphExec_t exec = instantiated();
  EXPECT_EQ(ran(exec), (Values{7}));
  EXPECT_OK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, memory_ + 1, &host.counter, 4, 0,
                                                   cudaMemcpyDeviceToDevice));
  EXPECT_EQ(ran(), (Values{0, 7}));
  EXPECT_OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, memory_ + 2, &host.counter, 4, 0,
                                                       cudaMemcpyDeviceToDevice));
  EXPECT_EQ(ran(exec), (Values{0, 0, 7}));
  EXPECT_OK(cudaGraphExecDestroy(exec));
  expect_error(cudaGraphMemcpyNodeSetParamsFromSymbol(from, memory_, memory_, 4, 0,
                                                      cudaMemcpyDeviceToDevice),
               cudaErrorInvalidSymbol);
}

TEST_F(RuntimeGraphs, VariablesAreWritten) {
  const auto counter = [] {
    int value = 0;
    EXPECT_OK(cudaMemcpyFromSymbol(&value, &host.counter, 4, 0, cudaMemcpyDeviceToHost));
    return value;
  };
  cudaGraphNode_t to = nullptr;
  ASSERT_OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph_, nullptr, 0, &host.counter, other_, 4, 0,
                                           cudaMemcpyDeviceToDevice));
  cudaGraphExec_t exec = instantiated();
  ran(exec);
  EXPECT_EQ(counter(), 1);
  EXPECT_OK(cudaGraphMemcpyNodeSetParamsToSymbol(to, &host.counter, other_ + 1, 4, 0,
                                                 cudaMemcpyDeviceToDevice));
  ran();
  EXPECT_EQ(counter(), 2);
  EXPECT_OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, &host.counter, other_ + 2, 4, 0,
                                                     cudaMemcpyDeviceToDevice));
  ran(exec);
  EXPECT_EQ(counter(), 3);
  const int seven = 7;
  EXPECT_OK(cudaMemcpyToSymbol(&host.counter, &seven, 4, 0, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(RuntimeGraphs, MemoryIsSet) {
  cudaMemsetParams set{memory_, 0, 5, 4, 2, 1};
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddMemsetNode(&node, graph_, nullptr, 0, &set));
  cudaGraphExec_t exec = instantiated();
  EXPECT_EQ(ran(exec), (Values{5, 5}));
  cudaMemsetParams found{};
  EXPECT_OK(cudaGraphMemsetNodeGetParams(node, &found));
  EXPECT_EQ(found.dst, memory_);
  EXPECT_EQ(found.value, 5U);
  set.value = 6;
  EXPECT_OK(cudaGraphMemsetNodeSetParams(node, &set));
  EXPECT_EQ(ran(), (Values{6, 6}));
  EXPECT_OK(cudaGraphExecMemsetNodeSetParams(exec, node, &set));
  EXPECT_EQ(ran(exec), (Values{6, 6}));
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

// ---- the host, events, other graphs -------------------------------------------------------------

TEST_F(RuntimeGraphs, HostFunctionsAreCalled) {
  int calls = 0;
  int others = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  const cudaHostNodeParams first{count, &calls};
  const cudaHostNodeParams second{count, &others};
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddHostNode(&node, graph_, nullptr, 0, &first));
  cudaHostNodeParams found{};
  EXPECT_OK(cudaGraphHostNodeGetParams(node, &found));
  EXPECT_EQ(found.userData, &calls);
  cudaGraphExec_t exec = instantiated();
  ran(exec);
  EXPECT_EQ(calls, 1);
  EXPECT_OK(cudaGraphHostNodeSetParams(node, &second));
  ran();
  EXPECT_EQ(others, 1);
  EXPECT_OK(cudaGraphExecHostNodeSetParams(exec, node, &second));
  ran(exec);
  EXPECT_EQ(others, 2);
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(RuntimeGraphs, EventsAreRecordedAndWaitedFor) {
  std::array<cudaEvent_t, 2> events{};
  for (cudaEvent_t& event : events) ASSERT_OK(cudaEventCreate(&event));
  cudaGraphNode_t record = nullptr;
  cudaGraphNode_t wait = nullptr;
  cudaEvent_t found = nullptr;
  ASSERT_OK(cudaGraphAddEventRecordNode(&record, graph_, nullptr, 0, events[0]));
  ASSERT_OK(cudaGraphAddEventWaitNode(&wait, graph_, &record, 1, events[0]));
  EXPECT_OK(cudaGraphEventRecordNodeGetEvent(record, &found));
  EXPECT_EQ(found, events[0]);
  EXPECT_OK(cudaGraphEventRecordNodeSetEvent(record, events[1]));
  EXPECT_OK(cudaGraphEventRecordNodeGetEvent(record, &(found = nullptr)));
  EXPECT_EQ(found, events[1]);
  EXPECT_OK(cudaGraphEventWaitNodeSetEvent(wait, events[1]));
  EXPECT_OK(cudaGraphEventWaitNodeGetEvent(wait, &(found = nullptr)));
  EXPECT_EQ(found, events[1]);
  cudaGraphExec_t exec = instantiated();
  EXPECT_OK(cudaGraphExecEventRecordNodeSetEvent(exec, record, events[0]));
  EXPECT_OK(cudaGraphExecEventWaitNodeSetEvent(exec, wait, events[0]));
  ran(exec);
  float milliseconds = 0;
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, events[0], events[0]));  // It was recorded.
  expect_error(cudaEventElapsedTime(&milliseconds, events[1], events[1]),
               cudaErrorInvalidResourceHandle);
  expect_error(cudaGraphExecEventWaitNodeSetEvent(exec, record, events[0]), cudaErrorInvalidValue);
  EXPECT_OK(cudaGraphExecDestroy(exec));
  for (const cudaEvent_t event : events) EXPECT_OK(cudaEventDestroy(event));
}

TEST_F(RuntimeGraphs, GraphsAreNodes) {
  std::array<cudaGraph_t, 2> bodies{};
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(cudaGraphCreate(&bodies[i], 0));
    const cudaMemsetParams set{memory_, 0, static_cast<unsigned>(i + 1), 4, 2, 1};
    cudaGraphNode_t node = nullptr;
    ASSERT_OK(cudaGraphAddMemsetNode(&node, bodies[i], nullptr, 0, &set));
  }
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddChildGraphNode(&node, graph_, nullptr, 0, bodies[0]));
  cudaGraph_t found = nullptr;
  std::size_t count = 0;
  EXPECT_OK(cudaGraphChildGraphNodeGetGraph(node, &found));
  EXPECT_OK(cudaGraphGetNodes(found, nullptr, &count));
  EXPECT_EQ(count, 1U);
  cudaGraphExec_t exec = instantiated();
  EXPECT_EQ(ran(exec), (Values{1, 1}));
  EXPECT_OK(cudaGraphExecChildGraphNodeSetParams(exec, node, bodies[1]));
  EXPECT_EQ(ran(exec), (Values{2, 2}));
  EXPECT_OK(cudaGraphExecDestroy(exec));
  for (const cudaGraph_t body : bodies) EXPECT_OK(cudaGraphDestroy(body));
}

// ---- executable graphs --------------------------------------------------------------------------

TEST_F(RuntimeGraphs, AreInstantiatedInEveryWay) {
  cudaMemsetParams set{memory_, 0, 5, 4, 2, 1};
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddMemsetNode(&node, graph_, nullptr, 0, &set));
  const auto once = [&](cudaError_t error, cudaGraphExec_t exec) {
    EXPECT_OK(error);
    EXPECT_EQ(ran(exec), (Values{5, 5}));
    EXPECT_OK(cudaGraphExecDestroy(exec));
  };
  cudaGraphExec_t exec = nullptr;
  const cudaError_t with_flags =
      cudaGraphInstantiateWithFlags(&exec, graph_, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  unsigned long long flags = 0;
  EXPECT_OK(cudaGraphExecGetFlags(exec, &flags));
  EXPECT_EQ(flags, static_cast<unsigned long long>(cudaGraphInstantiateFlagAutoFreeOnLaunch));
  once(with_flags, exec);
  cudaGraphInstantiateParams parameters{};
  const cudaError_t with_parameters = cudaGraphInstantiateWithParams(&exec, graph_, &parameters);
  EXPECT_EQ(parameters.result_out, cudaGraphInstantiateSuccess);
  once(with_parameters, exec);
  const cudaError_t by_twin = cudaGraphInstantiateWithParams_ptsz(&exec, graph_, &parameters);
  once(by_twin, exec);
}

TEST_F(RuntimeGraphs, AreUploadedAndLaunchedInStreams) {
  cudaMemsetParams set{memory_, 0, 5, 4, 2, 1};
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddMemsetNode(&node, graph_, nullptr, 0, &set));
  cudaGraphExec_t exec = instantiated();
  EXPECT_OK(cudaGraphUpload(exec, nullptr));
  EXPECT_OK(cudaGraphUpload_ptsz(exec, nullptr));
  EXPECT_OK(cudaGraphLaunch_ptsz(exec, nullptr));
  EXPECT_EQ(read(memory_), (Values{5, 5}));
  EXPECT_OK(cudaGraphExecDestroy(exec));
  expect_error(cudaGraphUpload(exec, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphLaunch(exec, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
}

TEST_F(RuntimeGraphs, AreUpdatedFromGraphsOfTheSameShape) {
  cudaMemsetParams set{memory_, 0, 5, 4, 2, 1};
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddMemsetNode(&node, graph_, nullptr, 0, &set));
  cudaGraphExec_t exec = instantiated();
  set.value = 6;
  ASSERT_OK(cudaGraphMemsetNodeSetParams(node, &set));
  cudaGraphExecUpdateResultInfo result{};
  result.result = cudaGraphExecUpdateError;
  EXPECT_OK(cudaGraphExecUpdate(exec, graph_, &result));
  EXPECT_EQ(result.result, cudaGraphExecUpdateSuccess);
  EXPECT_EQ(ran(exec), (Values{6, 6}));
  empty_node();
  expect_error(cudaGraphExecUpdate(exec, graph_, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

TEST_F(RuntimeGraphs, NodesAreSwitchedOff) {
  cudaMemsetParams set{memory_, 0, 5, 4, 2, 1};
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddMemsetNode(&node, graph_, nullptr, 0, &set));
  cudaGraphExec_t exec = instantiated();
  EXPECT_OK(cudaGraphNodeSetEnabled(exec, node, 0));
  unsigned is_enabled = 1;
  EXPECT_OK(cudaGraphNodeGetEnabled(exec, node, &is_enabled));
  EXPECT_EQ(is_enabled, 0U);
  EXPECT_EQ(ran(exec), Values{});
  EXPECT_OK(cudaGraphExecDestroy(exec));
}

}  // namespace
}  // namespace harness::testing
