// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/broker/turns.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace harness::client {

void Turns::ask(Asking asking) {
  runners_.asked(asking.id);
  if (asking_.empty()) since_ = Clock::now();
  asking_.push_back(std::move(asking));
}

void Turns::forget(std::uint32_t process) {
  std::erase_if(asking_, [process](const Asking& one) { return one.process == process; });
}

void Turns::clear() {
  asking_.clear();
  runners_.clear();
}

bool Turns::may_give(const std::vector<pid_t>& family, const std::set<pid_t>& known,
                     const std::set<pid_t>& lagging) {
  constexpr std::chrono::seconds kLongest{30};
  constexpr std::chrono::seconds kLongestLag{2};
  std::set<pid_t> resting;
  for (const Asking& one : asking_) resting.insert(one.id);
  const auto waited = Clock::now() - since_;
  was_long_ = waited > kLongest;
  const bool lags = std::ranges::any_of(lagging, [&](pid_t one) { return !resting.contains(one); });
  if (lags && waited < kLongestLag) return false;
  return !runners_.any(family, resting, known) || was_long_;
}

Turns::Granted Turns::give() {
  // A process that asks again and again may be polling for an action of another process.
  constexpr unsigned kPatience = 16;
  constexpr unsigned kSlowPatience = 64;
  const auto first = std::ranges::min_element(asking_, {}, [](const Asking& one) {
    const bool may_wait = one.passed_by < (one.is_slow ? kSlowPatience : kPatience);
    return std::tuple(may_wait, one.is_slow, one.path.size(), std::string_view(one.path));
  });
  for (Asking& one : asking_) ++one.passed_by;
  Granted granted{first->process, {}};
  const bool has_polled = runners_.take_polling() != 0;
  if (was_long_)
    granted.doubt = "another process of the program ran for long, so others ran beside it";
  else if (has_polled)
    granted.doubt = "a process of the program polls, so others ran beside it";
  asking_.erase(first);
  since_ = Clock::now();
  return granted;
}

}  // namespace harness::client
