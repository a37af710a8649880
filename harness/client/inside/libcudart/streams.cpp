// SPDX-License-Identifier: Apache-2.0
// Streams and events: functions that are more than a single driver call.
#include <memory>

#include "harness/client/inside/libcudart/call.h"

using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;

CUDART_API cudaError_t cudaStreamCreate(cudaStream_t* created) {
  const Call call("cudaStreamCreate");
  return in_context([&] { return driver.cuStreamCreate(created, CU_STREAM_DEFAULT); });
}

CUDART_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  const Call call("cudaEventCreate");
  return in_context([&] { return driver.cuEventCreate(event, CU_EVENT_DEFAULT); });
}

namespace {

/// A callback, which gets the error as the runtime's type.
struct Callback {
  cudaStreamCallback_t function;
  void* data;
};

void CUDA_CB call_back(CUstream stream, CUresult status, void* data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(data));
  callback->function(stream, error_of(status), callback->data);
}

}  // namespace

CUDART_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                             void* data, unsigned flags) {
  const Call call("cudaStreamAddCallback");
  return in_context([&] {
    if (callback == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto added = std::make_unique<Callback>(callback, data);
    const CUresult error = driver.cuStreamAddCallback(stream, call_back, added.get(), flags);
    if (error == CUDA_SUCCESS) (void)added.release();
    return error;
  });
}
CUDART_PTSZ(cudaStreamAddCallback, stream,
            (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags),
            (stream, callback, data, flags))
