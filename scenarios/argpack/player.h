// SPDX-License-Identifier: Apache-2.0
// Player: the slots of a script and of its mutator.
#pragma once

#include "harness/run/scenario/player.h"
#include "scenarios/argpack/chooser.h"
#include "scenarios/argpack/enabled_ops.h"
#include "scenarios/argpack/judge.h"

namespace scenarios::argpack {

/// The script's actions on its contexts. Only hints for what to offer next.
struct ContextHints {
  Variables bound = 0;
  Variables compiled = 0;
};

/// Marks a context as used while it exists. A context must be used by one thread at a time: Taichi
/// does not ensure this, so the script does.
/// Lifetime: on the task's stack.
class ContextUse {
 public:
  explicit ContextUse(std::uint32_t& users) : users_(users) { ++users_; }
  ~ContextUse() { --users_; }
  ContextUse(const ContextUse&) = delete;
  ContextUse& operator=(const ContextUse&) = delete;

 private:
  std::uint32_t& users_;
};

class Player final : public harness::Player<Player, Situation, Theme, targets::argpack::Status> {
 public:
  Player(harness::Scene& scene, Judge& judge, const Theme& theme);

  /// Fills a closing slot, if nothing has been launched.
  void take_closing_slot(std::uint32_t index);

  Judge& judge() { return judge_; }
  Chooser& choose() { return chooser_; }
  ContextHints& hints() { return hints_; }
  std::uint32_t depth(Variable pack) const { return judge_.path().globals.depth(pack); }
  /// Returns the contexts that a task is using.
  Variables used_contexts() const;
  ContextUse use_context(Variable context) { return ContextUse(context_users_[context]); }
  /// Mutators wait for the first use of a pack, or for the script's end.
  harness::FirstUse& use() { return use_; }

  /// Returns the packs that can become the nested pack at `level` levels below `pack`.
  Variables fitting_children(const Situation& now, Variable pack, std::uint32_t level) const;

  /// Calls the op as the nth part of one that makes several calls. A part is a separate activation,
  /// so that its choices do not change when another part does, and it is counted as its own op.
  targets::argpack::Status part(std::uint32_t nth, Op op, const Values& values);

 private:
  Situation look() const override;
  void list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const override;
  void prepare(std::size_t op, const harness::Slot& slot) override;
  bool some_child_fits(const Situation& now) const;

  Judge& judge_;
  Chooser chooser_;
  ContextHints hints_;
  std::array<std::uint32_t, targets::argpack::kVariableCount> context_users_{};
  harness::FirstUse use_;
};

/// The table of ops.def.
std::span<const Player::Row> op_rows();

}  // namespace scenarios::argpack
