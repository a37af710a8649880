// HeldUp: a strategy that holds tasks up: those that come to one act go on when those that do
// another are through with it (precedence.h).
//
// Whoever is held up is passed over by each schedule question, until the other act is over, or
// nobody else can go on. Then the order came to be if the act was over for somebody by then, and
// nobody is at it; else nobody waits for it any longer, and if it comes all the same, the order
// could not be had. Whoever comes to the late act has waited, as far as circles of locks go.
//
// Slow tasks are no option of a question as long as others can go on (scheduler/pace.h). Whoever is
// held up cannot, so that they are offered here, and taken when there is nobody else.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/intervention/order.h"
#include "harness/triage/precedence.h"

namespace harness::triaging {

/// Ownership: borrows the strategy that answers all else, and the world of the runs.
class HeldUp final : public Strategy {
 public:
  /// All of `turns` are kept.
  HeldUp(Strategy& inner, const std::vector<Turns>& turns, const World& world);

  void begin() override;
  bool hears_all() const override { return true; }  // It sees every turn.
  std::uint32_t answer(const Question& question) override;

  /// Returns whether somebody came to a late act in the last run, and all who did went on in order.
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
  Name asking_ = 0;  ///< The activation that asks.
};

}  // namespace harness::triaging
