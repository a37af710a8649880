// SPDX-License-Identifier: Apache-2.0
// How it works. With LD_DEBUG=files the loader writes a file for each process into the folder of
// the run: a line "calling init: PATH" for each library that it loads. The loader writes nothing if
// the environment does not reach the process, or if a program has no loader.
#include "harness/client/outside/loaded_libraries.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "harness/base/printable.h"
#include "harness/client/outside/run_folder.h"

namespace harness::client {
namespace {

namespace fs = std::filesystem;

/// Returns the file that a command's name refers to, or "".
fs::path program_file(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
  return {};
}

bool has_rights_of_another(const fs::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0;
}

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string why_not_ours(const std::string& told, bool is_told, const std::string& library_folder) {
  constexpr std::string_view kLoaded = "calling init: ";
  if (!is_told)
    return "does not get our environment (env -i, sudo, or a container), or has no loader (linked "
           "statically)";
  bool has_ours = false;
  bool has_jax = false;
  std::istringstream lines(told);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(kLoaded);
    if (at == line.npos) continue;
    const fs::path file = line.substr(at + kLoaded.size());
    has_jax |= file.filename() == "xla_cuda_plugin.so";
    if (!file.filename().string().starts_with("libcuda.so")) continue;
    if (file.parent_path() != library_folder)
      return fmt::format("loads {}, by its path or its own RPATH, instead of ours",
                         shown(file.string()));
    has_ours = true;
  }
  if (has_jax && !fs::exists("/dev/nvidia0") && !fs::exists("/dev/nvidiactl"))
    return "uses JAX, which looks for a GPU by the files /dev/nvidia0 and /dev/nvidiactl: create "
           "one of them as an empty file (touch /dev/nvidiactl, in a container or a private mount)";
  return has_ours ? "loads our driver and never calls it"
                  : "loads no libcuda.so.1 (processes without our environment, such as after env "
                    "-i or sudo, are not seen)";
}

std::string why_not_ours(const Client& client, const std::atomic<bool>& stop) {
  if (has_rights_of_another(program_file(client.command.front())))
    return "is setuid or setgid, so the loader ignores our libraries";
  const RunFolder folder;
  write_orders(folder.name(), {});
  ProcessOptions options = process_options(client, folder.name(), {});
  options.environment.emplace_back("LD_DEBUG=files");
  options.environment.emplace_back(fmt::format("LD_DEBUG_OUTPUT={}/loader", folder.name()));
  run_process(client.command, options, stop);
  std::string told;
  bool is_told = false;
  for (const auto& entry : fs::directory_iterator(folder.name())) {
    if (!entry.path().filename().string().starts_with("loader.")) continue;
    is_told = true;
    told += read_all(entry.path());
  }
  return why_not_ours(told, is_told, client.library_folder);
}

}  // namespace harness::client
