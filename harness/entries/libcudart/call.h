// SPDX-License-Identifier: Apache-2.0
// Call: what every function of the runtime does around the driver's functions.
//
// A function begins with a Call and ends with in_context() or initialized(), which keep its error
// for cudaGetLastError().
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <new>

#include "harness/entries/libcudart/context.h"
#include "harness/entries/libcudart/driver.h"

#define CUDART_API extern "C" __attribute__((visibility("default")))

namespace harness::cudart {

/// Has reports name this function, and begin with the frame that called it. Of calls inside each
/// other the outermost counts.
class Call {
 public:
  /// Lifetime of the name: the process. `can_fail` is false if nothing tells the program of an
  /// error: none is injected then.
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
  OuterCall* call_ = nullptr;  ///< Null where another one names the call.
};

/// Returns the error of the same number. Two of the driver have none here.
constexpr cudaError_t error_of(CUresult result) {
  return result == CUDA_ERROR_CONTEXT_ALREADY_CURRENT || result == CUDA_ERROR_KEY_ROTATION
             ? cudaErrorUnknown
             : static_cast<cudaError_t>(result);
}
constexpr cudaError_t error_of(cudaError_t error) { return error; }

/// Keeps an error for cudaGetLastError(), and returns it. Work that is not done yet is not an
/// error.
cudaError_t keep(cudaError_t error);

/// Calls a function of the driver, or of several, once the thread has a context; and once more
/// where it has lost that. `function` returns a CUresult or a cudaError_t.
template <class Function>
cudaError_t in_context(const Function& function) try {
  cudaError_t error = bind_context();
  if (error == cudaSuccess) error = error_of(function());
  if (has_lost_context(error) && bind_again(error) == cudaSuccess) error = error_of(function());
  return keep(error);
} catch (const std::bad_alloc&) {
  return keep(cudaErrorMemoryAllocation);
}

/// Likewise, for what needs no context.
template <class Function>
cudaError_t initialized(const Function& function) try {
  const cudaError_t error = initialize();
  return keep(error == cudaSuccess ? error_of(function()) : error);
} catch (const std::bad_alloc&) {
  return keep(cudaErrorMemoryAllocation);
}

/// Returns the stream that a program means which was compiled for per-thread default streams.
inline cudaStream_t per_thread(cudaStream_t stream) {
  return stream == nullptr ? cudaStreamPerThread : stream;
}

inline CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}
inline CUdeviceptr* address_of(void** pointer) { return reinterpret_cast<CUdeviceptr*>(pointer); }

}  // namespace harness::cudart

/// Defines the twin of a function for per-thread default streams. `stream` is its parameter.
#define CUDART_PTSZ(name, stream, parameters, arguments) \
  CUDART_API cudaError_t name##_ptsz parameters {        \
    const harness::cudart::Call call(#name);             \
    stream = harness::cudart::per_thread(stream);        \
    return name arguments;                               \
  }
