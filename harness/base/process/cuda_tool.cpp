// SPDX-License-Identifier: Apache-2.0
#include "harness/base/process/cuda_tool.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/base/process/tool.h"

namespace harness {
namespace {

/// Returns the folders of installed Python packages from which this process has loaded libraries.
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

/// Links in a build folder to the toolkit of the build, relative to its libraries, its programs,
/// and the stand-ins. They are not installed.
constexpr const char* kBuildFolders[] = {"/toolkit/bin/", "/lib/toolkit/bin/",
                                         "/../../toolkit/bin/"};

/// Returns the folders of the library that contains this code, and of the program.
std::vector<std::string> own_folders() {
  std::vector<std::string> folders;
  Dl_info info{};
  std::error_code none;
  if (::dladdr(reinterpret_cast<void*>(&package_folders), &info) != 0)
    folders.push_back(std::filesystem::canonical(info.dli_fname, none).parent_path().string());
  folders.push_back(std::filesystem::read_symlink("/proc/self/exe", none).parent_path().string());
  return folders;
}

/// The folders in which wheels have programs of the toolkit.
constexpr const char* kWheelFolders[] = {"nvidia/cu13/bin/", "nvidia/cuda_nvcc/bin/",
                                         "nvidia/cuda_cuobjdump/bin/",
                                         "triton/backends/nvidia/bin/"};

}  // namespace

std::string find_cuda_tool(const std::string& name) {
  for (const char* root : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(root); folder != nullptr && *folder != '\0')
      if (std::string found = find_tool(std::string(folder) + "/bin/" + name); !found.empty())
        return found;
  if (std::string found = find_tool(name); !found.empty()) return found;
  if (std::string found = find_tool("/usr/local/cuda/bin/" + name); !found.empty()) return found;
  for (const std::string& own : own_folders())
    for (const char* build : kBuildFolders)
      if (std::string found = find_tool(own + build + name); !found.empty()) return found;
  for (const std::string& packages : package_folders())
    for (const char* wheel : kWheelFolders)
      if (std::string found = find_tool(packages + wheel + name); !found.empty()) return found;
  return {};
}

}  // namespace harness
