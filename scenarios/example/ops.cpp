// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition and a call, both of which are in this file.
#include "scenarios/example/player.h"

namespace scenarios::example {
namespace {

using harness::Slot;
using targets::example::kKeyCount;

constexpr Theme kTheme{.name = "everything", .owner = harness::ops(Op::put)};

bool always(const Situation&) { return true; }

Answer put(Player& player, const Situation&, const Slot& slot) {
  return player.answer_of(player.put(slot, player.pick_key()));
}

Answer ask(Player& player, const Situation&, const Slot&) {
  return player.answer_of(player.server().ask(player.pick_key()));
}

Answer ask_all(Player& player, const Situation&, const Slot&) {
  bool ok = true;
  for (std::uint32_t key = 0; key < kKeyCount; ++key) ok = player.server().ask(key) && ok;
  return player.answer_of(ok);
}

Answer query(Player& player, const Situation&, const Slot&) {
  return player.answer_of(player.server().ask(player.pick_key()) && player.server().wait());
}

Answer wait(Player& player, const Situation&, const Slot&) {
  return player.answer_of(player.server().wait());
}

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, applies, call) {#name, applies, call},
#include "scenarios/example/ops.def"
});

}  // namespace

Player::Player(harness::Scene& scene, const Shape& shape, Model& model)
    : harness::Player<Player, Situation, Theme, Answer>(scene, kRows, kTheme),
      shape_(shape),
      model_(model) {}

std::uint32_t Player::pick_key() { return scene().pick(harness::Site::argument, kKeyCount); }

Answer Player::answer_of(bool ok) {
  if (!ok) scene().refuse(scene().world().scheduler.site(), "false");
  return ok ? Answer::ok : Answer::refused;
}

bool Player::put(const Slot& slot, std::uint32_t key) {
  const auto value = static_cast<std::int32_t>(10'000 * (slot.task + 1) + 100 * slot.index);
  model_.hand_out(slot.task, value);
  return server_->put(slot.task, key, value);
}

void Player::list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const {
  list.add(harness::applicable_of<kRows>(now) & (task == 0 ? theme().user : theme().owner));
}

// Fills every key before the user's first op, so that a run without ops makes no buffer.
void Player::prepare(std::size_t op, const Slot& slot) {
  scene().count_op(op);  // Also if the op ends the run.
  if (slot.task != 0 || std::exchange(is_set_up_, true)) return;
  const harness::SiteScope site(scene().world().scheduler, "set_up");
  for (std::uint32_t key = 0; key < kKeyCount; ++key)
    if (!put({0, shape_.user_slots + key}, key)) scene().refuse("set_up", "false");
}

}  // namespace scenarios::example
