// SPDX-License-Identifier: Apache-2.0
// Player: the slots of the script and of the second thread, and their statements, which are judged.
#pragma once

#include <string>
#include <vector>

#include "harness/run/scenario/player.h"
#include "scenarios/managed_dict/chooser.h"
#include "scenarios/managed_dict/judges/judge.h"

namespace scenarios::managed_dict {

using harness::Ops;
using harness::ops;

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

/// Ownership: made in the run's arena; borrows the scene, the path and the transcript.
class Player final : public harness::Player<Player, Situation, Theme, Status> {
 public:
  using ManagedDict = targets::managed_dict::ManagedDict;
  /// The statements of a run, one per line, as a real interpreter can run them
  /// (tests/embedded/program.h). All tasks of a run share it, so they can be repeated only if the
  /// script ran alone.
  using Transcript = std::vector<std::string>;

  explicit Player(harness::Scene& scene);
  void set_path(ManagedDict& path) {
    path_ = &path;
    judge_.look_at(path.inspection().heap(), path.inspection().layout());
  }
  void set_transcript(Transcript& transcript) { transcript_ = &transcript; }
  ManagedDict& path() { return *path_; }
  Chooser& choose() { return chooser_; }
  Judge& judge() { return judge_; }

  /// Fills a slot of a script without a compiled store: compiles all, and runs an op that stores.
  void take_closing_slot(std::uint32_t index);

  /// Runs a statement, and judges it.
  Status execute(const Statement& statement);

  // ---- ops that consist of several statements ----
  /// Stores to each attribute: keys, values and tables grow until there is no room.
  Status store_all(Variable variable, ValueKind kind);
  /// Stores a value that runs code when it dies, which reads the attribute.
  Status store_guarded(Variable variable, Attribute attribute, ValueKind kind);

  /// Judges what the script leaves, and drops it.
  void finish();

 private:
  Situation look() const override;
  std::size_t moment() const override;
  void list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const override;
  void prepare(std::size_t op, const harness::Slot& slot) override;
  void run(std::size_t op, const Situation& now, const harness::Slot& slot) override;

  void make_and_store(const harness::Slot& slot);
  Status call(const Statement& statement);

  Judge judge_;
  Chooser chooser_;
  std::size_t statements_ = 0;  ///< Number of statements that have changed the state.
  ManagedDict* path_ = nullptr;
  Transcript* transcript_ = nullptr;  ///< Null in most runs.
};

/// The table of ops.def.
std::span<const Player::Row> op_rows();

/// The call of an op.
struct Call {
  Status (*make)(Player& player, const Statement& statement);
  /// Returns its line in a transcript. Null if a real interpreter cannot run it.
  std::string (*text)(const Statement& statement);
};
const Call& call_of(Op op);

}  // namespace scenarios::managed_dict
