// SPDX-License-Identifier: Apache-2.0
// Errors: the calling thread's last one, and names and descriptions.
#include <array>
#include <utility>

#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/unsupported.h"

namespace harness::cudart {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* description;
};

constexpr const char* kUnrecognized = "unrecognized error code";

/// Ordered by number. Errors without a description have the driver's.
constexpr std::array kErrors = {
#define CUDART_ERROR(error, description) ErrorText{error, #error, description},
#include "harness/client/inside/libcudart/errors.def"
};

const ErrorText* find_text(cudaError_t error) {
  for (const ErrorText& text : kErrors)
    if (text.error == error) return &text;
  return nullptr;
}

}  // namespace

cudaError_t keep(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

int keep_not_supported() { return keep(cudaErrorNotSupported); }

}  // namespace harness::cudart

using harness::cudart::driver;
using harness::cudart::last_error;

CUDART_API cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

CUDART_API cudaError_t cudaPeekAtLastError() { return last_error; }

CUDART_API const char* cudaGetErrorName(cudaError_t error) {
  const auto* text = harness::cudart::find_text(error);
  return text != nullptr ? text->name : harness::cudart::kUnrecognized;
}

CUDART_API const char* cudaGetErrorString(cudaError_t error) {
  const auto* text = harness::cudart::find_text(error);
  if (text == nullptr) return harness::cudart::kUnrecognized;
  const char* description = text->description;
  if (description == nullptr && harness::cudart::open_driver())
    driver.cuGetErrorString(static_cast<CUresult>(error), &description);
  return description != nullptr ? description : text->name;
}
