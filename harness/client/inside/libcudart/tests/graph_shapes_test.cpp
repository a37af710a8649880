// SPDX-License-Identifier: Apache-2.0
// Graphs: their nodes and edges, nodes of any type, memory, conditions and user objects.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

namespace harness::testing {
namespace {

class RuntimeGraphShapes : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    ASSERT_OK(cudaGraphCreate(&graph_, 0));
  }
  void TearDown() override {
    EXPECT_OK(cudaGraphDestroy(graph_));
    Runtime::TearDown();
  }
  cudaGraphNode_t empty_node() {
    cudaGraphNode_t node = nullptr;
    EXPECT_OK(cudaGraphAddEmptyNode(&node, graph_, nullptr, 0));
    return node;
  }
  std::size_t edge_count() {
    std::size_t count = 0;
    EXPECT_OK(cudaGraphGetEdges(graph_, nullptr, nullptr, nullptr, &count));
    return count;
  }
  void run() {
    cudaGraphExec_t exec = nullptr;
    ASSERT_OK(cudaGraphInstantiate(&exec, graph_, 0));
    EXPECT_OK(cudaGraphLaunch(exec, nullptr));
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT_OK(cudaGraphExecDestroy(exec));
  }

  cudaGraph_t graph_ = nullptr;
};

TEST_F(RuntimeGraphShapes, NodesAndEdgesAreAddedAndRemoved) {
  const cudaGraphNode_t first = empty_node();
  const cudaGraphNode_t second = empty_node();
  ASSERT_OK(cudaGraphAddDependencies(graph_, &first, &second, nullptr, 1));
  EXPECT_EQ(edge_count(), 1U);
  std::size_t count = 1;
  cudaGraphNode_t found = nullptr;
  EXPECT_OK(cudaGraphNodeGetDependencies(second, &found, nullptr, &count));
  EXPECT_EQ(found, first);
  EXPECT_OK(cudaGraphNodeGetDependentNodes(first, &(found = nullptr), nullptr, &(count = 1)));
  EXPECT_EQ(found, second);
  EXPECT_OK(cudaGraphGetRootNodes(graph_, &(found = nullptr), &(count = 1)));
  EXPECT_EQ(found, first);
  cudaGraphNodeType type = cudaGraphNodeTypeKernel;
  EXPECT_OK(cudaGraphNodeGetType(first, &type));
  EXPECT_EQ(type, cudaGraphNodeTypeEmpty);
  EXPECT_OK(cudaGraphRemoveDependencies(graph_, &first, &second, nullptr, 1));
  EXPECT_EQ(edge_count(), 0U);
  EXPECT_OK(cudaGraphDestroyNode(second));
  EXPECT_OK(cudaGraphGetNodes(graph_, nullptr, &count));
  EXPECT_EQ(count, 1U);
}

TEST_F(RuntimeGraphShapes, AreCloned) {
  const cudaGraphNode_t node = empty_node();
  cudaGraph_t clone = nullptr;
  ASSERT_OK(cudaGraphClone(&clone, graph_));
  EXPECT_NE(clone, graph_);
  cudaGraphNode_t found = nullptr;
  EXPECT_OK(cudaGraphNodeFindInClone(&found, node, clone));
  EXPECT_NE(found, nullptr);
  EXPECT_NE(found, node);
  EXPECT_OK(cudaGraphDestroy(clone));
  expect_error(cudaGraphDestroy(clone), cudaErrorInvalidValue);
}

TEST_F(RuntimeGraphShapes, AreWrittenToAFile) {
  empty_node();
  const std::string file = ::testing::TempDir() + "cudart_graph.dot";
  std::filesystem::remove(file);
  EXPECT_OK(cudaGraphDebugDotPrint(graph_, file.c_str(), 0));
  EXPECT_TRUE(std::filesystem::exists(file));
}

// ---- nodes of any type --------------------------------------------------------------------------

TEST_F(RuntimeGraphShapes, NodesOfAnyTypeAreAdded) {
  int* memory = on_device();
  int* source = on_device(all(4));
  AddArguments two(memory, 2);
  cudaGraphNodeParams copy{};
  copy.type = cudaGraphNodeTypeMemcpy;
  copy.memcpy.copyParams.srcPtr = {source, kBytes, kBytes, 1};
  copy.memcpy.copyParams.dstPtr = {memory, kBytes, kBytes, 1};
  copy.memcpy.copyParams.extent = {kBytes, 1, 1};
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
  cudaGraphNodeParams kernel{};
  kernel.type = cudaGraphNodeTypeKernel;
  kernel.kernel = {&host.add, 1, 8, 0, two.get(), nullptr};
  cudaGraphNodeParams set{};
  set.type = cudaGraphNodeTypeMemset;
  set.memset = {memory, 0, 9, 4, 1, 1};
  int calls = 0;
  cudaGraphNodeParams function{};
  function.type = cudaGraphNodeTypeHost;
  function.host = {[](void* data) { ++*static_cast<int*>(data); }, &calls};
  std::array<cudaGraphNode_t, 4> nodes{};
  ASSERT_OK(cudaGraphAddNode(&nodes[0], graph_, nullptr, nullptr, 0, &copy));
  ASSERT_OK(cudaGraphAddNode(&nodes[1], graph_, &nodes[0], nullptr, 1, &kernel));
  ASSERT_OK(cudaGraphAddNode(&nodes[2], graph_, &nodes[1], nullptr, 1, &set));
  ASSERT_OK(cudaGraphAddNode(&nodes[3], graph_, &nodes[2], nullptr, 1, &function));
  run();
  Values wanted = all(6);
  wanted[0] = 9;
  EXPECT_EQ(read(memory), wanted);
  EXPECT_EQ(calls, 1);
  set.memset.value = 8;
  EXPECT_OK(cudaGraphNodeSetParams(nodes[2], &set));
  cudaGraphExec_t exec = nullptr;
  ASSERT_OK(cudaGraphInstantiate(&exec, graph_, 0));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_EQ(read(memory)[0], 8);
  set.memset.value = 7;
  EXPECT_OK(cudaGraphExecNodeSetParams(exec, nodes[2], &set));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_EQ(read(memory)[0], 7);
  EXPECT_OK(cudaGraphExecDestroy(exec));
  cudaGraphNodeParams none{};
  none.type = static_cast<cudaGraphNodeType>(99);
  expect_error(cudaGraphAddNode(&nodes[0], graph_, nullptr, nullptr, 0, &none),
               cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(memory));
  EXPECT_OK(cudaFree(source));
}

