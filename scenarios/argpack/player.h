// SPDX-License-Identifier: Apache-2.0
// Player: the slots of a script and of its mutator.
#pragma once

#include "harness/run/scenario/player.h"
#include "scenarios/argpack/chooser.h"
#include "scenarios/argpack/enabled_ops.h"
#include "scenarios/argpack/judges.h"

namespace scenarios::argpack {

/// The script's actions on its contexts. Only hints for what to offer next.
struct ContextHints {
  Variables bound = 0;
  Variables compiled = 0;
};

/// Marks a context as used by a task while it exists. A context must be used by one thread at a
/// time: Taichi does not ensure this, so the script does.
/// Lifetime: on the task's stack. All are in a linked list, which allocates nothing.
class ContextUse {
 public:
  ContextUse(ContextUse*& first, harness::TaskId task, Variable context)
      : first_(first), next_(first), task_(task), context_(context) {
    first_ = this;
  }
  ~ContextUse() {
    ContextUse** at = &first_;
    while (*at != this) at = &(*at)->next_;
    *at = next_;
  }
  ContextUse(const ContextUse&) = delete;
  ContextUse& operator=(const ContextUse&) = delete;

  const ContextUse* next() const { return next_; }
  harness::TaskId task() const { return task_; }
  Variable context() const { return context_; }

 private:
  ContextUse*& first_;
  ContextUse* next_;
  harness::TaskId task_;
  Variable context_;
};

class Player final : public harness::Player<Player, Situation, Theme, targets::argpack::Status> {
 public:
  Player(harness::Scene& scene, Judges& judges, const Theme& theme);

  /// Fills a closing slot, if nothing has been launched.
  void take_closing_slot(std::uint32_t index);

  const targets::argpack::Argpack& path() const { return judges_.path(); }
  Chooser& choose() { return chooser_; }
  ContextHints& hints() { return hints_; }
  /// Returns the contexts that other tasks are using.
  Variables others_contexts() const;
  ContextUse use_context(Variable context) {
    return {first_use_, scene().world().scheduler.current(), context};
  }
  /// Mutators wait for the first use of a pack, or for the script's end.
  harness::FirstUse& use() { return use_; }

  /// Returns the packs that can become the nested pack at `level` levels below `pack`.
  Variables fitting_children(const Situation& now, Variable pack, std::uint32_t level) const;

  /// Calls the nth part of an op that makes several calls. A part is a separate activation,
  /// so that its choices do not change when another part does, and it is counted as its own
  /// op.
  template <class Call>
  targets::argpack::Status part(Op op, std::uint32_t nth, Call call);

 private:
  Situation look() const override;
  void list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const override;
  void prepare(std::size_t op, const harness::Slot& slot) override;
  bool some_child_fits(const Situation& now) const;

  Judges& judges_;
  Chooser chooser_;
  ContextHints hints_;
  ContextUse* first_use_ = nullptr;
  harness::FirstUse use_;
};

template <class Call>
targets::argpack::Status Player::part(Op op, std::uint32_t nth, Call call) {
  harness::World& world = scene().world();
  const harness::Label name = kOps[harness::raw(op)].name;
  const harness::ActivationScope activation(world.scheduler, world.picker.current().name, name,
                                            nth);
  const targets::argpack::Status status = call();
  if (status == targets::argpack::Status::ok) scene().count_op(harness::raw(op));
  return status;
}

/// The table of ops.def.
std::span<const Player::Row> op_rows();

}  // namespace scenarios::argpack
