// SPDX-License-Identifier: Apache-2.0
// How it works: see harness/run/scenario/player.h. The ops and their arguments are in ops.cpp.
#include "scenarios/alltoallv/player.h"

namespace scenarios::alltoallv {

Player::Player(harness::Scene& scene, const Theme& theme, std::uint32_t rank_count)
    : harness::Player<Player, Situation, Theme, Status>(scene, op_rows(), theme),
      chooser_(scene, theme, rank_count),
      plan_(scene.world().arena.resource()),
      reached_{.rank_count = rank_count} {}

Plan Player::make_plan(const Shape& shape) {
  for (std::uint32_t index = 0; index < shape.slots; ++index) take_slot({0, index});
  for (std::uint32_t i = 0; i < shape.closing_slots; ++i) take_closing_slot(shape.slots + i);
  return std::move(plan_);
}

void Player::list_enabled(harness::OpList& list, std::uint32_t, const Situation& now) const {
  const Ops offered = offer(theme(), now);
  list.add(offered);
  list.add(offered & favoured(theme(), now), kFavour - 1);
}

// Adds a collective to a job without one, which would test nothing.
void Player::take_closing_slot(std::uint32_t index) {
  if (reached_.posted) return;
  const harness::ActivationScope activation(scene().world().scheduler, 0, index);
  harness::OpList offered;
  for (const Op op : kClosing) offered.add(ops(op));
  fill(offered, {0, index});
}

// Only plans: the launcher and the ranks note and count the op when they run it.
void Player::run(std::size_t op, const Situation& now, const harness::Slot& slot) {
  const std::size_t count = plan_.size();
  op_rows()[op].call(*this, now, slot);
  HARNESS_CHECK(plan_.size() == count + 1, "an op plans a step");
  Step& step = plan_.back();
  step.op = static_cast<Op>(op);
  step.slot = slot.index;
  reached_.add(step);
}

}  // namespace scenarios::alltoallv
