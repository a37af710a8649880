// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: streams, events and host functions.
#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaStream : public OnEveryDevice {
 protected:
  /// Returns a function that launches a kernel in a stream, which adds one to a pinned word.
  auto add_one() const {
    return [function = get_kernel(image(), "add_one")](CUstream stream, int* word) {
      auto address = reinterpret_cast<CUdeviceptr>(word);
      int count = 1;
      EXPECT_EQ(launch(function, 1, 1, stream, {&address, &count}), CUDA_SUCCESS);
    };
  }
};

/// A word of pinned memory, which kernels use at the same address.
int* make_word(int value) {
  void* pinned = nullptr;
  EXPECT_EQ(cuMemAllocHost_v2(&pinned, sizeof(int)), CUDA_SUCCESS);
  auto* word = static_cast<int*>(pinned);
  *word = value;
  return word;
}

/// A word, and its value when a function of the program looked at it.
struct Seen {
  int* word;
  int value = 0;
};

void look(void* data) {
  auto* mine = static_cast<Seen*>(data);
  mine->value = *mine->word;
}

// ---- streams and events -----------------------------------------------------------------------

TEST_P(CudaStream, UnknownFlagsAreInvalid) {
  run([] {
    CUstream stream = nullptr;
    CUevent event = nullptr;
    EXPECT_EQ(cuStreamCreate(&stream, 0x100), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuEventRecordWithFlags(make_event(), nullptr, 0x100), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaStream, AStreamUsedAfterItsEndIsAFault) {
  run([] {
    CUstream stream = make_stream();
    CUDA_OK(cuStreamDestroy_v2(stream));
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaStream, AStreamDestroyedTwiceIsAFault) {
  run([] {
    CUstream stream = make_stream();
    CUDA_OK(cuStreamDestroy_v2(stream));
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

TEST_P(CudaStream, AStreamReportsItsFlagsAndContext) {
  run([] {
    CUstream stream = nullptr;
    CUDA_OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
    unsigned flags = 0;
    CUDA_OK(cuStreamGetFlags(stream, &flags));
    EXPECT_EQ(flags, CU_STREAM_NON_BLOCKING);
    CUcontext context = nullptr;
    CUcontext current = nullptr;
    CUDA_OK(cuStreamGetCtx(stream, &context));
    CUDA_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(context, current);
    CUDA_OK(cuStreamGetCtx(CU_STREAM_PER_THREAD, &context));
    EXPECT_EQ(context, current);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
}

TEST_P(CudaStream, AnEventUsedAfterItsEndIsAFault) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventDestroy_v2(event));
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaStream, AnEventDestroyedTwiceIsAFault) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventDestroy_v2(event));
    EXPECT_EQ(cuEventDestroy_v2(event), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

TEST_P(CudaStream, AnEventWaitedForAfterItsEndIsAFault) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventDestroy_v2(event));
    EXPECT_EQ(cuStreamWaitEvent(nullptr, event, 0), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaStream, AnEventQueriedAfterItsEndIsAFault) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventDestroy_v2(event));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaStream, AnExternalWaitNeedsACapture) {
  run([] {
    CUevent event = make_event();
    EXPECT_EQ(cuStreamWaitEvent(nullptr, event, CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_ILLEGAL_STATE);
  });
}

TEST_P(CudaStream, AnEventThatWasNeverRecordedIsDone) {
  run([] {
    CUevent event = make_event();
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(make_stream(), event, 0), CUDA_SUCCESS);
  });
  expect_no_fault();
}

TEST_P(CudaStream, TimeIsMeasuredBetweenRecordedEventsOnly) {
  run([] {
    CUevent start = make_event();
    CUevent end = make_event();
    CUevent untimed = make_event(CU_EVENT_DISABLE_TIMING);
    float milliseconds = -1;
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
    CUDA_OK(cuEventRecord(start, nullptr));
    CUDA_OK(cuEventRecord(end, nullptr));
    CUDA_OK(cuEventRecord(untimed, nullptr));
    CUDA_OK(cuEventSynchronize(end));
    CUDA_OK(cuEventElapsedTime_v2(&milliseconds, start, end));
    EXPECT_GE(milliseconds, 0.0F);
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
  });
}

TEST_P(CudaStream, AnEventIsRecordedInItsOwnContext) {
  run([] {
    CUevent event = make_event();
    CUcontext other = nullptr;
    CUDA_OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
    CUDA_OK(cuCtxDestroy_v2(other));
  });
}

TEST_P(CudaStream, AHostFunctionRunsAfterTheWorkBeforeIt) {
  run([] {
    CUdeviceptr address = allocate(64);
    write_int(address, 3);
    CUDA_OK(cuCtxSynchronize());  // The stream below waits for no other.
    CUstream stream = make_stream();
    Seen seen{make_word(0)};
    CUDA_OK(cuMemcpyDtoHAsync_v2(seen.word, address, sizeof(int), stream));
    CUDA_OK(cuLaunchHostFunc(stream, look, &seen));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(seen.value, 3);
    EXPECT_EQ(cuLaunchHostFunc(stream, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaStream, AHostFunctionRunsAfterTheKernelBeforeIt) {
  run([this] {
    Seen seen{make_word(3)};
    CUstream stream = make_stream();
    add_one()(stream, seen.word);
    CUDA_OK(cuLaunchHostFunc(stream, look, &seen));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(seen.value, 4);
  });
  expect_no_fault();
}

TEST_P(CudaStream, ACallbackRunsAfterTheWorkBeforeIt) {
  run([this] {
    Seen seen{make_word(3)};
    CUstream stream = make_stream();
    add_one()(stream, seen.word);
    const auto call = [](CUstream, CUresult, void* data) { look(data); };
    CUDA_OK(cuStreamAddCallback(stream, call, &seen, 0));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(seen.value, 4);
  });
  expect_no_fault();
}

TEST_P(CudaStream, ElapsedTimeUsesTheLastRecordOfAnEvent) {
  run([this] {
    CUevent start = make_event();
    CUevent end = make_event();
    CUstream late = make_stream();
    CUstream stream = make_stream();
    add_one()(late, make_word(0));
    CUDA_OK(cuEventRecord(end, late));
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

// ---- synchronous copies -----------------------------------------------------------------------

TEST_P(CudaStream, ASynchronousCopyFromPageableMemoryDrainsTheStream) {
  run([this] {
    int* word = make_word(3);
    CUdeviceptr address = allocate(64);
    CUevent event = make_event();
    add_one()(nullptr, word);
    CUDA_OK(cuEventRecord(event, nullptr));
    write_int(address, 5);
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
    EXPECT_EQ(*word, 4);
  });
  expect_no_fault();
}

TEST_P(CudaStream, ASynchronousCopyFromPinnedMemoryReturnsWhenItIsDone) {
  run([] {
    int* word = make_word(1);
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemcpyHtoD_v2(address, word, sizeof *word));
    *word = 2;
    EXPECT_EQ(read_int(address), 1);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaStream);

}  // namespace
}  // namespace harness::testing
