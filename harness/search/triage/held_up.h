// SPDX-License-Identifier: Apache-2.0
// HeldUp: a strategy that holds up tasks at one act, until other tasks have completed another act
// (precedence.h).
//
// Each schedule choice skips a held task until the other act is over, or no other task is ready. In
// the second case the order was achieved if some task has completed the act and no task is in it.
// Otherwise tasks no longer wait, and if the act still happens, the order could not be achieved. In
// the detection of lock cycles, a task that reaches the late act counts as having waited.
//
// Slow tasks are not offered while others are ready (scheduler/pace.h). A held task does not count
// as ready, so slow tasks are offered here, and selected if there is no other.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/intervention/order.h"
#include "harness/search/triage/precedence.h"

namespace harness::triaging {

/// Ownership: borrows the strategy that makes all other choices, and the world of the runs.
class HeldUp final : public Strategy {
 public:
  /// Enforces all of `turns`.
  HeldUp(Strategy& inner, const std::vector<Turns>& turns, const World& world);

  void begin() override;
  bool hears_all() const override { return true; }  // It needs each turn.
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

  Order offered_;  ///< Makes slow tasks options.
  Order::Current current_{offered_};
  Strategy& inner_;
  const World& world_;
  std::vector<Precedence> precedences_;
  Name asking_ = 0;  ///< The current activation.
};

}  // namespace harness::triaging
