// SPDX-License-Identifier: Apache-2.0
// HeldUp: a strategy that holds up tasks that come to one act, until the tasks that do another act
// have done it (precedence.h).
//
// Each schedule choice passes over a held task until the other act is over, or no other task is
// ready. In the second case the order was achieved if the act was over for some task by then and no
// task is in it. Otherwise tasks wait no longer, and if the act still happens, the order could not
// be achieved. For circles of locks, a task that reaches the late act has waited.
//
// Slow tasks are no option of a choice while others are ready (scheduler/pace.h). A held task is
// not ready, so slow tasks are offered here, and taken if there is no other.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/intervention/order.h"
#include "harness/triage/precedence.h"

namespace harness::triaging {

/// Ownership: borrows the strategy that makes all other choices, and the world of the runs.
class HeldUp final : public Strategy {
 public:
  /// All of `turns` are kept.
  HeldUp(Strategy& inner, const std::vector<Turns>& turns, const World& world);

  void begin() override;
  bool hears_all() const override { return true; }  // It sees every turn.
  std::uint32_t answer(const Question& question) override;

  /// Returns whether a task reached a late act in the last run, and all that did continued in
  /// order.
  bool was_kept() const;

 private:
  enum class Rank : std::uint8_t { free, slow, late };

  const scheduling::Task* task_of(std::uint32_t value) const;
  Rank rank_of(const scheduling::Task* task);
  void settle();
  std::uint32_t choose(const Question& question, std::uint32_t wanted);
  std::uint32_t plainest(const Question& question, Rank rank);

  Order offered_;  ///< Has slow tasks be options.
  Order::Current current_{offered_};
  Strategy& inner_;
  const World& world_;
  std::vector<Precedence> precedences_;
  Name asking_ = 0;  ///< The current activation.
};

}  // namespace harness::triaging
