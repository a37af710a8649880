// SPDX-License-Identifier: Apache-2.0
// Context: the current device of each thread, and that device's primary context.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace harness::cudart {

/// Opens and initializes the driver. Threads: any. Errors: cudaErrorInsufficientDriver.
cudaError_t initialize();

/// Returns the device of the calling thread; 0 until it selects one.
int current_device();

/// Selects a device for the calling thread, and makes its primary context current.
cudaError_t choose_device(int device);

/// Makes the primary context of the thread's device current if it has no context. A context that
/// the program has made current through the driver stays.
cudaError_t bind_context();

/// Returns whether an error may result from a context that was destroyed.
constexpr bool has_lost_context(cudaError_t error) {
  return error == cudaErrorDeviceUninitialized || error == cudaErrorContextIsDestroyed;
}

/// Makes a context current if the thread has none, or its primary context was reset. Returns
/// success if it now has another one, else `error`.
cudaError_t bind_again(cudaError_t error);

/// Retains the primary context of a device, without making it current.
cudaError_t retain_device(int device);

/// Returns whether it is null or a primary context that the runtime retains.
bool is_primary(CUcontext context);

/// Resets the calling thread's device, unless a context other than its primary one is current.
cudaError_t reset_device();

}  // namespace harness::cudart
