// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace harness::entries {

CUresult JitOptions::read(unsigned count, const CUjit_option* options, void** values) {
  if (count != 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    switch (options[i]) {
      case CU_JIT_WALL_TIME:
        wall_time = &values[i];
        outputs.push_back(&values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        information.give(values[i]);
        outputs.push_back(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        information.limit(&values[i]);
        outputs.push_back(&values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        errors.give(values[i]);
        outputs.push_back(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        errors.limit(&values[i]);
        outputs.push_back(&values[i]);
        break;
      case CU_JIT_LOG_VERBOSE:
        is_verbose = values[i] != nullptr;
        break;
      case CU_JIT_FALLBACK_STRATEGY:
        return CUDA_ERROR_INVALID_VALUE;
      default:
        if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
    }
  }
  took(0);
  errors.tell();
  information.tell();
  return CUDA_SUCCESS;
}

void JitOptions::took(float milliseconds) {
  if (wall_time == nullptr) return;
  float all = 0;
  if (milliseconds != 0) std::memcpy(&all, wall_time, sizeof all);
  all += milliseconds;
  std::memcpy(wall_time, &all, sizeof all);
}

bool are_for_an_input(unsigned count, const CUjit_option* options) {
  return std::ranges::none_of(std::span(options, count), [](CUjit_option option) {
    return option == CU_JIT_WALL_TIME || option == CU_JIT_INFO_LOG_BUFFER ||
           option == CU_JIT_ERROR_LOG_BUFFER || option == CU_JIT_TARGET_FROM_CUCONTEXT ||
           option == CU_JIT_TARGET || option < 0 || option >= CU_JIT_NUM_OPTIONS;
  });
}

}  // namespace harness::entries
