// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: conditional nodes.
#include "harness/devices/tests/graphs/graph_stage.h"
#include "harness/driver/cuda/leeway.h"

extern "C" {
extern const harness::KernelImage afterlife_kernels_conditional;
extern const unsigned char afterlife_fatbin_conditional[];
}

namespace harness::testing {
namespace {

class CudaGraphConditional : public OnEveryDevice {
 protected:
  CUfunction setter() const { return get_kernel(kernels(), "set_condition"); }
  CUfunction counter() const { return get_kernel(kernels(), "count_until"); }

 private:
  const void* kernels() const {
    return GetParam() == Backend::gpu ? static_cast<const void*>(afterlife_fatbin_conditional)
                                      : &afterlife_kernels_conditional;
  }
};

/// Faults of conditional nodes, which the simulated driver reports.
class SimGraphConditional : public OnSim {
 protected:
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage.run(body), Ending::finished) << stage.fault();
  }
  static CUfunction setter() { return get_kernel(&afterlife_kernels_conditional, "set_condition"); }
};

CUgraphNode add_setter(CUgraph graph, CUfunction setter, CUgraphConditionalHandle handle,
                       unsigned value, const Nodes& after = {}) {
  void* values[] = {&handle, &value};
  const CUDA_KERNEL_NODE_PARAMS params = kernel_params(setter, values);
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, after.data(), after.size(), &params),
            CUDA_SUCCESS);
  return node;
}

TEST_P(CudaGraphConditional, AnIfRunsTheBodySelectedByTheValue) {
  for (unsigned value : {0U, 1U}) {
    run([value] {
      CUdeviceptr address = allocate(64);
      CUgraph graph = make_graph();
      CUgraphConditionalHandle handle = make_handle(graph, value);
      CUgraph* bodies = add_conditional(graph, handle, CU_GRAPH_COND_TYPE_IF, 2);
      add_set(bodies[0], address, 10);
      add_set(bodies[1], address, 20);
      launch_and_wait(instantiate(graph));
      EXPECT_EQ(read_int(address), value != 0 ? 10 : 20);
    });
    expect_no_fault();
  }
}

TEST_P(CudaGraphConditional, AKernelSetsTheValue) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUgraph graph = make_graph();
    CUgraphConditionalHandle handle = make_handle(graph, 0);
    CUgraphNode kernel = add_setter(graph, setter(), handle, 1);
    add_set(*add_conditional(graph, handle, CU_GRAPH_COND_TYPE_IF, 1, {kernel}), address, 4);
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 4);
  });
  expect_no_fault();
}

/// A graph whose condition has no default; its kernel sets it, unless that is disabled.
struct Unset {
  CUdeviceptr address = allocate(64);
  CUgraph graph = make_graph();
  CUgraphConditionalHandle handle = make_handle(graph, 0, 0);
  CUgraphNode kernel = nullptr;
  CUgraphExec exec = nullptr;

  explicit Unset(CUfunction setter) : kernel(add_setter(graph, setter, handle, 1)) {
    add_set(*add_conditional(graph, handle, CU_GRAPH_COND_TYPE_IF, 1, {kernel}), address, 4);
    exec = instantiate(graph);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 4);
    EXPECT_EQ(cuGraphNodeSetEnabled(exec, kernel, 0), CUDA_SUCCESS);
    write_int(address, 0);
  }
};

// cuda.h: a value is applied at the beginning of a launch only with ASSIGN_DEFAULT.
TEST_F(SimGraphConditional, AnUnsetValueIsAFault) {
  run([] {
    const Unset set_once(setter());
    launch_and_wait(set_once.exec);
    EXPECT_EQ(read_int(set_once.address), 4) << "that of the launch before";
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(SimGraphConditional, AnUnsetValueMayBeAnyValue) {
  Always other(Site::lag, 1);
  EXPECT_EQ(stage.run(other,
                      [&] {
                        give_leeway(stage.world);
                        const Unset set_once(setter());
                        launch_and_wait(set_once.exec);
                        EXPECT_EQ(read_int(set_once.address), 0);
                      }),
            Ending::finished);
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_P(CudaGraphConditional, AValueThatAKernelSetsNeedsNoDefault) {
  run([this] { Unset set_once(setter()); });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, EachLaunchStartsWithTheDefaultValue) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemsetD32_v2(address, 0, 2));
    CUgraph graph = make_graph();
    CUgraphConditionalHandle handle = make_handle(graph, 1);
    CUgraph* bodies = add_conditional(graph, handle, CU_GRAPH_COND_TYPE_SWITCH, 3);
    add_set(bodies[1], address, 1);
    add_set(bodies[2], address + 4, 2);
    add_setter(graph, setter(), handle, 2, {nodes_of(graph).at(0)});
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(address), 1);
    EXPECT_EQ(read_int(address + 4), 0) << "the value that the launch before has set";
  });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, ASwitchRunsOneBodyOrNone) {
  for (unsigned value : {0U, 2U, 3U}) {
    run([value] {
      CUdeviceptr address = allocate(64);
      write_int(address, 99);
      CUgraph graph = make_graph();
      CUgraph* bodies =
          add_conditional(graph, make_handle(graph, value), CU_GRAPH_COND_TYPE_SWITCH, 3);
      for (unsigned i = 0; i < 3; ++i) add_set(bodies[i], address, i);
      launch_and_wait(instantiate(graph));
      EXPECT_EQ(read_int(address), value < 3 ? static_cast<int>(value) : 99);
    });
    expect_no_fault();
  }
}

