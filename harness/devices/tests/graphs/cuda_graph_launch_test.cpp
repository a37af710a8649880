// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: launches of graphs, and which work they wait for.
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaGraphLaunch : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

/// A word that a stream waits for, until the host writes it.
class Gate {
 public:
  Gate() {
    void* pinned = nullptr;
    EXPECT_EQ(cuMemAllocHost_v2(&pinned, sizeof(int)), CUDA_SUCCESS);
    word_ = static_cast<volatile int*>(pinned);
    *word_ = 0;
  }
  void hold(CUstream stream) const {
    const auto address = reinterpret_cast<CUdeviceptr>(word_);
    EXPECT_EQ(cuStreamWaitValue32_v2(stream, address, 1, CU_STREAM_WAIT_VALUE_EQ), CUDA_SUCCESS);
  }
  void open() const { *word_ = 1; }

 private:
  volatile int* word_;
};

// ---- launches of one executable ---------------------------------------------------------------

TEST_P(CudaGraphLaunch, LaunchesOfOneExecutableAreOrdered) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUDA_OK(cuCtxSynchronize());
    CUgraph graph = make_graph();
    add_kernel(graph, add_one(), address);
    CUgraphExec exec = instantiate(graph);
    CUstream held = make_stream();
    CUstream other = make_stream();
    const Gate gate;
    gate.hold(held);
    CUDA_OK(cuGraphLaunch(exec, held));
    CUDA_OK(cuGraphLaunch(exec, other));
    EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
    gate.open();
    CUDA_OK(cuStreamSynchronize(other));
    EXPECT_EQ(cuStreamQuery(held), CUDA_SUCCESS);
    EXPECT_EQ(read_int(address), 2);
  });
  expect_no_fault();
}

// cuda.h: "Each upload is ordered behind both any previous work in hStream and any previous
// launches".
TEST_P(CudaGraphLaunch, AnUploadIsOrderedAfterEarlierLaunches) {
  run([this] {
    CUgraph graph = make_graph();
    add_kernel(graph, add_one(), allocate(64));
    CUgraphExec exec = instantiate(graph);
    CUstream held = make_stream();
    CUstream other = make_stream();
    const Gate gate;
    gate.hold(held);
    CUDA_OK(cuGraphLaunch(exec, held));
    CUDA_OK(cuGraphUpload(exec, other));
    EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
    gate.open();
    CUDA_OK(cuStreamSynchronize(other));
    CUDA_OK(cuStreamSynchronize(held));
  });
  expect_no_fault();
}

// ---- events -----------------------------------------------------------------------------------

TEST_P(CudaGraphLaunch, AWaitNodeWaitsForTheLastRecordBeforeItsLaunch) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, make_stream()));
    CUgraph graph = make_graph();
    CUgraphNode kernel = add_kernel(graph, add_one(), address);
    CUgraphNode wait = nullptr;
    CUDA_OK(cuGraphAddEventWaitNode(&wait, graph, &kernel, 1, event));
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(instantiate(graph), stream));
    const Gate gate;
    CUstream held = make_stream();
    gate.hold(held);
    CUDA_OK(cuEventRecord(event, held));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY) << "by its later record";
    gate.open();
    CUDA_OK(cuStreamSynchronize(held));
  });
  expect_no_fault();
}

TEST_P(CudaGraphLaunch, TimeIsMeasuredBetweenRecordsOfStreamsAndOfGraphs) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUevent before = make_event();
    CUevent inside = make_event();
    CUevent after = make_event();
    CUgraph graph = make_graph();
    CUgraphNode kernel = add_kernel(graph, add_one(), address);
    CUgraphNode record = nullptr;
    CUDA_OK(cuGraphAddEventRecordNode(&record, graph, &kernel, 1, inside));
    CUstream stream = make_stream();
    CUDA_OK(cuEventRecord(before, stream));
    CUDA_OK(cuGraphLaunch(instantiate(graph), stream));
    CUDA_OK(cuEventRecord(after, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    float milliseconds = -1;
    CUDA_OK(cuEventElapsedTime_v2(&milliseconds, before, inside));
    EXPECT_GE(milliseconds, 0.0F);
    CUDA_OK(cuEventElapsedTime_v2(&milliseconds, inside, after));
    EXPECT_GE(milliseconds, 0.0F);
  });
  expect_no_fault();
}

TEST_P(CudaGraphLaunch, ElapsedTimeUsesTheLastRecordOfAnEvent) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUevent start = make_event();
    CUevent end = make_event();
    CUgraph graph = make_graph();
    CUgraphNode kernel = add_kernel(graph, add_one(), address);
    CUgraphNode record = nullptr;
    CUDA_OK(cuGraphAddEventRecordNode(&record, graph, &kernel, 1, end));
    CUstream late = make_stream();
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(instantiate(graph), late));
    CUDA_OK(cuEventRecord(start, stream));
    CUDA_OK(cuEventRecord(end, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    float milliseconds = -1;
    CUDA_OK(cuEventElapsedTime_v2(&milliseconds, start, end));
    CUDA_OK(cuStreamSynchronize(late));
    float later = -1;
    CUDA_OK(cuEventElapsedTime_v2(&later, start, end));
    EXPECT_EQ(later, milliseconds);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaGraphLaunch);

}  // namespace
}  // namespace harness::testing
