// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/system_threads.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace harness::entries {

// The state follows the name, which may contain any character.
bool is_asleep(pid_t id) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/task/%d/stat", id);
  const int file = ::open(name.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 256> text{};
  const ssize_t bytes = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  const char* end = bytes > 0 ? std::strrchr(text.data(), ')') : nullptr;
  return end != nullptr && end[1] == ' ' && end[2] == 'S';
}

bool others_are_asleep() {
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const pid_t id = std::stoi(task.path().filename().string());
    if (id != ::gettid() && !is_asleep(id)) return false;
  }
  return true;
}

}  // namespace harness::entries
