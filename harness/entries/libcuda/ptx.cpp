#include "harness/entries/libcuda/ptx.h"

#include <cstdio>
#include <string>

#include "harness/ptx/image.h"

namespace harness::entries {
namespace {

CUresult error_of(ptx::Refused::Why why) {
  switch (why) {
    case ptx::Refused::Why::malformed:
      return CUDA_ERROR_INVALID_PTX;
    case ptx::Refused::Why::no_compiler:
      return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    default:
      return CUDA_ERROR_INVALID_PTX;
  }
}

}  // namespace

devices::ImageFound load_ptx(const void* image) {
  const ptx::Form form = ptx::form_of(image);
  if (form == ptx::Form::text) return {nullptr, CUDA_ERROR_INVALID_IMAGE};
  if (form == ptx::Form::binary) {
    std::fputs(
        "afterlife: a module is no PTX: needs PTX, such as nvcc -ptx or --no-compress gives\n",
        stderr);
    return {nullptr, CUDA_ERROR_NO_BINARY_FOR_GPU};
  }
  try {
    return {ptx::load(static_cast<const char*>(image)), CUDA_SUCCESS};
  } catch (const ptx::Refused& refused) {
    std::fprintf(stderr, "afterlife: a module in PTX is refused: %s\n", refused.words.c_str());
    return {nullptr, error_of(refused.why)};
  }
}

}  // namespace harness::entries
