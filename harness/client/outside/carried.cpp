// SPDX-License-Identifier: Apache-2.0
// How it works. A forked child has only the forking thread. It shares open files and shared
// mappings with its parent. Files that are open only for reading do no harm, because their offsets
// are restored.
#include "harness/client/outside/carried.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "harness/base/printable.h"

namespace harness::client {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t thread_count(const fs::path& process) {
  std::error_code gone;
  return std::distance(fs::directory_iterator(process / "task", gone), fs::directory_iterator());
}

/// Waits up to 0.1 seconds for other threads to end. Returns the number of threads.
std::ptrdiff_t settled_thread_count(const fs::path& process) {
  constexpr int kLooks = 100;
  for (int i = 0; i < kLooks && thread_count(process) > 1; ++i) ::usleep(1000);
  return thread_count(process);
}

/// Returns the flags with which the file was opened.
long open_flags(const fs::path& process, const std::string& number) {
  std::ifstream info(process / "fdinfo" / number);
  constexpr int kOctal = 8;
  for (std::string name, value; info >> name >> value;)
    if (name == "flags:") return std::strtol(value.c_str(), nullptr, kOctal);
  return O_RDWR;
}

bool is_same(const struct stat& left, const struct stat& right) {
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/// Returns whether this process has the same file open under the same number: it was inherited.
bool is_ours(const struct stat& status, const std::string& number) {
  struct stat ours{};
  return ::fstat(std::atoi(number.c_str()), &ours) == 0 && is_same(status, ours);
}

bool is_shared(const fs::path& process, const fs::path& file,
               const std::array<std::uint64_t, 2>& pipes) {
  struct stat status{};
  const std::string number = file.filename().string();
  if (::stat(file.c_str(), &status) != 0 || is_ours(status, number)) return false;
  if (S_ISCHR(status.st_mode) || S_ISDIR(status.st_mode)) return false;
  if (S_ISFIFO(status.st_mode)) return std::ranges::find(pipes, status.st_ino) == pipes.end();
  if (S_ISREG(status.st_mode)) return (open_flags(process, number) & O_ACCMODE) != O_RDONLY;
  return true;
}

/// Returns the name of an open file that a fork would share, or "".
std::string shared_file(const fs::path& process, const std::array<std::uint64_t, 2>& pipes,
                        int socket) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(process / "fd", gone))
    if (entry.path().filename() != std::to_string(socket) &&
        is_shared(process, entry.path(), pipes))
      return fs::read_symlink(entry.path(), gone).string();
  return {};
}

/// Returns the name of a mapping that a fork would share, or "".
std::string shared_memory(const fs::path& process) {
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string_view rights = std::string_view(line).substr(line.find(' ') + 1, 4);
    if (rights == "rw-s" || rights == "-w-s")
      return line.find('/') != line.npos ? line.substr(line.find('/')) : "no file";
  }
  return {};
}

}  // namespace

std::string not_carried(int process, const std::array<std::uint64_t, 2>& pipes, int socket) {
  const fs::path folder = fmt::format("/proc/{}", process);
  if (const std::ptrdiff_t count = settled_thread_count(folder); count != 1)
    return fmt::format("it has {} threads", count);
  if (const std::string file = shared_file(folder, pipes, socket); !file.empty()) {
    const bool is_unnamed = file.ends_with(" (deleted)");
    return fmt::format("it has {} open{}", shown(file),
                       is_unnamed ? " (under pytest, --capture=sys avoids it)" : "");
  }
  if (const std::string memory = shared_memory(folder); !memory.empty())
    return fmt::format("it shares memory of {}", shown(memory));
  return {};
}

}  // namespace harness::client
