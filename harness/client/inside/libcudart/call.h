// SPDX-License-Identifier: Apache-2.0
// Call: the common frame of all runtime functions around the driver calls that they make.
//
// A function begins with a Call and ends with in_context() or initialized(), which keep its error
// for cudaGetLastError().
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <new>

#include "harness/client/inside/libcudart/context.h"
#include "harness/client/inside/libcudart/driver.h"

#define CUDART_API extern "C" __attribute__((visibility("default")))

namespace harness::cudart {

/// Makes reports show this function and its caller. Of nested calls, the outermost one counts.
class Call {
 public:
  /// Lifetime of the name: that of the process. `can_fail`: false if the program cannot observe an
  /// error, so that none is injected.
  [[gnu::always_inline]] explicit Call(const char* function, bool can_fail = true) {
    if (!open_driver() || driver.outer_call == nullptr) return;
    OuterCall* call = driver.outer_call();
    if (call->function != nullptr) return;
    call_ = call;
    *call_ = {function, __builtin_return_address(0), can_fail};
  }
  ~Call() {
    if (call_ != nullptr) *call_ = {};
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  OuterCall* call_ = nullptr;  ///< Null if an outer call is reported.
};

/// Returns the runtime error with the same number. Two driver errors have no counterpart.
constexpr cudaError_t error_of(CUresult result) {
  return result == CUDA_ERROR_CONTEXT_ALREADY_CURRENT || result == CUDA_ERROR_KEY_ROTATION
             ? cudaErrorUnknown
             : static_cast<cudaError_t>(result);
}
constexpr cudaError_t error_of(cudaError_t error) { return error; }

/// Stores an error for cudaGetLastError(), and returns it. cudaErrorNotReady is not an error.
cudaError_t keep(cudaError_t error);

/// Calls `function`, which makes driver calls, after the thread got a context. Calls it again if
/// the context was lost. `function` returns a CUresult or a cudaError_t.
template <class Function>
cudaError_t in_context(const Function& function) try {
  cudaError_t error = bind_context();
  if (error == cudaSuccess) error = error_of(function());
  if (has_lost_context(error) && bind_again(error) == cudaSuccess) error = error_of(function());
  return keep(error);
} catch (const std::bad_alloc&) {
  return keep(cudaErrorMemoryAllocation);
}

/// Likewise, for functions that need no context.
template <class Function>
cudaError_t initialized(const Function& function) try {
  const cudaError_t error = initialize();
  return keep(error == cudaSuccess ? error_of(function()) : error);
} catch (const std::bad_alloc&) {
  return keep(cudaErrorMemoryAllocation);
}

/// Returns the stream of a program that was compiled for per-thread default streams.
inline cudaStream_t per_thread(cudaStream_t stream) {
  return stream == nullptr ? cudaStreamPerThread : stream;
}

inline CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}
inline CUdeviceptr* address_of(void** pointer) { return reinterpret_cast<CUdeviceptr*>(pointer); }

}  // namespace harness::cudart

/// Defines the per-thread twin of a function. `stream` is its parameter.
#define CUDART_PTSZ(name, stream, parameters, arguments) \
  CUDART_API cudaError_t name##_ptsz parameters {        \
    const harness::cudart::Call call(#name);             \
    stream = harness::cudart::per_thread(stream);        \
    return name arguments;                               \
  }
