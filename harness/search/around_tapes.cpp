// SPDX-License-Identifier: Apache-2.0
#include "harness/search/around_tapes.h"

#include <array>

namespace harness::searching {
namespace {

/// One choice in 256, in 32 and in 8.
constexpr std::array<std::uint32_t, 3> kLeaveChances{1U << 24, 1U << 27, 1U << 29};

}  // namespace

AroundTapes::AroundTapes(std::unique_ptr<Strategy> otherwise, std::span<const Tape> tapes,
                         std::uint64_t seed)
    : otherwise_(std::move(otherwise)), tapes_(tapes.size()), seed_(mix(seed, hash_name("tapes"))) {
  HARNESS_CHECK(!tapes.empty(), "there is a tape to begin with");
  for (std::size_t i = 0; i < tapes.size(); ++i) tapes_[i].assign(tapes[i]);
}

void AroundTapes::begin() {
  otherwise_->begin();
  const std::uint64_t run = run_++;
  state_ = mix(seed_, run);
  const bool is_left = run >= tapes_.size();
  tape_ = &tapes_[is_left ? mix(state_, 0) % tapes_.size() : run];
  const std::uint64_t mood = mix(state_, 1) & 3;
  left_ = is_left && mood == kLeaveChances.size() ? kAllSites & ~kProgramSites : 0;
  leave_chance_ = is_left ? kLeaveChances[mood % kLeaveChances.size()] : 0;
}

// The other strategy makes every choice, too, so that its state does not depend on the tape.
std::uint32_t AroundTapes::answer(const Question& question) {
  const std::uint32_t drawn = otherwise_->answer(question);
  if ((left_ & site_bit(question.site)) != 0) return drawn;
  state_ += 0x9e3779b97f4a7c15;
  if (static_cast<std::uint32_t>(mix(state_, 2)) < leave_chance_) return drawn;
  const std::uint32_t value = tape_->value(question.activation, question.site, question.nth);
  return value == 0 ? 0 : question.index(value);
}

}  // namespace harness::searching
