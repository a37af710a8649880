// SPDX-License-Identifier: Apache-2.0
// Twins for per-thread default streams: without a stream they mean the thread's own.
#include <array>
#include <atomic>
#include <thread>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

extern "C" {
cudaError_t cudaEventRecord_ptsz(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t, cudaStream_t, unsigned);
cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaMemPrefetchAsync_ptsz(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t);
cudaError_t cudaMemPrefetchBatchAsync_ptsz(void**, size_t*, size_t, cudaMemLocation*, size_t*,
                                           size_t, unsigned long long, cudaStream_t);
cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t, void*, size_t, unsigned);
cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t, cudaGraph_t, const cudaGraphNode_t*,
                                               const cudaGraphEdgeData*, size_t,
                                               cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t, cudaStreamCaptureStatus*,
                                          unsigned long long*, cudaGraph_t*,
                                          const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                          size_t*);
cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t, int*);
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t, unsigned*);
cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t, int*);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t);
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t, cudaGraphNode_t*,
                                                     const cudaGraphEdgeData*, size_t, unsigned);
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t, cudaEvent_t, unsigned);
}

namespace harness::testing {
namespace {

class RuntimeTwins : public Runtime {
 protected:
  /// A host function in a stream, which returns when it is told to.
  class Gate {
   public:
    explicit Gate(cudaStream_t on) { EXPECT_OK(cudaLaunchHostFunc(on, wait, this)); }
    void open() { is_open_ = true; }

   private:
    static void wait(void* gate) {
      while (!static_cast<Gate*>(gate)->is_open_) std::this_thread::yield();
    }
    std::atomic<bool> is_open_{false};
  };
};

TEST_F(RuntimeTwins, AskTheThreadsOwnStream) {
  int device = 9;
  int priority = 9;
  unsigned flags = 9;
  EXPECT_OK(cudaStreamGetDevice_ptsz(nullptr, &device));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cudaStreamGetPriority_ptsz(nullptr, &priority));
  EXPECT_EQ(priority, 0);
  EXPECT_OK(cudaStreamGetFlags_ptsz(nullptr, &flags));
  EXPECT_NE(flags, 9U);
  Gate gate(cudaStreamPerThread);
  EXPECT_EQ(cudaStreamQuery_ptsz(nullptr), cudaErrorNotReady);
  gate.open();
  EXPECT_OK(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST_F(RuntimeTwins, RecordAndWaitInTheThreadsOwnStream) {
  const cudaStream_t other = stream();
  std::array<cudaEvent_t, 3> events{};
  for (cudaEvent_t& event : events) ASSERT_OK(cudaEventCreate(&event));
  Gate gate(other);
  EXPECT_OK(cudaEventRecord(events[0], other));
  EXPECT_OK(cudaStreamWaitEvent_ptsz(nullptr, events[0], 0));
  EXPECT_OK(cudaEventRecord_ptsz(events[1], nullptr));
  EXPECT_OK(cudaEventRecordWithFlags_ptsz(events[2], nullptr, 0));
  EXPECT_EQ(cudaEventQuery(events[1]), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(events[2]), cudaErrorNotReady);
  gate.open();
  EXPECT_OK(cudaStreamSynchronize(cudaStreamPerThread));
  for (const cudaEvent_t event : events) EXPECT_OK(cudaEventDestroy(event));
  EXPECT_OK(cudaStreamDestroy(other));
}

TEST_F(RuntimeTwins, CaptureTheThreadsOwnStream) {
  int* memory = on_device();
  cudaGraph_t graph = nullptr;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  ASSERT_OK(cudaStreamBeginCaptureToGraph_ptsz(nullptr, graph, nullptr, nullptr, 0,
                                               cudaStreamCaptureModeThreadLocal));
  EXPECT_OK(cudaMemsetAsync(memory, 1, kBytes, cudaStreamPerThread));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  std::size_t count = 9;
  const auto ask = [&] {
    EXPECT_OK(cudaStreamGetCaptureInfo_ptsz(nullptr, &status, nullptr, nullptr, nullptr, nullptr,
                                            &count));
  };
  ask();
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(count, 1U);
  EXPECT_OK(cudaStreamUpdateCaptureDependencies_ptsz(nullptr, nullptr, nullptr, 0,
                                                     cudaStreamSetCaptureDependencies));
  ask();
  EXPECT_EQ(count, 0U);
  cudaGraph_t same = nullptr;
  EXPECT_OK(cudaStreamEndCapture_ptsz(nullptr, &same));
  EXPECT_EQ(same, graph);
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeTwins, RefuseWhatTheOthersRefuse) {
  void* memory = on_device();
  cudaMemLocation device{};
  device.type = cudaMemLocationTypeDevice;
  std::size_t bytes = kBytes;
  std::size_t first = 0;
  expect_error(cudaMemPrefetchAsync_ptsz(memory, kBytes, device, 0, nullptr),
               cudaErrorInvalidValue);
  expect_error(cudaMemPrefetchBatchAsync_ptsz(&memory, &bytes, 1, &device, &first, 1, 0, nullptr),
               cudaErrorInvalidValue);
  expect_error(cudaStreamAttachMemAsync_ptsz(nullptr, memory, 0, 0x40), cudaErrorInvalidValue);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  ASSERT_OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_OK(cudaGraphUpload_ptsz(exec, nullptr));
  EXPECT_OK(cudaGraphExecDestroy(exec));
  expect_error(cudaGraphUpload_ptsz(exec, nullptr), cudaErrorInvalidValue);
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaFree(memory));
}

}  // namespace
}  // namespace harness::testing
