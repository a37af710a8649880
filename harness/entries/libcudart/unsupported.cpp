// Functions that are not simulated: one for each such row of cudart.def. cuda_runtime_api.h is not
// included: they take whatever they are called with, which the calling convention lets them ignore.
#include "harness/entries/libcudart/unsupported.h"

#include <atomic>
#include <cstdio>

#define CUDART_API extern "C" __attribute__((visibility("default")))

/// Names the function once, on stderr.
static int answer(const char* name, std::atomic<bool>& is_told) {
  if (!is_told.exchange(true))
    std::fprintf(stderr, "afterlife: not simulated, answered cudaErrorNotSupported: %s\n", name);
  return harness::cudart::keep_not_supported();
}

#define CUDART_forward(name, twin)
#define CUDART_own(name, twin)
#define CUDART_unsupported(name, twin)                            \
  static std::atomic<bool> is_told_##name;                        \
  CUDART_API int name() { return answer(#name, is_told_##name); } \
  CUDART_TWIN_##twin(name)
#define CUDART_TWIN_none(name)
#define CUDART_TWIN_ptsz(name) \
  CUDART_API int name##_ptsz() { return answer(#name, is_told_##name); }
#define CUDART_ROW(name, status, twin, group, test) CUDART_##status(name, twin)
#include "harness/entries/libcudart/cudart.def"
