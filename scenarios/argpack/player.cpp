// SPDX-License-Identifier: Apache-2.0
// How it works: see harness/run/scenario/player.h. The ops and their arguments are in ops.cpp.
#include "scenarios/argpack/player.h"

namespace scenarios::argpack {

Player::Player(harness::Scene& scene, Judge& judge, const Theme& theme)
    : harness::Player<Player, Situation, Theme, targets::argpack::Status>(scene, op_rows(), theme),
      judge_(judge),
      chooser_(scene),
      use_(scene.world().scheduler) {}

// ---- available objects ------------------------------------------------------------------------

Situation Player::look() const {
  Situation now{take_census(judge_.path().globals)};
  for (Variables rest = now.census.packs | now.census.arrays; rest != 0; rest &= rest - 1) {
    const auto variable = static_cast<Variable>(std::countr_zero(rest));
    if (judge_.is_stale(variable)) now.census.stale |= bit(variable);
  }
  now.uses_stale = theme().uses_stale;
  now.unbound = now.census.contexts & ~hints_.bound & ~hints_.compiled;
  now.bound = now.census.contexts & hints_.bound & ~hints_.compiled;
  now.compiled = now.census.contexts & hints_.compiled;
  now.child_fits = some_child_fits(now);
  now.command_list =
      scene().config().values[kBackendAxis] == harness::raw(targets::argpack::Backend::gfx);
  return now;
}

bool Player::some_child_fits(const Situation& now) const {
  for (Variables packs = now.usable(now.census.deep); packs != 0; packs &= packs - 1)
    if (fitting_children(now, static_cast<Variable>(std::countr_zero(packs)), 1) != 0) return true;
  return false;
}

Variables Player::fitting_children(const Situation& now, Variable pack, std::uint32_t level) const {
  const std::uint32_t depth = this->depth(pack) - level;
  Variables fitting = 0;
  for (Variables rest = now.usable(now.census.packs); rest != 0; rest &= rest - 1) {
    const auto child = static_cast<Variable>(std::countr_zero(rest));
    if (this->depth(child) == depth) fitting |= bit(child);
  }
  return fitting;
}

Variables Player::used_contexts() const {
  Variables used = 0;
  for (Variable v = 0; v < context_users_.size(); ++v)
    if (context_users_[v] != 0) used |= bit(v);
  return used;
}

void Player::list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const {
  const Ops offered = offer(theme(), task, now);
  list.add(offered);
  // With only one pack, losing it would waste the rest of the program.
  const bool has_spare = std::popcount(now.fresh(now.census.packs)) > 1;
  list.add(offered & ((has_spare ? theme().favoured : 0) | wanted(now)), kFavour - 1);
}

// ---- slots ------------------------------------------------------------------------------------

/// Ops during which an object can be removed.
static constexpr Ops kUses =
    ops(Op::call, Op::call_new, Op::call_often, Op::call_with_all, Op::set_arg_argpack);

void Player::take_closing_slot(std::uint32_t index) {
  if (judge_.launched()) return;
  const harness::ActivationScope activation(scene().world().scheduler, 0, index);
  harness::OpList offered;
  offered.add(closing(current_situation()));
  fill(offered, {0, index});
}

targets::argpack::Status Player::part(std::uint32_t nth, Op op, const Values& values) {
  harness::World& world = scene().world();
  const harness::ActivationScope activation(world.scheduler, world.picker.current().name,
                                            kOps[harness::raw(op)].name, nth);
  const targets::argpack::Status status = judge_.call(op, values);
  if (status == targets::argpack::Status::ok) scene().count_op(harness::raw(op));
  return status;
}

// A mutator acts early or late in a call, with different effects.
void Player::prepare(std::size_t op, const harness::Slot& slot) {
  static constexpr std::array<std::uint32_t, 4> kTurns{0, 4, 12, 24};
  if (slot.task != 0)
    nap(kTurns);
  else if ((kUses >> op & 1) != 0)
    use_.begin();
}

}  // namespace scenarios::argpack
