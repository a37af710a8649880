// SPDX-License-Identifier: Apache-2.0
// How it works: see harness/run/scenario/player.h. The ops and their arguments are in ops.cpp.
#include "scenarios/graph_argument/player.h"

#include "scenarios/graph_argument/variants.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Status;

Player::Player(harness::Scene& scene, Judges& judges, const Theme& theme)
    : harness::Player<Player, Situation, Theme, Status>(scene, op_rows(), theme),
      judges_(judges),
      chooser_(scene),
      use_(scene.world().scheduler),
      api_(api_of(scene.variant())) {}

// ---- available objects ------------------------------------------------------------------------

Situation Player::look() const { return {judges_.census(), has_added(), has_launched(), api_}; }

bool Player::has_added() const {
  return (scene().observed().ops & ops(Op::add_kernel, Op::add_memcpy, Op::add_memset,
                                       Op::add_child, Op::add_scratch, Op::launch_captured)) != 0;
}

bool Player::has_launched() const { return !judges_.model().records.launched().empty(); }

void Player::list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const {
  const Ops offered = offer(theme(), task, now);
  list.add(offered);
  list.add(offered & theme().favoured, kFavour - 1);
  if (task == 0) list.add(offered & wanted(now), kWant - 1);
}

// ---- slots ------------------------------------------------------------------------------------

/// Ops after which a mutator can interfere.
static constexpr Ops kUses =
    ops(Op::add_kernel, Op::add_memcpy, Op::add_memset, Op::add_callback, Op::add_conditional,
        Op::add_alloc, Op::instantiate, Op::launch_captured);

// A mutator acts early or late in a call, with different effects.
void Player::prepare(std::size_t op, const harness::Slot& slot) {
  static constexpr std::array<std::uint32_t, 4> kTurns{0, 8, 24, 64};
  chooser_.favour(theme().dropped);
  if (slot.task != 0)
    nap(kTurns);
  else if ((kUses >> op & 1) != 0)
    use_.begin();
}

// Several ops have the same effect here, because a swarm disables many kinds of ops.
void Player::take_last_slot(std::uint32_t index) {
  if (has_launched()) return;
  const harness::ActivationScope activation(scene().world().scheduler, 0, index);
  harness::OpList offered;
  for (const Op op : {Op::launch, Op::upload, Op::close_graph, Op::synchronize, Op::flood,
                      Op::synchronize_device})
    offered.add(ops(op));
  const int picked = scene().pick_op(offered);
  if (picked < 0) return;
  use_.begin();
  const harness::Slot slot{0, index};
  if (!has_trouble()) get_to_launch(slot);
  if (!has_launched()) launch_anew(value_of(slot));
  const auto op = static_cast<Op>(picked);
  if (op != Op::launch) play(harness::raw(op), slot);
}

// With closed objects or bare addresses, most launches would be caller errors, which end the
// run.
bool Player::has_trouble() const {
  return (scene().observed().ops & ops(Op::close_buffer, Op::link, Op::plant)) != 0;
}

// Uses existing objects, which may have been closed.
void Player::get_to_launch(const harness::Slot& slot) {
  constexpr int kStepLimit = 4;
  for (int step = 0; step < kStepLimit && !has_launched(); ++step) {
    const Census census = judges_.census();
    const Op op = census.graphs != 0        ? Op::launch
                  : has_added()             ? Op::instantiate
                  : census.definitions == 0 ? Op::create_definition
                  : census.modules == 0     ? Op::load_module
                  : census.buffers == 0     ? Op::allocate
                                            : Op::add_kernel;
    if (!play(harness::raw(op), slot)) return;
  }
}

// Makes no choices: each op uses the results of the previous ones.
void Player::launch_anew(std::int32_t value) {
  constexpr Variable kModule = kFirstModule + 1;
  constexpr Variable kDefinition = kFirstDefinition + 2;
  constexpr Variable kBuffer = kFirstBuffer + 4;
  make<Op::load_module>(kModule) && make<Op::create_definition>(kDefinition) &&
      make<Op::allocate>(kBuffer, StreamName::first, value) &&
      make<Op::add_kernel>(targets::graph_argument::kNowhere, kDefinition, kModule, Kernel::add_one,
                           kBuffer, kBuffer) &&
      make<Op::instantiate>(kLastGraph, kDefinition) &&
      make<Op::launch>(kLastGraph, StreamName::first);
}

}  // namespace scenarios::graph_argument
