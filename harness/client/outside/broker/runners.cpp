// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/broker/runners.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

namespace harness::client {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kStart = 3'000 * kMillisecond;   ///< Until its first driver call.
constexpr std::uint64_t kPatience = 200 * kMillisecond;  ///< Between two driver calls.
constexpr std::uint64_t kLeastPatience = 2 * kMillisecond;

/// Reads the beginning of a file in /proc. Returns "" if it no longer exists.
std::string text_of(const std::string& name) {
  std::array<char, 512> bytes{};
  const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t count = ::read(file, bytes.data(), bytes.size());
  ::close(file);
  return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

/// Returns the text after the thread's name, which may contain any character: state and parent.
const char* behind_name(const std::string& stat) {
  const std::size_t end = stat.rfind(") ");
  return end == stat.npos ? "" : stat.c_str() + end + 2;
}

std::vector<std::string> threads_in(pid_t process) {
  std::vector<std::string> names;
  std::error_code gone;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), gone))
    names.push_back(task.path().string());
  return names;
}

/// Returns whether a thread of the process runs, or is about to run.
bool runs(pid_t process) {
  for (const std::string& thread : threads_in(process)) {
    const std::string stat = text_of(thread + "/stat");
    const char state = *behind_name(stat);
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

/// Returns the processor time of the process in nanoseconds.
std::uint64_t processor_time(pid_t process) {
  std::uint64_t sum = 0;
  for (const std::string& thread : threads_in(process))
    sum += std::strtoull(text_of(thread + "/schedstat").c_str(), nullptr, 10);
  return sum;
}

pid_t parent_of(pid_t process) {
  const std::string stat = text_of(fmt::format("/proc/{}/stat", process));
  const char* state = behind_name(stat);
  return *state != '\0' ? static_cast<pid_t>(std::atoi(state + 2)) : 0;
}

}  // namespace

std::vector<pid_t> Runners::family_of(pid_t first) {
  std::vector<pid_t> family{first};
  for (std::size_t i = 0; i < family.size(); ++i)
    for (const std::string& thread : threads_in(family[i])) {
      const std::string children = text_of(thread + "/children");
      for (const char* at = children.c_str(); *at != '\0';) {
        char* end = nullptr;
        const long child = std::strtol(at, &end, 10);
        if (end == at) break;
        family.push_back(static_cast<pid_t>(child));
        at = end + std::strspn(end, " ");
      }
    }
  return family;
}

pid_t Runners::first_of_family(pid_t process, pid_t parent, pid_t other) {
  for (pid_t each = process; each > 1;) {
    const pid_t above = parent_of(each);
    if (above == parent || above == other) return each;
    each = above;
  }
  return process;
}

bool Runners::any(const std::vector<pid_t>& family, const std::set<pid_t>& resting,
                  const std::set<pid_t>& known) {
  bool found = false;
  for (const pid_t process : family) {
    if (resting.contains(process) || !runs(process)) {
      running_.erase(process);
      continue;
    }
    const std::uint64_t now = processor_time(process);
    const auto [since, is_new] = running_.try_emplace(process, Running{now});
    std::uint64_t& patience =
        patience_.try_emplace(process, known.contains(process) ? kPatience : kStart).first->second;
    if (is_new || now - since->second.since < patience) {
      found = true;
      continue;
    }
    polling_ = process;
    patience = std::max(kLeastPatience, std::min(patience, kPatience) / 4);
  }
  return found;
}

pid_t Runners::take_polling() { return std::exchange(polling_, 0); }

void Runners::clear() {
  running_.clear();
  patience_.clear();
  polling_ = 0;
}

}  // namespace harness::client
