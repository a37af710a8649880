// SPDX-License-Identifier: Apache-2.0
// Order: does a stream have to wait for work that holds another one?
#pragma once

#include "gate.h"

/// Returns the stream's state after 60 ms, by which time all work that is not held has ended.
inline std::string follows(CUstream s) {
  nap(60);
  CUresult q = CODE(cuStreamQuery(s));
  return q == CUDA_ERROR_NOT_READY ? "waits" : q == 0 ? "does not wait" : name(q);
}
