// SPDX-License-Identifier: Apache-2.0
// Settings of contexts: flags, limits, preferences, profiler ranges.
#include <algorithm>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/limits.h"

namespace harness::devices::calls {

// ---- names ------------------------------------------------------------------------------------

/// All contexts report the last version that changed what a context can do.
CUresult Calls::cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  constexpr unsigned kVersion = 3020;
  Context* context = nullptr;
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = context_or_current(sim, handle, context); error != CUDA_SUCCESS)
    return error;
  *version = kVersion;
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxGetId(CUcontext handle, unsigned long long* id) {
  Context* context = nullptr;
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = context_or_current(sim, handle, context); error != CUDA_SUCCESS)
    return error;
  *id = sim.handles().contexts.number(*context) + 1;
  return CUDA_SUCCESS;
}

// ---- flags ------------------------------------------------------------------------------------

CUresult Calls::cuCtxGetFlags(unsigned* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = sim.threads().context()->flags;
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxSetFlags(unsigned flags) {
  if (!are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  sim.threads().context()->flags = flags;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Process& process = sim.processes().current();
  *flags = process.primary != nullptr ? process.primary->flags : process.primary_flags;
  *active = process.primary != nullptr ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (!are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  Process& process = sim.processes().current();
  process.primary_flags = flags;
  if (process.primary != nullptr) process.primary->flags = flags;
  return CUDA_SUCCESS;
}

// ---- limits -----------------------------------------------------------------------------------

/// Returns the address of a limit in a context; null for the limits of contexts shared with
/// graphics.
static std::size_t* find_limit(Context& context, CUlimit limit) {
  const auto index = static_cast<std::size_t>(limit);
  return index < context.limits.size() ? &context.limits[index] : nullptr;
}

static CUresult unknown_limit(CUlimit limit) {
  return limit >= 0 && limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                            : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuCtxGetLimit(size_t* value, CUlimit limit) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t* found = find_limit(*sim.threads().context(), limit);
  if (found == nullptr) return unknown_limit(limit);
  *value = *found;
  return CUDA_SUCCESS;
}

/// The largest fetch granularity of the L2 cache, in bytes.
static constexpr std::size_t kMaxFetchBytes = 128;

/// Returns the nearest value that the device supports.
static std::size_t nearest(CUlimit limit, std::size_t value) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:  // A multiple of 16 bytes.
      return std::min<std::size_t>(value, kMaxStackBytes) / 16 * 16;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
      return std::min<std::size_t>(value, kMaxLaunchDepth);
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
      return 0;  // The device has no persisting L2 cache.
    default:
      return value;
  }
}

CUresult Calls::cuCtxSetLimit(CUlimit limit, size_t value) {
  std::size_t* found = find_limit(*sim.threads().context(), limit);
  if (found == nullptr) return unknown_limit(limit);
  if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > kMaxFetchBytes)
    return CUDA_ERROR_INVALID_VALUE;
  // The size of the heap is fixed as soon as a kernel has used it.
  if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && sim.threads().context()->heap_used)
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  *found = nearest(limit, value);
  return CUDA_SUCCESS;
}

// ---- cache preferences and profiler marks, without effect -------------------------------------

bool is_cache_config(CUfunc_cache config) {
  return config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL;
}

CUresult Calls::cuCtxGetCacheConfig(CUfunc_cache* config) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *config = sim.threads().context()->cache_config;
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxSetCacheConfig(CUfunc_cache config) {
  if (!is_cache_config(config)) return CUDA_ERROR_INVALID_VALUE;
  sim.threads().context()->cache_config = config;
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }

CUresult Calls::cuProfilerStart() { return CUDA_SUCCESS; }

CUresult Calls::cuProfilerStop() { return CUDA_SUCCESS; }

}  // namespace harness::devices::calls
