// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: attributes of launches, and captured launches with attributes.
#include <cstring>

#include "harness/devices/tests/graphs/capture_stage.h"
#include "harness/devices/tests/kernels/attribute_stage.h"

namespace harness::testing {
namespace {

class CudaLaunchAttributes : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

CUlaunchAttribute overlapping() {
  Value value{};
  value.programmaticStreamSerializationAllowed = 1;
  return attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, value);
}

CUlaunchAttribute recording(CUevent event, int at_start = 0, int flags = 0) {
  Value value{};
  value.programmaticEvent = {event, flags, at_start};
  return attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, value);
}

CUlaunchAttribute recording_begin(CUevent event, int flags = 0) {
  Value value{};
  value.launchCompletionEvent = {event, flags};
  return attribute(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, value);
}

TEST_P(CudaLaunchAttributes, ALaunchAcceptsAttributes) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUstream stream = make_stream();
    CUDA_OK(launch_with(function, address, stream, {}));
    CUDA_OK(launch_with(function, address, stream,
                        {attribute(CU_LAUNCH_ATTRIBUTE_IGNORE, {}),
                         attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative(1)),
                         attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY, priority(-1)), overlapping()}));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_no_fault();
}

TEST_P(CudaLaunchAttributes, ALaunchRecordsItsEvents) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUstream stream = make_stream();
    CUevent done = make_event(CU_EVENT_DISABLE_TIMING);
    CUevent begun = make_event(CU_EVENT_DISABLE_TIMING);
    CUDA_OK(launch_with(add_one(), address, stream, {recording(done), recording_begin(begun)}));
    CUDA_OK(cuEventSynchronize(done));
    CUDA_OK(cuEventSynchronize(begun));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 1);
  });
  expect_no_fault();
}

TEST_P(CudaLaunchAttributes, AnEventOfALaunchHasNoTimingAndIsNotInterprocess) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    CUevent timed = make_event();
    CUevent shared = make_event(CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    CUevent good = make_event(CU_EVENT_DISABLE_TIMING);
    const auto expect_refused = [&](CUresult error, CUevent event, int flags = 0) {
      EXPECT_EQ(launch_with(function, address, stream, {recording(event, 0, flags)}), error);
      EXPECT_EQ(launch_with(function, address, stream, {recording_begin(event, flags)}), error);
    };
    expect_refused(CUDA_ERROR_NOT_SUPPORTED, timed);
    expect_refused(CUDA_ERROR_NOT_SUPPORTED, shared);
    expect_refused(CUDA_ERROR_INVALID_HANDLE, nullptr);
    expect_refused(CUDA_ERROR_ILLEGAL_STATE, good, CU_EVENT_RECORD_EXTERNAL);
  });
  expect_no_fault();
}

TEST_P(CudaLaunchAttributes, MeaninglessAttributesOfALaunchAreRefused) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    const auto error_of = [](CUlaunchAttributeID id) {
      return id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION ? CUDA_ERROR_INVALID_CLUSTER_SIZE
             : id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE
                 ? CUDA_ERROR_NOT_SUPPORTED  // There is no node.
                 : CUDA_ERROR_INVALID_VALUE;
    };
    for (const CUlaunchAttribute& wrong : wrong_values())
      EXPECT_EQ(launch_with(function, address, nullptr, {wrong}, 2), error_of(wrong.id))
          << wrong.id;
    Value updatable{};
    updatable.deviceUpdatableKernelNode.deviceUpdatable = 1;
    EXPECT_EQ(launch_with(function, address, nullptr,
                          {attribute(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, updatable)}),
              CUDA_ERROR_NOT_SUPPORTED);
    const CUlaunchConfig nothing{1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, 1};
    EXPECT_EQ(cuLaunchKernelEx(&nothing, function, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLaunchKernelEx(nullptr, function, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaLaunchAttributes, ACooperativeKernelMustFitOnTheDevice) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    const CUlaunchAttribute is_cooperative =
        attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative(1));
    EXPECT_EQ(launch_with(function, address, nullptr, {is_cooperative}, 1 << 20, 1024),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    int supported = 0;
    CUDA_OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
    EXPECT_EQ(supported, 1);
    std::byte buffer[16] = {};
    std::size_t bytes = sizeof(CUdeviceptr) + sizeof(int);
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CUlaunchAttribute given = is_cooperative;
    const CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, nullptr, &given, 1};
    std::memcpy(buffer, &address, sizeof address);
    CUDA_OK(cuLaunchKernelEx(&config, function, nullptr, extra));
    bytes = sizeof buffer;
    EXPECT_EQ(cuLaunchKernelEx(&config, function, nullptr, extra),
              CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        << "and no more than there are";
  });
  expect_no_fault();
}

TEST_P(CudaLaunchAttributes, AKernelIsLaunchedIntoAStreamOfItsContext) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    CUcontext other = nullptr;
    CUDA_OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
    CUstream elsewhere = make_stream();
    EXPECT_EQ(launch_with(function, address, elsewhere, {}), CUDA_ERROR_INVALID_HANDLE);
    int count = 1;
    EXPECT_EQ(launch(function, 1, 1, elsewhere, {&address, &count}), CUDA_ERROR_INVALID_HANDLE);
    CUDA_OK(cuCtxDestroy_v2(other));
  });
  expect_no_fault();
}

