// SPDX-License-Identifier: Apache-2.0
// How it works: see harness/run/scenario/player.h. The ops and their arguments are in ops.cpp;
// each, except store_all, is one statement, which is judged afterwards.
#include "scenarios/managed_dict/player.h"

namespace scenarios::managed_dict {

using harness::Label;
using targets::managed_dict::basic_bytes;
using targets::managed_dict::Function;
using targets::managed_dict::kFunctionCount;
using targets::managed_dict::kPreheaderBytes;
using targets::managed_dict::kVariableCount;

namespace {

/// Ops that store attributes, in compiled code if their functions are. There are several, because
/// some strategies enable only a random subset of the kinds of ops.
constexpr Ops kStoring = ops(Op::new_instance, Op::store_attr, Op::with_block);
constexpr Theme kTheme{.name = "everything", .favoured = kStoring};
constexpr std::size_t kFavour = 4;

}  // namespace

Player::Player(harness::Scene& scene)
    : harness::Player<Player, Situation, Theme, Status>(scene, op_rows(), kTheme),
      judge_(scene),
      census_(scene),
      reader_(scene, model_, judge_.capacity()),
      chooser_(scene, model_),
      bounded_(scene.scenario().variants[scene.variant()].claim.kind == harness::ClaimKind::sound) {
  if (bounded_) judge_.capacity().judge();
}

// ---- what there is ----------------------------------------------------------------------------

bool Player::any_defined() const {
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (model_.is_defined(variable)) return true;
  return false;
}

Situation Player::look() const { return {any_defined(), model_.noise_count() != 0}; }

// A statement changes the model without an event.
std::size_t Player::moment() const { return scene().world().history.events().size() + statements_; }

void Player::list_enabled(harness::OpList& list, std::uint32_t, const Situation& now) const {
  const Ops offered = applicable(now);
  list.add(offered);
  list.add(offered & theme().favoured, kFavour - 1);
}

// ---- slots ------------------------------------------------------------------------------------

void Player::prepare(std::size_t, const harness::Slot&) { scene().world().scheduler.turn({}); }

// Each statement is noted separately.
void Player::run(std::size_t op, const Situation& now, const harness::Slot& slot) {
  op_rows()[op].call(*this, now, slot);
}

// Every op ends with a store to an instance: its own, or an additional one.
void Player::take_closing_slot(std::uint32_t index) {
  const harness::Slot slot{0, index};
  const harness::ActivationScope activation(scene().world().scheduler, slot.task, slot.index);
  harness::OpList offered;
  offered.add(kStoring, kFavour);
  const int picked = scene().pick_op(offered);
  if (picked < 0) return;
  prepare(static_cast<std::size_t>(picked), slot);
  for (std::uint32_t i = 0; i < kFunctionCount; ++i)
    path_->jit().force_compile(static_cast<Function>(i));
  const auto op = static_cast<Op>(picked);
  if (op == Op::new_instance) return make_and_store(slot);
  if (op == Op::store_attr && !any_defined()) new_instance(0, Class::no_grad);
  if (op != Op::store_attr || any_defined()) run(static_cast<std::size_t>(picked), look(), slot);
}

void Player::make_and_store(const harness::Slot& slot) {
  const Variable into = choose().place(slot);
  new_instance(into, choose().of_class());
  if (model_.is_defined(into)) store_attr(into, 0, ValueKind::number);
}

// ---- statements -------------------------------------------------------------------------------

Status Player::new_instance(Variable into, Class of) {
  return execute({.op = Op::new_instance, .variable = into, .of = of},
                 [&] { return statements().new_instance(into, of); });
}

Status Player::store_attr(Variable variable, Attribute attribute, ValueKind kind) {
  return execute({.op = Op::store_attr, .variable = variable, .attribute = attribute, .kind = kind},
                 [&] { return statements().store_attr(variable, attribute, kind); });
}

Player::Before Player::begin(const Statement& about) const {
  return {model_.expected(about), judge_.blocks().starved_count(),
          path_->inspection().class_version(about.of)};
}

void Player::judge_statement(const Statement& about, const Before& before, Status status) {
  judge_answer(about.op, before.expected, status,
               judge_.blocks().starved_count() != before.starved);
  // A cache of the former class must be able to notice the change.
  if (about.op == Op::set_type_attr && before.version != 0 && bounded_ && status == Status::ok)
    scene().expect("class version", path_->inspection().class_version(about.of) == before.version,
                   false);
  if (status != Status::memory_error)
    model_.apply(about);
  else
    model_.failed(about);
  ++statements_;
  judge_.heap().judge_all();
  if (bounded_) judge_state(about);
}

// Only for variants that claim to be sound: other variants' objects may not be readable.
void Player::judge_state(const Statement& about) {
  if (!scene().world().history.faults().empty()) return;
  reader_.read_instance(path_->inspection(), about.variable, others_asked_for_dicts());
  if (judge_.blocks().starved_count() == 0)
    reader_.read_held(path_->inspection(), others_asked_for_dicts());
  census_.judge(model_.bounds(blocks_, others_asked_for_dicts()));
  if (const std::uint64_t bytes = census_.instance_bytes(); bytes != 0 && !model_.is_inline())
    scene().expect("instance bytes", bytes,
                   kPreheaderBytes + basic_bytes(path_->inspection().layout()));
  scene().expect("class references", path_->inspection().class_references(), census_.instances());
}

void Player::judge_all() {
  if (!bounded_) return;
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (scene().world().history.faults().empty())
      reader_.read_instance(path_->inspection(), variable, others_asked_for_dicts());
}

// Judges a status. After a fault, or without memory, a failure is not a
// refusal.
void Player::judge_answer(Op op, Status expected, Status status, bool starved) {
  if (status == expected || !scene().world().history.faults().empty()) return;
  if (status == Status::memory_error && starved) return;
  const Label name = kOps[harness::raw(op)].name;
  if (status == Status::ok)
    scene().expect("answer", harness::raw(status), harness::raw(expected));
  else
    scene().refuse(name, to_label(status).c_str());
}

}  // namespace scenarios::managed_dict
