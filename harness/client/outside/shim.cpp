// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/shim.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "harness/base/files/read.h"
#include "harness/base/process/tool.h"

namespace harness::client {
namespace {

namespace fs = std::filesystem;

bool is_shim(const fs::path& file) {
  constexpr std::uintmax_t kLongest = 4096;
  std::error_code failed;
  if (file.parent_path().filename() != "shims" || fs::file_size(file, failed) > kLongest || failed)
    return false;
  const std::string text = read_whole_file(file);
  return text.starts_with("#!") && text.find("/pyenv\" exec ") != text.npos;
}

/// Returns whether pyenv may choose another program because of the variable.
bool changes_choice(const std::string& variable) {
  return variable.starts_with("PATH=") || variable.starts_with("PYENV_");
}

std::string without_newline(std::string line) {
  while (line.ends_with('\n')) line.pop_back();
  return line;
}

}  // namespace

std::string program_behind_shim(const std::string& name) {
  constexpr double kSeconds = 10;
  const fs::path shim = find_tool(name);
  if (!is_shim(shim)) return {};
  const fs::path own = shim.parent_path().parent_path() / "bin" / "pyenv";
  const std::string pyenv = fs::exists(own) ? own.string() : find_tool("pyenv");
  if (pyenv.empty()) return {};
  const ProcessEnd ended =
      run_tool({pyenv, "which", shim.filename()}, {.timeout_seconds = kSeconds});
  const std::string program = ended.code == 0 ? without_newline(ended.out) : "";
  return find_tool(program) == program ? program : "";
}

Command without_shim(const Command& command, const std::vector<std::string>& environment) {
  static std::mutex mutex;
  static std::map<std::string, std::string> programs;
  if (command.empty() || std::ranges::any_of(environment, changes_choice)) return command;
  const std::lock_guard lock(mutex);
  const auto [row, is_new] = programs.try_emplace(command.front());
  if (is_new) row->second = program_behind_shim(command.front());
  Command direct = command;
  if (!row->second.empty()) direct.front() = row->second;
  return direct;
}

}  // namespace harness::client
