// SPDX-License-Identifier: Apache-2.0
// How it works. A process retains the primary context once, and each thread makes it current at its
// first call. No lock is held during a driver call, because another thread may run in it.
#include "harness/client/inside/libcudart/context.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "harness/base/short_lock.h"
#include "harness/client/inside/libcudart/call.h"

namespace harness::cudart {
namespace {

struct ThreadContext {
  int device = 0;
  bool is_bound = false;
  CUcontext primary = nullptr;  ///< The context that the runtime made current on this thread.
};
thread_local ThreadContext mine;

entries::ShortLock lock;

/// Returns the retained primary contexts by device. Requires the lock.
std::map<int, CUcontext>& primaries() {
  static auto* const all = new std::map<int, CUcontext>;  // Never destroyed, for calls at the end.
  return *all;
}

CUcontext find_primary(int device) {
  const std::lock_guard hold(lock);
  const auto found = primaries().find(device);
  return found != primaries().end() ? found->second : nullptr;
}

/// Returns the retained context, which may be that of a faster thread.
CUcontext keep_primary(int device, CUcontext context) {
  const std::lock_guard hold(lock);
  return primaries().try_emplace(device, context).first->second;
}

bool forget_primary(int device) {
  const std::lock_guard hold(lock);
  return primaries().erase(device) != 0;
}

CUresult retain_primary(int device, CUcontext& context) {
  CUdevice handle = 0;
  if (const CUresult error = driver.cuDeviceGet(&handle, device)) return error;
  if (const CUresult error = driver.cuDevicePrimaryCtxRetain(&context, handle)) return error;
  if (keep_primary(device, context) == context) return CUDA_SUCCESS;
  context = find_primary(device);
  return driver.cuDevicePrimaryCtxRelease_v2(handle);
}

cudaError_t make_primary_current(int device) {
  CUcontext context = find_primary(device);
  if (context == nullptr)
    if (const CUresult error = retain_primary(device, context)) return error_of(error);
  if (const CUresult error = driver.cuCtxSetCurrent(context)) return error_of(error);
  mine = {device, true, context};
  return cudaSuccess;
}

}  // namespace

cudaError_t initialize() {
  if (!open_driver()) return cudaErrorInsufficientDriver;
  static const CUresult result = driver.cuInit(0);
  return error_of(result);
}

int current_device() { return mine.device; }

cudaError_t choose_device(int device) {
  const cudaError_t error = make_primary_current(device);
  return has_lost_context(error) && forget_primary(device) ? make_primary_current(device) : error;
}

cudaError_t bind_context() {
  if (mine.is_bound) return cudaSuccess;
  if (const cudaError_t error = initialize()) return error;
  CUcontext current = nullptr;
  if (const CUresult error = driver.cuCtxGetCurrent(&current)) return error_of(error);
  if (current == nullptr) return choose_device(mine.device);
  mine.is_bound = true;
  return cudaSuccess;
}

cudaError_t bind_again(cudaError_t error) {
  CUcontext current = nullptr;
  if (driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS) return error;
  const CUcontext before = std::exchange(mine.primary, nullptr);
  if (current != nullptr && current != before) return error;
  if (current != nullptr && find_primary(mine.device) == before) forget_primary(mine.device);
  if (const cudaError_t refused = choose_device(mine.device)) return refused;
  return mine.primary != before || current == nullptr ? cudaSuccess : error;
}

cudaError_t retain_device(int device) {
  CUcontext context = find_primary(device);
  return context == nullptr ? error_of(retain_primary(device, context)) : cudaSuccess;
}

bool is_primary(CUcontext context) {
  const std::lock_guard hold(lock);
  return context == nullptr || std::ranges::any_of(primaries(), [&](const auto& entry) {
           return entry.second == context;
         });
}

cudaError_t reset_device() {
  CUcontext current = nullptr;
  if (const CUresult error = driver.cuCtxGetCurrent(&current)) return error_of(error);
  if (!is_primary(current)) return cudaSuccess;
  CUdevice handle = 0;
  if (const CUresult error = driver.cuDeviceGet(&handle, mine.device)) return error_of(error);
  if (const CUresult error = driver.cuDevicePrimaryCtxReset_v2(handle)) return error_of(error);
  if (forget_primary(mine.device)) driver.cuDevicePrimaryCtxRelease_v2(handle);
  mine = {mine.device, false, nullptr};
  return error_of(driver.cuCtxSetCurrent(nullptr));
}

}  // namespace harness::cudart
