// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/xla_note.h"

#include <link.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace harness::entries {

static int is_plugin(dl_phdr_info* library, std::size_t, void*) {
  return std::string_view(library->dlpi_name).ends_with("/xla_cuda_plugin.so") ? 1 : 0;
}

std::string xla_note() {
  if (::dl_iterate_phdr(is_plugin, nullptr) == 0) return {};
  const char* flags = std::getenv("XLA_FLAGS");
  const bool is_told = flags != nullptr && std::strstr(flags, "--xla_gpu_autotune_level=0");
  return std::string(is_told ? "XLA does not time its kernels (XLA_FLAGS has "
                               "--xla_gpu_autotune_level=0 in front), and "
                             : "") +
         "cuBLAS and cuDNN do not work here";
}

}  // namespace harness::entries
