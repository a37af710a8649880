// SPDX-License-Identifier: Apache-2.0
// Player: the slots of the script and of the second thread, and the judges of their statements.
#pragma once

#include "harness/run/scenario/player.h"
#include "scenarios/managed_dict/bounds.h"
#include "scenarios/managed_dict/chooser.h"
#include "scenarios/managed_dict/judges/judge.h"
#include "scenarios/managed_dict/reader.h"

namespace scenarios::managed_dict {

using harness::Ops;
using harness::ops;
using targets::managed_dict::Statements;

/// Current state of the script.
struct Situation {
  bool has_instance = false;
  bool has_noise = false;
};

/// Returns the ops that are not obvious mistakes in this situation.
Ops applicable(const Situation& now);

/// The theme of a run: every op.
struct Theme {
  harness::Label name;
  Ops favoured = 0;  ///< Listed several times, so that a random strategy gets to a store.
};

/// Ownership: made in the run's arena; borrows the scene and the path.
class Player final : public harness::Player<Player, Situation, Theme, Status> {
 public:
  using ManagedDict = targets::managed_dict::ManagedDict;

  explicit Player(harness::Scene& scene);
  void set_path(ManagedDict& path) {
    path_ = &path;
    model_.set_layout(path.inspection().layout());
    judge_.look_at(path.inspection().heap(), path.inspection().layout());
  }
  ManagedDict& path() { return *path_; }
  Statements& statements() { return path_->statements(); }
  Chooser& choose() { return chooser_; }
  Judge& judge() { return judge_; }

  /// Fills a slot of a script without a compiled store: compiles all, and runs an op that stores.
  void take_closing_slot(std::uint32_t index);

  /// Runs the statement and judges its result.
  template <class Call>
  Status execute(const Statement& about, Call call);
  Status new_instance(Variable into, Class of);
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind);
  /// Counts an op that consists of several statements.
  void count(Op op) { scene().count_op(harness::raw(op)); }

  /// Reads everything that the script can read, at its end.
  void judge_all();

 private:
  /// State before a statement.
  struct Before {
    Status expected;
    std::uint32_t starved;
    std::uint32_t version;
  };

  Situation look() const override;
  std::size_t moment() const override;
  void list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const override;
  void prepare(std::size_t op, const harness::Slot& slot) override;
  void run(std::size_t op, const Situation& now, const harness::Slot& slot) override;

  bool any_defined() const;
  void make_and_store(const harness::Slot& slot);
  Before begin(const Statement& about) const;
  void judge_statement(const Statement& about, const Before& before, Status status);
  void judge_answer(Op op, Status expected, Status status, bool starved);
  void judge_state(const Statement& about);
  bool others_asked_for_dicts() const { return judge_.code().others_asked_for_dicts(); }

  Model model_;
  Judge judge_;
  Census census_;
  Reader reader_;
  Chooser chooser_;
  bool bounded_;              ///< The variant claims that no object outlives its last possible use.
  std::uint32_t blocks_ = 0;  ///< Number of running with blocks.
  std::size_t statements_ = 0;  ///< Number of statements that have changed the model.
  ManagedDict* path_ = nullptr;
};

template <class Call>
Status Player::execute(const Statement& about, Call call) {
  Before before;
  const auto blocks = static_cast<std::uint32_t>(about.op == Op::with_block);
  const auto call_it = [&] {
    before = begin(about);
    blocks_ += blocks;
    const Status status = call();
    blocks_ -= blocks;
    return status;
  };
  return harness::note_op(scene(), harness::raw(about.op), call_it,
                          [&](Status status) { judge_statement(about, before, status); });
}

/// The table of ops.def.
std::span<const Player::Row> op_rows();

}  // namespace scenarios::managed_dict
