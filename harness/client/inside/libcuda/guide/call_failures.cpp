// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/call_failures.h"

#include <cuda.h>
#include <fmt/format.h>

namespace harness::entries {
namespace {

struct CallFailure {
  std::string_view function;
  CUresult error;
  std::string_view name;
};

constexpr CallFailure kFailures[] = {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  {base, failure, #failure},
#define CUDA_PTSZ(...)
#include "harness/driver/cuda/cuda.def"
};

}  // namespace

std::string_view failure_of(std::string_view function) {
  for (const CallFailure& one : kFailures)
    if (one.function == function) return one.error != CUDA_SUCCESS ? one.name : "";
  return {};
}

std::string failure_words(std::string_view function) {
  const std::string_view error = failure_of(function);
  return error.empty() ? "fails" : fmt::format("fails, {}", error);
}

}  // namespace harness::entries
