// SPDX-License-Identifier: Apache-2.0
#include "harness/core/pick/deviations.h"

namespace harness {

void Deviations::assign(const Tape& base, std::uint32_t limit, Sites sites) {
  base_.assign(base);
  limit_ = limit;
  sites_ = sites;
  depth_ = 0;
  base_question_count_ = 0;
  if (levels_.size() < limit) levels_.resize(limit);
  if (chosen_.size() < limit) chosen_.resize(limit);
}

void Deviations::begin() {
  base_.begin_run();
  met_ = 0;
  if (depth_ == 0) base_question_count_ = 0;
  if (depth_ < limit_) levels_[depth_] = {std::move(levels_[depth_].candidates), 0};
  if (depth_ < limit_) levels_[depth_].candidates.clear();
}

std::uint32_t Deviations::answer(const Question& question) {
  if (met_ < depth_) {
    const Decision& wanted = chosen_[met_];
    if (wanted.activation == question.activation && wanted.nth == question.nth &&
        wanted.site_tag == site_tag(question.site)) {
      ++met_;
      return question.index(wanted.value);
    }
  }
  const std::uint32_t value = base_.value(question.activation, question.site, question.nth);
  if (value != 0) return question.index(value);
  if (met_ == depth_ && (sites_ & site_bit(question.site)) != 0) record(question);
  return 0;
}

void Deviations::record(const Question& question) {
  if (depth_ == 0) ++base_question_count_;
  if (depth_ >= limit_) return;
  for (std::uint32_t i = 1; i < question.option_count; ++i)
    levels_[depth_].candidates.push_back(
        {question.activation, site_tag(question.site), question.nth, question.value(i)});
}

const std::vector<Decision>& Deviations::candidates() const {
  static const std::vector<Decision> kNone;
  return depth_ < limit_ ? levels_[depth_].candidates : kNone;
}

bool Deviations::advance(bool extend) {
  std::size_t level = depth_;
  if (level >= limit_ || !extend) {
    if (level == 0) return false;
    --level;
  }
  while (levels_[level].next == levels_[level].candidates.size()) {
    if (level == 0) return false;
    --level;
  }
  chosen_[level] = levels_[level].candidates[levels_[level].next++];
  depth_ = level + 1;
  return true;
}

}  // namespace harness
