// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/framework_switches.h"

#include <fmt/format.h>

#include <cstdlib>

namespace harness::client {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void add_unless_set(std::vector<std::string>& made, const char* name, const std::string& value) {
  if (std::getenv(name) == nullptr) made.push_back(fmt::format("{}={}", name, value));
}

}  // namespace

std::vector<std::string> framework_switches(const std::string& library_folder,
                                            const std::string& stand_ins) {
  constexpr const char* kTuning = "--xla_gpu_autotune_level";
  std::vector<std::string> made;
  add_unless_set(made, "NVTX_INJECTION64_PATH", library_folder + "/libafterlife_nvtx.so");
  add_unless_set(made, "TRITON_PTXAS_PATH", stand_ins + "/ptxas");
  add_unless_set(made, "JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1");
  add_unless_set(made, "XLA_PYTHON_CLIENT_PREALLOCATE", "false");
  const std::string flags = variable("XLA_FLAGS");
  const bool is_file = !flags.empty() && flags.find("--") == std::string::npos;
  if (!is_file && flags.find(kTuning) == std::string::npos)
    made.push_back(fmt::format("XLA_FLAGS={}=0{}{}", kTuning, flags.empty() ? "" : " ", flags));
  return made;
}

}  // namespace harness::client
