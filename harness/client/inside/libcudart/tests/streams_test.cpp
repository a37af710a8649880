// SPDX-License-Identifier: Apache-2.0
// Streams, events, captures and callbacks.
#include <atomic>
#include <chrono>
#include <thread>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

extern "C" {
cudaError_t cudaMemsetAsync_ptsz(void*, int, size_t, cudaStream_t);
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
cudaError_t cudaStreamGetId_ptsz(cudaStream_t, unsigned long long*);
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t, cudaStreamCallback_t, void*, unsigned);
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t, cudaHostFn_t, void*);
}

namespace harness::testing {
namespace {

class RuntimeStreams : public Runtime {};

TEST_F(RuntimeStreams, AreMadeWithFlagsAndPriorities) {
  int least = -1;
  int greatest = 1;
  ASSERT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, 0);
  cudaStream_t blocking = nullptr;
  cudaStream_t free = nullptr;
  cudaStream_t urgent = nullptr;
  ASSERT_OK(cudaStreamCreate(&blocking));
  ASSERT_OK(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
  ASSERT_OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  unsigned flags = 9;
  EXPECT_OK(cudaStreamGetFlags(blocking, &flags));
  EXPECT_EQ(flags, unsigned{cudaStreamDefault});
  EXPECT_OK(cudaStreamGetFlags(free, &flags));
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  int priority = 9;
  EXPECT_OK(cudaStreamGetPriority(urgent, &priority));
  EXPECT_EQ(priority, greatest);
  unsigned long long first = 0;
  unsigned long long second = 0;
  EXPECT_OK(cudaStreamGetId(blocking, &first));
  EXPECT_OK(cudaStreamGetId(free, &second));
  EXPECT_NE(first, second);
  int device = 9;
  EXPECT_OK(cudaStreamGetDevice(free, &device));
  EXPECT_EQ(device, 0);
  for (const cudaStream_t one : {blocking, free, urgent}) EXPECT_OK(cudaStreamDestroy(one));
}

TEST_F(RuntimeStreams, WaitForTheirWork) {
  int* memory = on_device();
  const cudaStream_t on = stream();
  AddArguments arguments(memory, 2);
  ASSERT_OK(cudaLaunchKernel(&host.add, 1, 8, arguments.get(), 0, on));
  EXPECT_OK(cudaStreamSynchronize(on));
  EXPECT_OK(cudaStreamQuery(on));
  EXPECT_EQ(read(memory), all(2));
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaFree(memory));
}

/// A host function that does not return keeps a stream's work from being done.
class Gate {
 public:
  static void wait(void* gate) {
    while (!static_cast<Gate*>(gate)->is_open_) std::this_thread::yield();
  }
  void open() { is_open_ = true; }

 private:
  std::atomic<bool> is_open_{false};
};

TEST_F(RuntimeStreams, WorkThatIsNotDoneIsNoError) {
  const cudaStream_t on = stream();
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaEventCreate(&event));
  Gate gate;
  ASSERT_OK(cudaLaunchHostFunc(on, Gate::wait, &gate));
  ASSERT_OK(cudaEventRecord(event, on));
  EXPECT_EQ(cudaStreamQuery(on), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  gate.open();
  EXPECT_OK(cudaEventSynchronize(event));
  EXPECT_OK(cudaEventQuery(event));
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaEventDestroy(event));
}

TEST_F(RuntimeStreams, WaitForEventsOfOthers) {
  const cudaStream_t first = stream();
  const cudaStream_t second = stream();
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  Gate gate;
  ASSERT_OK(cudaLaunchHostFunc(first, Gate::wait, &gate));
  ASSERT_OK(cudaEventRecordWithFlags(event, first, cudaEventRecordDefault));
  ASSERT_OK(cudaStreamWaitEvent(second, event, cudaEventWaitDefault));
  EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
  gate.open();
  EXPECT_OK(cudaStreamSynchronize(second));
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  expect_error(cudaEventRecordWithFlags(event, first, 0x40), cudaErrorInvalidValue);
  for (const cudaStream_t one : {first, second}) EXPECT_OK(cudaStreamDestroy(one));
  EXPECT_OK(cudaEventDestroy(event));
}

TEST_F(RuntimeStreams, AThreadWaitsUntilTheWorkIsDone) {
  const cudaStream_t on = stream();
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaEventCreate(&event));
  for (const bool by_event : {false, true}) {
    Gate gate;
    ASSERT_OK(cudaLaunchHostFunc(on, Gate::wait, &gate));
    ASSERT_OK(cudaEventRecord(event, on));
    std::atomic<bool> has_opened{false};
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      has_opened = true;
      gate.open();
    });
    EXPECT_OK(by_event ? cudaEventSynchronize(event) : cudaStreamSynchronize(on));
    EXPECT_TRUE(has_opened);
    other.join();
    EXPECT_OK(cudaDeviceSynchronize());
  }
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaEventDestroy(event));
  expect_error(cudaStreamDestroy(on), cudaErrorInvalidResourceHandle);
  expect_error(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeStreams, EventsTellTimes) {
  std::array<cudaEvent_t, 2> events{};
  for (cudaEvent_t& event : events) {
    ASSERT_OK(cudaEventCreate(&event));
    ASSERT_OK(cudaEventRecord(event, nullptr));
  }
  ASSERT_OK(cudaEventSynchronize(events[1]));
  float milliseconds = -1;
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
  EXPECT_GE(milliseconds, 0);
  cudaEvent_t untimed = nullptr;
  ASSERT_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  expect_error(cudaEventElapsedTime(&milliseconds, untimed, events[0]),
               cudaErrorInvalidResourceHandle);
  for (const cudaEvent_t event : {events[0], events[1], untimed}) {
    EXPECT_OK(cudaEventDestroy(event));
  }
}

