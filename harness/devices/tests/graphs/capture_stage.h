// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of stream capture.
#pragma once

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {

inline constexpr auto kGlobal = CU_STREAM_CAPTURE_MODE_GLOBAL;
inline constexpr auto kThreadLocal = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
inline constexpr auto kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

inline CUstream capturing(CUstreamCaptureMode mode = kGlobal,
                          unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = make_stream(flags);
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, mode), CUDA_SUCCESS);
  return stream;
}

inline CUstreamCaptureStatus status_of(CUstream stream) {
  CUstreamCaptureStatus status{};
  EXPECT_EQ(cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
  return status;
}

/// Ends a capture that was invalidated, and expects that.
inline void expect_lost(CUstream stream) {
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
}

inline CUgraph end_capture(CUstream stream) {
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  return graph;
}

/// One int becomes `value`.
inline void set(CUstream stream, CUdeviceptr address, unsigned value) {
  EXPECT_EQ(cuMemsetD32Async(address, value, 1, stream), CUDA_SUCCESS);
}

}  // namespace harness::testing
