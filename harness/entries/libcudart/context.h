// SPDX-License-Identifier: Apache-2.0
// Context: which device a thread works on, and that device's primary context.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace harness::cudart {

/// Opens and initializes the driver. Threads: any. Errors: cudaErrorInsufficientDriver.
cudaError_t initialize();

/// Returns the device of the calling thread: 0 until it chooses one.
int current_device();

/// Makes a device the calling thread's own, and its primary context current.
cudaError_t choose_device(int device);

/// Gives the calling thread the primary context of its device where it has no context. A context
/// that the program has made current by the driver stays.
cudaError_t bind_context();

/// Returns whether an error may come from a context that is not current any more.
constexpr bool has_lost_context(cudaError_t error) {
  return error == cudaErrorDeviceUninitialized || error == cudaErrorContextIsDestroyed;
}

/// Binds a context where the thread has none, or where its primary context was reset. Returns
/// success where it has another one now; else `error`.
cudaError_t bind_again(cudaError_t error);

/// Makes the primary context of a device, and leaves the calling thread with what it has.
cudaError_t retain_device(int device);

/// Returns whether it is a primary context of the runtime's, or none.
bool is_primary(CUcontext context);

/// Ends what the process has on the calling thread's device, unless another context than its
/// primary one is current.
cudaError_t reset_device();

}  // namespace harness::cudart
