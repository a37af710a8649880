// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition and a call, both of which are in this file. A
// call chooses its arguments and runs a statement.
#include "scenarios/managed_dict/player.h"

namespace scenarios::managed_dict {
namespace {

using harness::Slot;
using targets::managed_dict::Body;
using targets::managed_dict::Function;
using targets::managed_dict::kFunctionCount;

// ---- when ---------------------------------------------------------------------------------------

bool always(const Situation&) { return true; }
bool has_instance(const Situation& now) { return now.has_instance; }
bool has_noise(const Situation& now) { return now.has_noise; }

// ---- instances ----------------------------------------------------------------------------------

Status new_instance(Player& player, const Situation&, const Slot& slot) {
  const Variable into = player.choose().place(slot);
  return player.new_instance(into, player.choose().of_class());
}

/// Runs a statement whose only argument is a variable.
Status about_variable(Player& player, Op op, Status (Statements::*call)(Variable)) {
  const Variable variable = player.choose().defined();
  return player.execute({.op = op, .variable = variable},
                        [&] { return (player.statements().*call)(variable); });
}

Status del_instance(Player& player, const Situation&, const Slot&) {
  return about_variable(player, Op::del_instance, &Statements::del_instance);
}

Status set_class(Player& player, const Situation&, const Slot&) {
  const Variable variable = player.choose().defined();
  const Class to = player.choose().of_class();
  return player.execute({.op = Op::set_class, .variable = variable, .of = to},
                        [&] { return player.statements().set_class(variable, to); });
}

Status launch(Player& player, const Situation&, const Slot&) {
  return about_variable(player, Op::launch, &Statements::launch);
}

// ---- attributes and dicts -----------------------------------------------------------------------

Status store_attr(Player& player, const Situation&, const Slot&) {
  const Variable variable = player.choose().defined();
  const Attribute attribute = player.choose().number(kAttributesDrawn);
  return player.store_attr(variable, attribute, player.choose().kind());
}

// Runs one statement for each attribute: keys, values and tables grow until there is no room.
Status store_all(Player& player, const Situation&, const Slot&) {
  const Variable variable = player.choose().defined();
  const ValueKind kind = player.choose().kind();
  for (Attribute attribute = 0; attribute < kAttributesDrawn; ++attribute)
    player.store_attr(variable, attribute, kind);
  player.count(Op::store_all);
  return Status::ok;
}

// Stores a value that runs code when it dies, which reads the attribute.
Status store_guarded(Player& player, const Situation&, const Slot&) {
  constexpr std::array<ValueKind, 2> kGuards{ValueKind::called_back, ValueKind::finalized};
  const Variable variable = player.choose().defined();
  const Attribute attribute = player.choose().number(kAttributesDrawn);
  const Status status =
      player.store_attr(variable, attribute, kGuards[player.choose().number(kGuards.size())]);
  player.count(Op::store_guarded);
  return status;
}

/// Runs a statement with an attribute of a variable.
Status about_attribute(Player& player, Op op, Status (Statements::*call)(Variable, Attribute)) {
  const Variable variable = player.choose().defined();
  const Attribute attribute = player.choose().attribute(variable);
  return player.execute({.op = op, .variable = variable, .attribute = attribute},
                        [&] { return (player.statements().*call)(variable, attribute); });
}

Status load_attr(Player& player, const Situation&, const Slot&) {
  return about_attribute(player, Op::load_attr, &Statements::load_attr);
}

Status delete_attr(Player& player, const Situation&, const Slot&) {
  return about_attribute(player, Op::delete_attr, &Statements::delete_attr);
}

Status access_dict(Player& player, const Situation&, const Slot&) {
  return about_variable(player, Op::access_dict, &Statements::access_dict);
}

Status replace_dict(Player& player, const Situation&, const Slot&) {
  return about_variable(player, Op::replace_dict, &Statements::replace_dict);
}

Status delete_dict(Player& player, const Situation&, const Slot&) {
  return about_variable(player, Op::delete_dict, &Statements::delete_dict);
}

// ---- classes ------------------------------------------------------------------------------------

/// Runs a statement with a class.
Status about_class(Player& player, Op op, Status (Statements::*call)(Class)) {
  const Class of = player.choose().of_class();
  return player.execute({.op = op, .of = of}, [&] { return (player.statements().*call)(of); });
}

Status set_type_attr(Player& player, const Situation&, const Slot&) {
  return about_class(player, Op::set_type_attr, &Statements::set_type_attr);
}

Status subclass(Player& player, const Situation&, const Slot&) {
  return about_class(player, Op::subclass, &Statements::subclass);
}

// ---- the process --------------------------------------------------------------------------------

Status collect(Player& player, const Situation&, const Slot&) {
  return player.execute({.op = Op::collect}, [&] { return player.statements().collect(); });
}

Status hold_noise(Player& player, const Situation&, const Slot&) {
  // Sizes of a small chunk and an int, an instance, a dict, and a large chunk.
  constexpr std::array<std::uint32_t, 4> kNoiseBytes{24, 48, 64, 96};
  const std::uint32_t bytes = kNoiseBytes[player.choose().number(kNoiseBytes.size())];
  return player.execute({.op = Op::hold_noise},
                        [&] { return player.statements().hold_noise(bytes); });
}

Status drop_noise(Player& player, const Situation&, const Slot&) {
  return player.execute({.op = Op::drop_noise}, [&] { return player.statements().drop_noise(); });
}

// ---- compiled code ------------------------------------------------------------------------------

Status with_block(Player& player, const Situation&, const Slot&) {
  const std::uint32_t depth = 1 + player.choose().number(3);
  const auto body = static_cast<Body>(player.choose().number(2));
  return player.execute({.op = Op::with_block},
                        [&] { return player.statements().with_block(depth, body); });
}

Status force_compile(Player& player, const Situation&, const Slot&) {
  const auto function = static_cast<Function>(player.choose().number(kFunctionCount));
  return player.execute({.op = Op::force_compile},
                        [&] { return player.path().jit().force_compile(function); });
}

Status deopt(Player& player, const Situation&, const Slot&) {
  const auto function = static_cast<Function>(player.choose().number(kFunctionCount));
  return player.execute({.op = Op::deopt}, [&] { return player.path().jit().deopt(function); });
}

// ---- the table ----------------------------------------------------------------------------------

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, applies, call) {#name, applies, call},
#include "scenarios/managed_dict/ops.def"
});

}  // namespace

std::span<const Player::Row> op_rows() { return kRows; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::managed_dict
