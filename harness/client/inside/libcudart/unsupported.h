// SPDX-License-Identifier: Apache-2.0
// Unsupported: the result of functions that are not simulated.
//
// cuda_runtime_api.h is not included: the functions have no parameters, and ignore the arguments of
// their callers, which the calling convention permits.
#pragma once

#include <atomic>

namespace harness::cudart {

/// Stores cudaErrorNotSupported for cudaGetLastError(), and returns its number.
int keep_not_supported();

/// Prints the function's name on stderr unless `is_told`, and returns cudaErrorNotSupported.
int answer_not_supported(const char* name, std::atomic<bool>& is_told);

}  // namespace harness::cudart

/// Defines the function for each row with the status unsupported, and its twin.
#define CUDART_UNSUPPORTED_ROW(name, status, twin, group, test) CUDART_##status(name, twin)
#define CUDART_forward(name, twin)
#define CUDART_own(name, twin)
#define CUDART_unsupported(name, twin)                                   \
  static std::atomic<bool> is_told_##name;                               \
  extern "C" __attribute__((visibility("default"))) int name() {         \
    return harness::cudart::answer_not_supported(#name, is_told_##name); \
  }                                                                      \
  CUDART_TWIN_##twin(name)
#define CUDART_TWIN_none(name)
#define CUDART_TWIN_ptsz(name)                                           \
  extern "C" __attribute__((visibility("default"))) int name##_ptsz() {  \
    return harness::cudart::answer_not_supported(#name, is_told_##name); \
  }
