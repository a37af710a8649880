#include "harness/nvrtc/toolchain.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "harness/process/tool.h"

namespace harness::nvrtc {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string find_clang() {
  if (const std::string wanted = variable("AFTERLIFE_CLANG"); !wanted.empty())
    return find_tool(wanted);
  for (const char* name : {"clang++-19", "clang++"})
    if (std::string found = find_tool(name); !found.empty()) return found;
  return {};
}

/// The folders of installed Python packages that this process has libraries of.
std::vector<std::string> package_folders() {
  std::vector<std::string> folders;
  const auto look = [](dl_phdr_info* library, std::size_t, void* data) {
    constexpr std::string_view kFolder = "/site-packages/";
    const std::string_view file = library->dlpi_name;
    auto& found = *static_cast<std::vector<std::string>*>(data);
    if (const std::size_t place = file.find(kFolder); place != std::string_view::npos) {
      const std::string folder(file.substr(0, place + kFolder.size()));
      if (std::find(found.begin(), found.end(), folder) == found.end()) found.push_back(folder);
    }
    return 0;
  };
  ::dl_iterate_phdr(look, &folders);
  return folders;
}

std::string find_nvcc() {
  for (const char* root : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = variable(root); !folder.empty())
      if (std::string found = find_tool(folder + "/bin/nvcc"); !found.empty()) return found;
  if (std::string found = find_tool("nvcc"); !found.empty()) return found;
  for (const char* usual : {"/usr/local/cuda/bin/nvcc", AFTERLIFE_NVCC})
    if (std::string found = *usual != '\0' ? find_tool(usual) : ""; !found.empty()) return found;
  for (const std::string& folder : package_folders())
    for (const char* wheel : {"nvidia/cu13/bin/nvcc", "nvidia/cuda_nvcc/bin/nvcc"})
      if (std::string found = find_tool(folder + wheel); !found.empty()) return found;
  return {};
}

Toolchain made(Toolchain::Kind kind, const std::string& program) {
  Toolchain toolchain{kind, program, {}, tool_identity(program)};
  const bool has_host = kind == Toolchain::Kind::clang || !find_tool("g++").empty() ||
                        !variable("NVCC_CCBIN").empty();
  if (!has_host) toolchain.host_compiler = find_clang();
  return toolchain;
}

}  // namespace

Toolchain find_toolchain() {
  if (const std::string wanted = variable("AFTERLIFE_CUDA_COMPILER"); !wanted.empty()) {
    const std::string found = find_tool(wanted);
    if (found.empty())
      throw NoCompiler{fmt::format("AFTERLIFE_CUDA_COMPILER names no program: {}", wanted)};
    const bool is_nvcc = found.substr(found.rfind('/') + 1).starts_with("nvcc");
    return made(is_nvcc ? Toolchain::Kind::nvcc : Toolchain::Kind::clang, found);
  }
  if (const std::string found = find_nvcc(); !found.empty())
    return made(Toolchain::Kind::nvcc, found);
  if (const std::string found = find_clang(); !found.empty())
    return made(Toolchain::Kind::clang, found);
  throw NoCompiler{
      "kernels in CUDA C++ need a compiler here: nvcc in PATH, CUDA_HOME or a wheel "
      "(nvidia-cuda-nvcc), or clang++ 19; AFTERLIFE_CUDA_COMPILER may name one"};
}

}  // namespace harness::nvrtc