// ---- in a capture -----------------------------------------------------------------------------

TEST_P(CudaLaunchAttributes, ACapturedKernelDefaultsToTheStreamsPriority) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    CUstream stream = nullptr;
    CUDA_OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1));
    CUDA_OK(cuStreamBeginCapture_v2(stream, kRelaxed));
    CUDA_OK(launch_with(function, address, stream, {}));
    CUDA_OK(launch_with(function, address, stream,
                        {attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative(1))}));
    CUDA_OK(launch_with(function, address, stream,
                        {attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY, priority(-2))}));
    const Nodes nodes = nodes_of(end_capture(stream));
    ASSERT_EQ(nodes.size(), 3u);
    EXPECT_EQ(priority_of(nodes[0]), -1);
    EXPECT_EQ(priority_of(nodes[1]), -1);
    EXPECT_EQ(priority_of(nodes[2]), -2);
    Value found{};
    CUDA_OK(cuGraphKernelNodeGetAttribute(nodes[1], CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &found));
    EXPECT_NE(found.cooperative, 0);
  });
  expect_no_fault();
}

/// The data of the only edge of the graph to `node`.
CUgraphEdgeData edge_to(CUgraphNode node) {
  CUgraphNode from = nullptr;
  CUgraphEdgeData data{};
  std::size_t count = 1;
  EXPECT_EQ(cuGraphNodeGetDependencies_v2(node, &from, &data, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  return data;
}

TEST_P(CudaLaunchAttributes, ProgrammaticSerializationIsAProgrammaticEdge) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    CUstream stream = capturing(kRelaxed);
    set(stream, address, 0);
    CUDA_OK(launch_with(function, address, stream, {overlapping()}));
    CUDA_OK(launch_with(function, address, stream, {overlapping()}));
    CUDA_OK(launch_with(function, address, stream, {}));
    CUgraph graph = end_capture(stream);
    const Nodes nodes = nodes_of(graph);
    ASSERT_EQ(nodes.size(), 4u);
    EXPECT_EQ(edge_to(nodes[1]).type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT) << "after a set";
    EXPECT_EQ(edge_to(nodes[2]).type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    EXPECT_EQ(edge_to(nodes[2]).from_port, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
    EXPECT_EQ(edge_to(nodes[3]).type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(address), 3);
  });
  expect_no_fault();
}

TEST_P(CudaLaunchAttributes, AQueryThatWouldLoseALaunchEventEdgeFails) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr address = allocate(64);
    const auto port_of = [&](const CUlaunchAttribute& recorded, CUevent event) {
      CUstream origin = capturing(kRelaxed);
      CUstream other = make_stream();
      EXPECT_EQ(launch_with(function, address, origin, {recorded}), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
      CUstreamCaptureStatus status{};
      const CUgraphNode* nodes = nullptr;
      const CUgraphEdgeData* data = nullptr;
      std::size_t count = 0;
      EXPECT_EQ(
          cuStreamGetCaptureInfo_v3(other, &status, nullptr, nullptr, &nodes, nullptr, &count),
          CUDA_ERROR_LOSSY_QUERY);
      EXPECT_EQ(cuStreamGetCaptureInfo_v3(other, &status, nullptr, nullptr, &nodes, &data, &count),
                CUDA_SUCCESS);
      EXPECT_EQ(count, 1u);
      const unsigned port = count == 1 ? data[0].from_port : 99u;
      CUgraph graph = nullptr;
      EXPECT_EQ(cuStreamEndCapture(origin, &graph), CUDA_SUCCESS);
      return port;
    };
    CUevent event = make_event(CU_EVENT_DISABLE_TIMING);
    EXPECT_EQ(port_of(recording(event), event), CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
    EXPECT_EQ(port_of(recording(event, 1), event), CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
    EXPECT_EQ(port_of(recording_begin(event), event), CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
  });
  expect_no_fault();
}

TEST_P(CudaLaunchAttributes, AnEdgeFromALaunchEventIsAlwaysProgrammatic) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUstream origin = capturing(kRelaxed);
    CUstream other = make_stream();
    CUevent event = make_event(CU_EVENT_DISABLE_TIMING);
    CUevent join = make_event(CU_EVENT_DISABLE_TIMING);
    CUDA_OK(launch_with(add_one(), address, origin, {recording(event)}));
    CUDA_OK(cuStreamWaitEvent(other, event, 0));
    set(other, address, 1);
    CUDA_OK(cuEventRecord(join, other));
    CUDA_OK(cuStreamWaitEvent(origin, join, 0));
    CUgraph graph = end_capture(origin);
    const Nodes nodes = nodes_of(graph);
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(edge_to(nodes[1]).type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaLaunchAttributes);

}  // namespace
}  // namespace harness::testing
