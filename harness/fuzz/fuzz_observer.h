// SPDX-License-Identifier: Apache-2.0
// Fuzz observer: makes choices like Bytes. Records the keys of choices for the mutator, and task
// switches as features for the fuzzer.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/run/strategies/bytes.h"
#include "harness/search/fuzz_records.h"

namespace harness::entries {

/// Feature counters, indexed by hash. libFuzzer keeps inputs that show a new one.
inline constexpr std::size_t kFeatureCount = std::size_t{1} << 14;
using Features = std::array<std::uint8_t, kFeatureCount>;

inline void mark(Features& features, std::uint64_t feature) {
  features[feature % kFeatureCount] = 1;
}

/// Ownership: borrows the features; owns the rest, in buffers that are reused.
class Observer final : public Strategy {
 public:
  explicit Observer(Features& features) : features_(features) { asked_.reserve(kAskedLimit); }

  void assign(std::span<const std::uint8_t> bytes) { bytes_.assign(bytes); }

  void begin() override {
    bytes_.begin();
    asked_.clear();
    question_count_ = 0;
  }

  std::uint32_t answer(const Question& question) override {
    const std::uint32_t index = bytes_.answer(question);
    if (question.site == Site::schedule && index != 0) mark_switch(question, index);
    remember(question);
    return index;
  }

  /// Choices of the last run, each with an option that is not the default.
  const Records& asked() const { return asked_; }

 private:
  static constexpr std::size_t kAskedLimit = 512;

  /// Marks a pair as a feature: the access before which a task was preempted, and the next access.
  void mark_switch(const Question& question, std::uint32_t index) {
    if (question.options == nullptr) return;
    const Access before = question.options->access(0);
    const Access after = question.options->access(index);
    const bool same = before.resource == after.resource;
    mark(features_, mix(mix(raw(before.kind), raw(after.kind)), same));
    mark(features_,
         mix(mix(before.resource, after.resource), raw(before.kind) * 8 + raw(after.kind)));
  }

  /// Keeps the first choices, then a random sample of the whole run.
  void remember(const Question& question) {
    const std::uint64_t draw = mix(question_count_, question.activation);
    const auto index = static_cast<std::uint32_t>(1 + draw % (question.option_count - 1));
    const Decision decision{question.activation, site_tag(question.site), question.nth,
                            question.value(index)};
    if (asked_.size() < kAskedLimit)
      asked_.push_back(decision);
    else if (const std::uint64_t at = (draw >> 32) % (question_count_ + 1); at < kAskedLimit)
      asked_[at] = decision;
    ++question_count_;
  }

  strategies::Bytes bytes_;
  Features& features_;
  Records asked_;
  std::uint64_t question_count_ = 0;
};

}  // namespace harness::entries
