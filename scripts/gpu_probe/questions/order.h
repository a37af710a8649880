// SPDX-License-Identifier: Apache-2.0
// Order: does a stream have to wait for what holds another one?
#pragma once

#include "gate.h"

/// Returns what the stream says of itself after 60 ms, in which all that nothing holds is over.
inline std::string follows(CUstream s) {
  nap(60);
  CUresult q = CODE(cuStreamQuery(s));
  return q == CUDA_ERROR_NOT_READY ? "waits" : q == 0 ? "does not wait" : name(q);
}