TEST_P(CudaGraphConditional, AWhileLoopsUntilAKernelStopsIt) {
  run([this] {
    CUdeviceptr count = allocate(64);
    CUgraph graph = make_graph();
    CUgraphConditionalHandle handle = make_handle(graph, 1);
    CUgraph body = *add_conditional(graph, handle, CU_GRAPH_COND_TYPE_WHILE);
    int limit = 5;
    void* values[] = {&handle, &count, &limit};
    const CUDA_KERNEL_NODE_PARAMS params = kernel_params(counter(), values);
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddKernelNode_v2(&node, body, nullptr, 0, &params));
    CUgraphExec exec = instantiate(graph);
    for (int i = 0; i < 2; ++i) {  // The default is assigned at each launch.
      write_int(count, 0);
      launch_and_wait(exec);
      EXPECT_EQ(read_int(count), limit);
    }
  });
  expect_no_fault();
}

TEST_F(SimGraphConditional, AnEndlessLoopIsReported) {
  EXPECT_EQ(stage.run([] {
    CUgraph graph = make_graph();
    add_empty(*add_conditional(graph, make_handle(graph, 1), CU_GRAPH_COND_TYPE_WHILE));
    launch_and_wait(instantiate(graph));
  }),
            Ending::step_limit);
}

TEST_P(CudaGraphConditional, ConditionalNodesNest) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphConditionalHandle inner = make_handle(graph, 1);
    CUgraph body = *add_conditional(graph, make_handle(graph, 1), CU_GRAPH_COND_TYPE_IF);
    add_set(*add_conditional(body, inner, CU_GRAPH_COND_TYPE_IF), address, 6);
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 6);
  });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, AHandleNeedsValidFlagsAndAGraph) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphConditionalHandle handle = 0;
    CUcontext context = current_context();
    EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, graph, context, 0, 2),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphConditionalHandleCreate(nullptr, graph, context, 0, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, nullptr, context, 0, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, graph, nullptr, 0, 0),
              CUDA_ERROR_INVALID_CONTEXT)
        << "null is not the current one here";
  });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, AnUpdateDoesNotChangeTheTypeNorTheNumberOfBodies) {
  run([] {
    const auto with = [](CUgraphConditionalNodeType type, unsigned size, unsigned value = 0) {
      CUgraph graph = make_graph();
      add_conditional(graph, make_handle(graph, value), type, size);
      return graph;
    };
    CUgraphExec exec = instantiate(with(CU_GRAPH_COND_TYPE_IF, 1));
    CUgraphExecUpdateResultInfo info{};
    for (CUgraph graph : {with(CU_GRAPH_COND_TYPE_WHILE, 1), with(CU_GRAPH_COND_TYPE_IF, 2),
                          with(CU_GRAPH_COND_TYPE_SWITCH, 1)}) {
      EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
      EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
      EXPECT_EQ(info.errorNode, nodes_of(graph).front());
    }
    CUDA_OK(cuGraphExecUpdate_v2(exec, with(CU_GRAPH_COND_TYPE_IF, 1, 1), &info));
    launch_and_wait(exec);
  });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, ANodeNeedsAHandleOfItsGraphAndAValidSize) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphConditionalHandle handle = make_handle(graph, 0);
    CUgraphNode node = nullptr;
    const auto refused = [&](CUgraph where, CUgraphConditionalHandle which,
                             CUgraphConditionalNodeType type, unsigned size) {
      CUgraphNodeParams params = conditional_params(which, type, size);
      EXPECT_EQ(cuGraphAddNode_v2(&node, where, nullptr, nullptr, 0, &params),
                CUDA_ERROR_INVALID_VALUE);
    };
    refused(graph, 12345, CU_GRAPH_COND_TYPE_IF, 1);
    refused(make_graph(), handle, CU_GRAPH_COND_TYPE_IF, 1);
    refused(graph, handle, CU_GRAPH_COND_TYPE_IF, 3);
    refused(graph, handle, CU_GRAPH_COND_TYPE_WHILE, 2);
    refused(graph, handle, CU_GRAPH_COND_TYPE_SWITCH, 0);
    refused(graph, handle, static_cast<CUgraphConditionalNodeType>(9), 1);
    add_conditional(graph, handle, CU_GRAPH_COND_TYPE_IF);
    refused(graph, handle, CU_GRAPH_COND_TYPE_IF, 1);
  });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, AnUnusedHandleStopsInstantiation) {
  run([] {
    CUgraph graph = make_graph();
    make_handle(graph, 0);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
  });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, ABodyHoldsOnlyNodesThatRunOnTheDevice) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "driver 580 takes it; cuda.h forbids it";
  run([] {
    CUgraph graph = make_graph();
    CUgraph body = *add_conditional(graph, make_handle(graph, 0), CU_GRAPH_COND_TYPE_IF);
    CUgraphNode node = nullptr;
    const CUDA_HOST_NODE_PARAMS host{count_up, nullptr};
    EXPECT_EQ(cuGraphAddHostNode(&node, body, nullptr, 0, &host), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGraphAddEventRecordNode(&node, body, nullptr, 0, make_event()),
              CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGraphAddEventWaitNode(&node, body, nullptr, 0, make_event()),
              CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGraphDestroy(body), CUDA_ERROR_INVALID_VALUE) << "its node owns it";
  });
  expect_no_fault();
}

