#include "harness/client/broker/turns.h"

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

std::optional<Turns::Granted> Turns::next(const std::vector<pid_t>& family,
                                          const std::set<pid_t>& known) {
  constexpr std::chrono::seconds kLongest{10};
  if (asking_.empty()) return std::nullopt;
  std::set<pid_t> resting;
  for (const Asking& one : asking_) resting.insert(one.id);
  const bool is_long = Clock::now() - since_ > kLongest;
  if (runners_.any(family, resting, known) && !is_long) return std::nullopt;
  const auto first = std::ranges::min_element(asking_, {}, [](const Asking& one) {
    return std::tuple(one.is_slow, one.path.size(), std::string_view(one.path));
  });
  Granted granted{first->process, {}};
  if (is_long)
    granted.doubt = "another process of the program ran for long, and others went on beside it";
  else if (runners_.take_polling() != 0)
    granted.doubt = "a process of the program looks again and again, and others went on beside it";
  asking_.erase(first);
  since_ = Clock::now();
  return granted;
}

}  // namespace harness::client
