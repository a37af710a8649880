// SPDX-License-Identifier: Apache-2.0
// The deprecated way to launch. Each property of a launch is set on the function, and kept for
// later launches.
#include <cstring>

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

using State = PreparedLaunch::State;

/// Returns the launch that is prepared on a function; null if there is no such function.
static PreparedLaunch* prepare(SimDevice& sim, CUfunction handle) {
  Function* function = find_function(sim, handle);
  if (function == nullptr) return nullptr;
  PreparedLaunch& prepared = function->prepared;
  if (prepared.state == State::none) prepared.state = State::set;
  prepared.parameters.resize(function->entry->parameter_bytes);
  return &prepared;
}

void invalidate_prepared(SimDevice& sim, CUfunction handle) {
  PreparedLaunch& prepared = find_function(sim, handle)->prepared;
  if (prepared.state != State::none) prepared = {.state = State::invalidated};
}

CUresult Calls::cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  const std::array<unsigned, 3> block{static_cast<unsigned>(x), static_cast<unsigned>(y),
                                      static_cast<unsigned>(z)};
  if (!fits({1, 1, 1, block[0], block[1], block[2], 0, nullptr, nullptr, 0}))
    return CUDA_ERROR_INVALID_VALUE;
  PreparedLaunch* prepared = prepare(sim, function);
  if (prepared == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  prepared->block = block;
  return CUDA_SUCCESS;
}

CUresult Calls::cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  if (!fits({1, 1, 1, 1, 1, 1, bytes, nullptr, nullptr, 0})) return CUDA_ERROR_INVALID_VALUE;
  PreparedLaunch* prepared = prepare(sim, function);
  if (prepared == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  prepared->shared_bytes = bytes;
  return CUDA_SUCCESS;
}

// ---- parameters -------------------------------------------------------------------------------

CUresult Calls::cuParamSetSize(CUfunction function, unsigned bytes) {
  PreparedLaunch* prepared = prepare(sim, function);
  if (prepared == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (bytes > prepared->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  prepared->parameter_bytes = bytes;
  return CUDA_SUCCESS;
}

CUresult Calls::cuParamSetv(CUfunction function, int offset, void* values, unsigned bytes) {
  PreparedLaunch* prepared = prepare(sim, function);
  if (prepared == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::size_t room = prepared->parameters.size();
  const auto begin = static_cast<std::size_t>(offset);
  if (values == nullptr || begin > room || bytes > room - begin) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(prepared->parameters.data() + begin, values, bytes);
  return CUDA_SUCCESS;
}

CUresult Calls::cuParamSeti(CUfunction function, int offset, unsigned value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult Calls::cuParamSetf(CUfunction function, int offset, float value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}

// ---- launches ---------------------------------------------------------------------------------

CUresult Calls::cuLaunchGridAsync(CUfunction handle, int width, int height, CUstream on) {
  PreparedLaunch* found = prepare(sim, handle);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const PreparedLaunch set = *found;
  if (set.block[0] == 0 || set.parameter_bytes != set.parameters.size()) {
    if (set.state == State::invalidated)
      sim.faults().misuse("function", "launched with what cuLaunchKernel has invalidated");
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::vector<std::byte> parameters = set.parameters;
  std::size_t bytes = parameters.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  const CUresult status = cuLaunchKernel(
      handle, static_cast<unsigned>(width), static_cast<unsigned>(height), 1, set.block[0],
      set.block[1], set.block[2], set.shared_bytes, on, nullptr, extra);
  find_function(sim, handle)->prepared = set;  // Kept for the next launch.
  return status;
}

CUresult Calls::cuLaunchGrid(CUfunction function, int width, int height) {
  return cuLaunchGridAsync(function, width, height, nullptr);
}

CUresult Calls::cuLaunch(CUfunction function) { return cuLaunchGrid(function, 1, 1); }

}  // namespace harness::devices::calls