TEST_P(CudaGraphConditional, GraphsWithConditionalNodesAreNotCloned) {
  run([] {
    CUgraph graph = make_graph();
    CUgraph body = *add_conditional(graph, make_handle(graph, 0), CU_GRAPH_COND_TYPE_IF);
    CUgraph clone = nullptr;
    EXPECT_EQ(cuGraphClone(&clone, body), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
    CUgraphNode node = nullptr;
    for (CUgraph part : {graph, body})
      EXPECT_EQ(cuGraphAddChildGraphNode(&node, make_graph(), nullptr, 0, part),
                CUDA_ERROR_NOT_SUPPORTED);
    CUgraphExec exec = instantiate(graph);
    CUgraphExec second = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&second, graph, 0), CUDA_ERROR_NOT_SUPPORTED);
    CUDA_OK(cuGraphExecDestroy(exec));
    EXPECT_EQ(cuGraphInstantiateWithFlags(&second, graph, 0), CUDA_SUCCESS);
  });
  expect_no_fault();
}

// A graph with a condition somewhere inside it is no more copied than one that has it at the top.
TEST_P(CudaGraphConditional, GraphsWithNestedConditionalNodesAreNotCloned) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode child = nullptr;
    CUDA_OK(cuGraphAddChildGraphNode(&child, graph, nullptr, 0, make_graph()));
    CUgraph inside = nullptr;
    CUDA_OK(cuGraphChildGraphNodeGetGraph(child, &inside));
    add_conditional(inside, make_handle(inside, 0), CU_GRAPH_COND_TYPE_IF);
    CUgraph clone = nullptr;
    EXPECT_EQ(cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGraphAddChildGraphNode(&child, make_graph(), nullptr, 0, graph),
              CUDA_ERROR_NOT_SUPPORTED);
    CUDA_OK(cuGraphDestroyNode(nodes_of(inside).front()));
    EXPECT_EQ(cuGraphAddChildGraphNode(&child, make_graph(), nullptr, 0, graph),
              CUDA_ERROR_NOT_SUPPORTED)
        << "its handle is there";
  });
  expect_no_fault();
}

TEST_F(SimGraphConditional, SettingAValueWithoutAHandleIsAFault) {
  run([] {
    CUgraph graph = make_graph();
    add_setter(graph, setter(), 12345, 1);
    launch_and_wait(instantiate(graph));
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

// libcuda.so.1 has none of these kernels.
INSTANTIATE_ON(CudaGraphConditional, Setting{Backend::gpu});

}  // namespace
}  // namespace harness::testing
