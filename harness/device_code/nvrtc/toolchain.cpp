// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/nvrtc/toolchain.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/base/process/clang.h"
#include "harness/base/process/cuda_tool.h"
#include "harness/base/process/tool.h"

namespace harness::nvrtc {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Toolchain made(Toolchain::Kind kind, const std::string& program) {
  Toolchain toolchain{kind, program, {}, tool_identity(program)};
  const bool has_host = kind == Toolchain::Kind::clang || !find_tool("g++").empty() ||
                        !variable("NVCC_CCBIN").empty();
  if (!has_host) toolchain.host_compiler = find_clang();
  return toolchain;
}

}  // namespace

Toolchain find_clang_toolchain() { return made(Toolchain::Kind::clang, find_clang()); }

Toolchain find_toolchain() {
  if (const std::string wanted = variable("AFTERLIFE_CUDA_COMPILER"); !wanted.empty()) {
    const std::string found = find_tool(wanted);
    if (found.empty())
      throw NoCompiler{fmt::format("AFTERLIFE_CUDA_COMPILER names no program: {}", wanted)};
    const bool is_nvcc = found.substr(found.rfind('/') + 1).starts_with("nvcc");
    return made(is_nvcc ? Toolchain::Kind::nvcc : Toolchain::Kind::clang, found);
  }
  if (const std::string found = find_cuda_tool("nvcc"); !found.empty())
    return made(Toolchain::Kind::nvcc, found);
  if (const std::string found = find_clang(); !found.empty())
    return made(Toolchain::Kind::clang, found);
  throw NoCompiler{
      fmt::format("kernels in CUDA C++ need a compiler here: nvcc in PATH, CUDA_HOME or a wheel "
                  "(nvidia-cuda-nvcc), or {}; AFTERLIFE_CUDA_COMPILER may name one",
                  kClangAdvice)};
}

}  // namespace harness::nvrtc
