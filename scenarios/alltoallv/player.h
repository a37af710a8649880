// SPDX-License-Identifier: Apache-2.0
// Player: fills the slots of a job before its ranks run. An op on a tape is not called by a task:
// it plans a step, which each rank runs when it gets there.
#pragma once

#include "harness/run/scenario/player.h"
#include "scenarios/alltoallv/chooser.h"

namespace scenarios::alltoallv {

/// Ownership: borrows the scene and the theme. Threads: none runs yet.
class Player final : public harness::Player<Player, Situation, Theme, targets::alltoallv::Status> {
 public:
  using Status = targets::alltoallv::Status;

  Player(harness::Scene& scene, const Theme& theme, std::uint32_t rank_count);

  /// Chooses the whole plan and returns it.
  Plan make_plan(const Shape& shape);

  Chooser& choose() { return chooser_; }
  /// Adds a step for the op that is being run.
  void plan(const Step& step) { plan_.push_back(step); }

 private:
  Situation look() const override { return reached_; }
  std::size_t moment() const override { return plan_.size(); }
  void list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const override;
  void prepare(std::size_t, const harness::Slot&) override {}
  void run(std::size_t op, const Situation& now, const harness::Slot& slot) override;

  void take_closing_slot(std::uint32_t index);

  Chooser chooser_;
  Plan plan_;
  Situation reached_;
};

/// The table of ops.def.
std::span<const Player::Row> op_rows();

}  // namespace scenarios::alltoallv
