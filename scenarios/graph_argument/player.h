// SPDX-License-Identifier: Apache-2.0
// Player: the slots of a script and of its mutator.
#pragma once

#include "harness/run/scenario/player.h"
#include "scenarios/graph_argument/chooser.h"
#include "scenarios/graph_argument/enabled_ops.h"
#include "scenarios/graph_argument/judges/judges.h"

namespace scenarios::graph_argument {

class Player final
    : public harness::Player<Player, Situation, Theme, targets::graph_argument::Status> {
 public:
  Player(harness::Scene& scene, Judges& judges, const Theme& theme);

  /// Fills one of the script's last slots, if nothing has been launched: an op that needs a launch
  /// first does everything that this requires.
  void take_last_slot(std::uint32_t index);

  Judges& judges() { return judges_; }
  Chooser& choose() { return chooser_; }
  /// Mutators wait for the first node, or for the script's end.
  harness::FirstUse& use() { return use_; }

 private:
  Situation look() const override;
  void list_enabled(harness::OpList& list, std::uint32_t task, const Situation& now) const override;
  void prepare(std::size_t op, const harness::Slot& slot) override;

  bool has_added() const;
  bool has_launched() const;
  /// Calls the op with these arguments. Returns whether it succeeded.
  template <Op op, class... Values>
  bool make(const Values&... values) {
    return harness::raw(harness::note_op(scene(), harness::raw(op),
                                         [&] { return judges_.call<op>(values...); })) == 0;
  }
  /// Returns whether a launch of existing objects would most likely be a caller error.
  bool has_trouble() const;
  void get_to_launch(const harness::Slot& slot);
  void launch_anew(std::int32_t value);

  Judges& judges_;
  Chooser chooser_;
  harness::FirstUse use_;
  const targets::graph_argument::Api& api_;  ///< Calls that this version has.
};

/// The table of ops.def.
std::span<const Player::Row> op_rows();

}  // namespace scenarios::graph_argument
