// SPDX-License-Identifier: Apache-2.0
#include "harness/base/process/tool.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace harness {

static bool is_tool(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0 && !is_stand_in(path);
}

std::string find_tool(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_tool(name) ? name : "";
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string file = path.substr(begin, end - begin) + "/" + name;
    if (is_tool(file)) return file;
    begin = end + 1;
  }
  return {};
}

bool is_stand_in(const std::string& path) {
  std::error_code failed;
  const auto folder = std::filesystem::canonical(path, failed).parent_path();
  return std::filesystem::exists(folder / kStandInFile, failed);
}

std::string tool_identity(const std::string& path) {
  struct stat found{};
  ::stat(path.c_str(), &found);
  return fmt::format("{} {} {}", path, found.st_mtime, found.st_size);
}

ProcessEnd run_tool(const Command& command, ProcessOptions options, const std::string& folder) {
  constexpr const char* kKilobytes = "4194304";
  Command limited{"/bin/sh", "-c",
                  "ulimit -c 0; ulimit -v \"$0\"; cd \"$1\" && shift && exec \"$@\"", kKilobytes,
                  folder};
  limited.insert(limited.end(), command.begin(), command.end());
  options.environment.insert(options.environment.end(), {"LD_PRELOAD=", "LD_AUDIT=", "LC_ALL=C"});
  const std::atomic<bool> stop{false};
  return run_process(limited, options, stop);
}

}  // namespace harness