TEST_F(RuntimeStreams, CallBackWithTheRuntimesError) {
  struct Seen {
    cudaStream_t stream = nullptr;
    cudaError_t error = cudaErrorUnknown;
    int functions = 0;
  } seen;
  const auto call_back = [](cudaStream_t on, cudaError_t error, void* data) {
    auto* told = static_cast<Seen*>(data);
    told->stream = on;
    told->error = error;
  };
  const auto count = [](void* data) { ++static_cast<Seen*>(data)->functions; };
  const cudaStream_t on = stream();
  ASSERT_OK(cudaStreamAddCallback(on, call_back, &seen, 0));
  ASSERT_OK(cudaLaunchHostFunc(on, count, &seen));
  ASSERT_OK(cudaStreamSynchronize(on));
  EXPECT_EQ(seen.stream, on);
  EXPECT_EQ(seen.error, cudaSuccess);
  EXPECT_EQ(seen.functions, 1);
  seen.error = cudaErrorUnknown;
  ASSERT_OK(cudaStreamAddCallback_ptsz(nullptr, call_back, &seen, 0));
  ASSERT_OK(cudaLaunchHostFunc_ptsz(nullptr, count, &seen));
  ASSERT_OK(cudaStreamSynchronize_ptsz(nullptr));
  EXPECT_EQ(seen.error, cudaSuccess);
  EXPECT_EQ(seen.functions, 2);
  expect_error(cudaStreamAddCallback(on, nullptr, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_OK(cudaStreamDestroy(on));
}

TEST_F(RuntimeStreams, WithoutANameAreTheThreadsOwnForATwin) {
  unsigned long long legacy = 0;
  unsigned long long own = 0;
  unsigned long long named = 0;
  EXPECT_OK(cudaStreamGetId(nullptr, &legacy));
  EXPECT_OK(cudaStreamGetId_ptsz(nullptr, &own));
  EXPECT_OK(cudaStreamGetId(cudaStreamPerThread, &named));
  EXPECT_EQ(own, named);
  EXPECT_NE(own, legacy);
  EXPECT_OK(cudaStreamQuery_ptsz(nullptr));
}

// ---- captures -----------------------------------------------------------------------------------

TEST_F(RuntimeStreams, AreCaptured) {
  int* memory = on_device();
  const cudaStream_t on = stream();
  AddArguments arguments(memory, 2);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ASSERT_OK(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
  ASSERT_OK(cudaLaunchKernel(&host.add, 1, 8, arguments.get(), 0, on));
  EXPECT_OK(cudaStreamIsCapturing(on, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  EXPECT_OK(cudaStreamGetCaptureInfo(on, &status, &id, &graph, &nodes, nullptr, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_NE(graph, nullptr);
  EXPECT_OK(cudaStreamUpdateCaptureDependencies(on, nullptr, nullptr, 0,
                                                cudaStreamSetCaptureDependencies));
  EXPECT_OK(cudaStreamGetCaptureInfo(on, &status, &id, &graph, &nodes, nullptr, &count));
  EXPECT_EQ(count, 0U);
  EXPECT_OK(cudaStreamEndCapture(on, &graph));
  EXPECT_EQ(read(memory), all(0));
  cudaGraphExec_t exec = nullptr;
  ASSERT_OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_OK(cudaGraphLaunch(exec, on));
  EXPECT_EQ(read(memory), all(2));
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeStreams, AreCapturedIntoAGraphThatIsThere) {
  int* memory = on_device();
  const cudaStream_t on = stream();
  cudaGraph_t graph = nullptr;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  ASSERT_OK(cudaStreamBeginCaptureToGraph(on, graph, nullptr, nullptr, 0,
                                          cudaStreamCaptureModeThreadLocal));
  EXPECT_OK(cudaMemsetAsync(memory, 1, kBytes, on));
  cudaGraph_t same = nullptr;
  EXPECT_OK(cudaStreamEndCapture(on, &same));
  EXPECT_EQ(same, graph);
  std::size_t count = 0;
  EXPECT_OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaStreamDestroy(on));
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeStreams, OfAThreadAreCapturedByTwins) {
  int* memory = on_device();
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ASSERT_OK(cudaStreamBeginCapture_ptsz(nullptr, cudaStreamCaptureModeThreadLocal));
  EXPECT_OK(cudaMemsetAsync_ptsz(memory, 1, kBytes, nullptr));
  EXPECT_OK(cudaStreamIsCapturing_ptsz(nullptr, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  ASSERT_OK(cudaStreamEndCapture_ptsz(nullptr, &graph));
  std::size_t count = 0;
  EXPECT_OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeStreams, CaptureModesAreExchanged) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  EXPECT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  EXPECT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
}

}  // namespace
}  // namespace harness::testing