TEST_F(RuntimeGraphShapes, ConditionsHaveBodies) {
  int* memory = on_device();
  cudaGraphConditionalHandle handle = 0;
  ASSERT_OK(cudaGraphConditionalHandleCreate(&handle, graph_, 1, cudaGraphCondAssignDefault));
  EXPECT_NE(handle, 0U);
  cudaGraphNodeParams condition{};
  condition.type = cudaGraphNodeTypeConditional;
  condition.conditional.handle = handle;
  condition.conditional.type = cudaGraphCondTypeIf;
  condition.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &condition));
  ASSERT_NE(condition.conditional.phGraph_out, nullptr);
  const cudaMemsetParams set{memory, 0, 5, 4, kCount, 1};
  ASSERT_OK(cudaGraphAddMemsetNode(&node, condition.conditional.phGraph_out[0], nullptr, 0, &set));
  run();
  EXPECT_EQ(read(memory), all(5));
  EXPECT_OK(cudaFree(memory));
}

// ---- memory -------------------------------------------------------------------------------------

TEST_F(RuntimeGraphShapes, MemoryIsAllocatedAndFreed) {
  cudaMemAllocNodeParams allocation{};
  allocation.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.poolProps.location.type = cudaMemLocationTypeDevice;
  allocation.bytesize = 1 << 20;
  std::array<cudaGraphNode_t, 3> nodes{};
  ASSERT_OK(cudaGraphAddMemAllocNode(&nodes[0], graph_, nullptr, 0, &allocation));
  ASSERT_NE(allocation.dptr, nullptr);
  cudaMemAllocNodeParams found{};
  EXPECT_OK(cudaGraphMemAllocNodeGetParams(nodes[0], &found));
  EXPECT_EQ(found.dptr, allocation.dptr);
  const cudaMemsetParams set{allocation.dptr, 0, 1, 4, 4, 1};
  ASSERT_OK(cudaGraphAddMemsetNode(&nodes[1], graph_, &nodes[0], 1, &set));
  ASSERT_OK(cudaGraphAddMemFreeNode(&nodes[2], graph_, &nodes[1], 1, allocation.dptr));
  void* freed = nullptr;
  EXPECT_OK(cudaGraphMemFreeNodeGetParams(nodes[2], &freed));
  EXPECT_EQ(freed, allocation.dptr);
  run();
  const auto attribute = [](cudaGraphMemAttributeType which) {
    std::uint64_t bytes = 0;
    EXPECT_OK(cudaDeviceGetGraphMemAttribute(0, which, &bytes));
    return bytes;
  };
  EXPECT_GT(attribute(cudaGraphMemAttrReservedMemCurrent), 0U);
  EXPECT_OK(cudaDeviceGraphMemTrim(0));
  EXPECT_EQ(attribute(cudaGraphMemAttrReservedMemCurrent), 0U);
  EXPECT_GE(attribute(cudaGraphMemAttrReservedMemHigh), std::uint64_t{1} << 20);
  std::uint64_t none = 0;
  EXPECT_OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &none));
  EXPECT_EQ(attribute(cudaGraphMemAttrReservedMemHigh), 0U);
  expect_error(cudaDeviceGraphMemTrim(3), cudaErrorInvalidDevice);
}

// ---- user objects -------------------------------------------------------------------------------

TEST_F(RuntimeGraphShapes, UserObjectsLiveAsLongAsTheyAreReferredTo) {
  static std::atomic<int> destroyed;
  destroyed = 0;
  cudaUserObject_t object = nullptr;
  ASSERT_OK(cudaUserObjectCreate(
      &object, nullptr, [](void*) { ++destroyed; }, 1, cudaUserObjectNoDestructorSync));
  EXPECT_OK(cudaUserObjectRetain(object, 1));
  EXPECT_OK(cudaGraphRetainUserObject(graph_, object, 1, 0));
  EXPECT_OK(cudaUserObjectRelease(object, 2));
  EXPECT_EQ(destroyed, 0);
  EXPECT_OK(cudaGraphReleaseUserObject(graph_, object, 1));
  for (int i = 0; i < 1000 && destroyed == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(destroyed, 1);
}

}  // namespace
}  // namespace harness::testing
