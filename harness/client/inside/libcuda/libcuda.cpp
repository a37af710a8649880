// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: the simulated driver for unmodified programs.
//
// A program passes its kernels as a fatbin; we run the same kernels, compiled for the host. A
// fatbin that was built with this library is recognised by its content, a KernelImage by its path.
// We always run our own copy of the kernels, because their support functions (threadIdx,
// __syncthreads, the access checks) exist once per library.
#include <cstring>
#include <string>

#include "harness/client/inside/libcuda/guide/guided.h"
#include "harness/client/inside/libcuda/linker.h"
#include "harness/client/inside/libcuda/ptx.h"
#include "harness/client/inside/libcuda/python/threads.h"
#include "harness/client/inside/libcuda/turns/native_threads.h"
#include "harness/client/inside/libcuda/unsupported.h"
#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/image_file.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/cuda.h"
#include "harness/driver/cuda/process.h"
#include "harness/driver/device.h"

namespace {

/// The record that the build adds for each kernel.cu (scripts/cmake/fatbin.S.in).
struct BuiltImage {
  const harness::KernelImage* kernels;
  const unsigned char* fatbin;
  std::uint64_t fatbin_bytes;
};

extern "C" {
__attribute__((weak, visibility("hidden"))) extern const BuiltImage __start_afterlife_images[];
__attribute__((weak, visibility("hidden"))) extern const BuiltImage __stop_afterlife_images[];
}

/// Compares byte by byte and stops at the first difference, because `image` may be shorter.
bool begins_with(const void* image, const void* wanted, std::uint64_t bytes) {
  const auto* left = static_cast<const unsigned char*>(image);
  const auto* right = static_cast<const unsigned char*>(wanted);
  for (std::uint64_t i = 0; i < bytes; ++i)
    if (left[i] != right[i]) return false;
  return bytes > 0;
}

bool stands_for(const void* image, const BuiltImage& built) {
  if (begins_with(image, built.fatbin, built.fatbin_bytes)) return true;
  if (!begins_with(image, &harness::kKernelImageMagic, sizeof harness::kKernelImageMagic))
    return false;
  return std::strcmp(static_cast<const harness::KernelImage*>(image)->path, built.kernels->path) ==
         0;
}

/// Returns our own copy of the kernels of an image, or null.
const harness::KernelImage* find_built(const void* image) {
  for (const BuiltImage* built = __start_afterlife_images; built != __stop_afterlife_images;
       ++built)
    if (stands_for(image, *built)) return built->kernels;
  return nullptr;
}

harness::devices::ImageFound find_image(const void* image) {
  const harness::KernelImage* built = find_built(image);
  return built != nullptr ? harness::devices::ImageFound{built, CUDA_SUCCESS}
                          : harness::entries::load_ptx(image);
}

harness::devices::ImageFound find_image_file(const std::string& file) {
  const harness::KernelImage* built = find_built(file.c_str());
  return built != nullptr ? harness::devices::ImageFound{built, CUDA_SUCCESS}
                          : harness::entries::load_ptx(file);
}

/// Finds functions outside of the simulated device.
void* find_beside(const char* base) {
  void* found = harness::entries::find_linker(base);
  return found != nullptr ? found : harness::entries::find_unsupported(base);
}

__attribute__((constructor)) void serve() {
  harness::devices::set_image_lookup(find_image);
  harness::devices::set_image_file_lookup(find_image_file);
  harness::serve_process([]() -> harness::Device* { return new harness::devices::SimDevice; },
                         find_beside);
  harness::ProcessWorld::guide_by(harness::entries::Guided::make);
  harness::entries::PythonThreads::listen();
  harness::entries::NativeThreads::listen();
}

}  // namespace
