// SPDX-License-Identifier: Apache-2.0
// The error log, which is always empty. Errors are returned as status codes or reported as results,
// and it is not documented which calls write a message. A registered callback is therefore never
// called.
#include <fstream>

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

CUresult Calls::cuLogsRegisterCallback(CUlogsCallback callback, void* /*data*/,
                                       CUlogsCallbackHandle* registered) {
  if (callback == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUlogsCallbackHandle made = sim.processes().current().logs.add();
  if (registered != nullptr) *registered = made;
  return CUDA_SUCCESS;
}

CUresult Calls::cuLogsUnregisterCallback(CUlogsCallbackHandle registered) {
  return sim.processes().current().logs.remove(registered) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuLogsCurrent(CUlogIterator* end, unsigned flags) {
  if (end == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *end = 0;
  return CUDA_SUCCESS;
}

CUresult Calls::cuLogsDumpToFile(CUlogIterator* begin, const char* file, unsigned flags) {
  if (file == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (!std::ofstream(file)) return CUDA_ERROR_INVALID_VALUE;
  if (begin != nullptr) *begin = 0;
  return CUDA_SUCCESS;
}

CUresult Calls::cuLogsDumpToMemory(CUlogIterator* begin, char* buffer, size_t* bytes,
                                   unsigned flags) {
  if (buffer == nullptr || bytes == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (*bytes > 0) buffer[0] = '\0';
  *bytes = 0;
  if (begin != nullptr) *begin = 0;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
