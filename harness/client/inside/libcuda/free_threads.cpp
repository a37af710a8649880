// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/free_threads.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace harness::entries {

static bool is_main_thread() { return ::gettid() == ::getpid(); }

bool FreeThreads::call(std::size_t thread, bool takes_turns) {
  if (first_ == 0) {
    first_ = thread;
    first_takes_turns_ = takes_turns;
    first_is_main_ = is_main_thread();
  }
  if (!are_several_ && thread == first_) return false;
  const bool is_second = !are_several_;
  are_several_ = true;
  if (!takes_turns && std::ranges::find(free_, thread, &Thread::number) == free_.end())
    free_.push_back({thread, is_main_thread()});
  return is_second && !first_takes_turns_;
}

void FreeThreads::add_first() { free_.insert(free_.begin(), {first_, first_is_main_}); }

/// If there is Python, its main thread is mentioned only if no other thread calls freely.
std::string FreeThreads::words(bool has_python) const {
  if (free_.empty()) return {};
  if (!has_python && free_.size() == 1) return "a thread calls the driver freely";
  if (!has_python) return fmt::format("{} threads call the driver freely", free_.size());
  const auto others = std::ranges::count(free_, false, &Thread::is_main);
  if (others > 1)
    return fmt::format("{} threads, not started by Python's threading, call the driver", others);
  const auto one = std::ranges::find(free_, false, &Thread::is_main);
  return fmt::format("thread {}, not started by Python's threading, calls the driver",
                     (one != free_.end() ? *one : free_.front()).number);
}

}  // namespace harness::entries
