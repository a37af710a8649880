// SPDX-License-Identifier: Apache-2.0
// How it works: see harness/run/scenario/player.h. The ops and their arguments are in ops.cpp;
// each, except store_all, is one statement, which is judged afterwards.
#include "scenarios/managed_dict/player.h"

namespace scenarios::managed_dict {

using targets::managed_dict::Function;
using targets::managed_dict::kFunctionCount;

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
      chooser_(scene, judge_.state()) {}

// ---- slots ------------------------------------------------------------------------------------

Situation Player::look() const {
  return {judge_.state().any_defined(), judge_.state().noise_count != 0};
}

// A statement changes the state without an event.
std::size_t Player::moment() const { return scene().world().history.events().size() + statements_; }

void Player::list_enabled(harness::OpList& list, std::uint32_t, const Situation& now) const {
  const Ops offered = applicable(now);
  list.add(offered);
  list.add(offered & theme().favoured, kFavour - 1);
}

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
  if (op == Op::store_attr && !look().has_instance) execute({.op = Op::new_instance});
  if (op != Op::store_attr || look().has_instance)
    run(static_cast<std::size_t>(picked), look(), slot);
}

void Player::make_and_store(const harness::Slot& slot) {
  const Variable into = choose().place(slot);
  execute({.op = Op::new_instance, .variable = into, .of = choose().of_class()});
  if (judge_.state().variables[into].form.defined)
    execute({.op = Op::store_attr, .variable = into});
}

// ---- statements -------------------------------------------------------------------------------

Status Player::execute(const Statement& statement) {
  const auto blocks = static_cast<std::uint32_t>(statement.depth != 0);
  ScriptJudge::Before before;
  const auto make_call = [&] {
    before = judge_.script().before(path_->inspection(), statement);
    judge_.state().running_blocks += blocks;
    const Status status = call(statement);
    judge_.state().running_blocks -= blocks;
    return status;
  };
  return harness::note_op(scene(), harness::raw(statement.op), make_call, [&](Status status) {
    ++statements_;
    judge_.script().judge(path_->inspection(), statement, before, status);
  });
}

// Adds the line first, because the statement may not return. One that the path refuses is removed.
Status Player::call(const Statement& statement) {
  const auto& [make, text] = call_of(statement.op);
  if (transcript_ == nullptr || text == nullptr) return make(*this, statement);
  transcript_->push_back(text(statement));
  const std::size_t place = transcript_->size();
  const Status status = make(*this, statement);
  if (status != Status::ok && transcript_->size() == place) transcript_->pop_back();
  return status;
}

Status Player::store_all(Variable variable, ValueKind kind) {
  for (Attribute attribute = 0; attribute < kAttributesDrawn; ++attribute)
    execute({.op = Op::store_attr, .variable = variable, .attribute = attribute, .kind = kind});
  scene().count_op(harness::raw(Op::store_all));
  return Status::ok;
}

Status Player::store_guarded(Variable variable, Attribute attribute, ValueKind kind) {
  const Status status =
      execute({.op = Op::store_attr, .variable = variable, .attribute = attribute, .kind = kind});
  scene().count_op(harness::raw(Op::store_guarded));
  return status;
}

void Player::finish() {
  judge_.script().judge_variables(path_->inspection());
  const harness::SiteScope site(scene().world().scheduler, "clear_up");
  if (transcript_ != nullptr) transcript_->emplace_back("clear_up");
  if (path_->statements().clear_up()) scene().mark_quiescent();
}

}  // namespace scenarios::managed_dict
