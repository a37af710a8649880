// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/model/running.h"

#include "scenarios/argpack/model/refuse.h"

namespace scenarios::argpack {

void Running::begin(Attempt& attempt) {
  harness::World& world = scene_.world();
  if (attempt.planted) planted_.push_back(*attempt.planted);
  attempt.began = ++model_.serial;
  attempt.activation = world.picker.current().name;
  attempt.alone = none();
  attempt.first_event = world.history.events().size();
  attempt.at_begin = attempt.seen = cases_of(attempt, model_);
  attempts_[task()] = &attempt;
  tasks_ |= std::uint64_t{1} << task();
}

void Running::end() {
  tasks_ &= ~(std::uint64_t{1} << task());
  attempts_[task()] = nullptr;
}

void Running::changed(Change change) {
  const std::size_t me = task();
  for_each([&](std::size_t other, Attempt& attempt) {
    if (other == me && change == Change::of_others) return;
    attempt.seen |= cases_of(attempt, model_) | (model_.generation() == 0 ? kReset : 0);
    attempt.disturbed |= other != me;
  });
}

void Running::did(Deed deed) {
  if (Attempt* attempt = attempts_[task()]; attempt != nullptr) attempt->done |= deed;
}

void Running::launched(const Context& context) {
  if (Attempt* attempt = attempts_[task()]; attempt != nullptr) attempt->launched = &context;
  did(kSubmitted);
}

bool Running::is_of_another(Serial op) const {
  bool found = false;
  for_each([&](std::size_t other, const Attempt& attempt) {
    found |= other != task() && attempt.began == op;
  });
  return found;
}

bool Running::any_since(Serial op) const {
  bool found = false;
  for_each([&](std::size_t, const Attempt& attempt) { found |= attempt.began <= op; });
  return found;
}

bool Running::handed_out(std::int64_t value, std::uint32_t depth) const {
  if (current() == nullptr) return true;
  const Attempt& attempt = *current();
  const auto fits = [&](std::int64_t first) {
    return value >= first && value < first + targets::argpack::kDepthLimit;
  };
  if (attempt.made_depth != 0 && depth != 0) {
    if (value == attempt.value + (attempt.made_depth - depth)) return true;
  } else if (depth != 0 ? fits(attempt.value) : value == attempt.value) {
    return true;
  }
  return std::any_of(planted_.begin(), planted_.end(), fits);
}

}  // namespace scenarios::argpack
