// SPDX-License-Identifier: Apache-2.0
// Functions that are not simulated, one for each such row of cudart.def.
#include "harness/client/inside/libcudart/unsupported.h"

#include <cstdio>

namespace harness::cudart {

int answer_not_supported(const char* name, std::atomic<bool>& is_told) {
  if (!is_told.exchange(true))
    std::fprintf(stderr, "afterlife: not simulated, returned cudaErrorNotSupported: %s\n", name);
  return keep_not_supported();
}

}  // namespace harness::cudart

#define CUDART_ROW(name, status, twin, group, test) \
  CUDART_UNSUPPORTED_ROW(name, status, twin, group, test)
#include "harness/client/inside/libcudart/cudart.def"
