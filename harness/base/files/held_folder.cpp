// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/held_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "harness/base/files/fail.h"

namespace harness {
namespace {

/// A process that was being started when its parent was killed inherits the lock, and holds it
/// until it is gone, too, which takes some milliseconds.
constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPause = std::chrono::milliseconds(5);

/// Takes the lock. Waits a moment if necessary.
bool take(int number) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (::flock(number, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

HeldFolder::HeldFolder(const std::string& folder)
    : number_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (number_ < 0) fail_by_errno(folder, "open");
  if (take(number_)) return;
  ::close(number_);
  fail(folder, "is being written by another program");
}

HeldFolder::~HeldFolder() { ::close(number_); }

}  // namespace harness
