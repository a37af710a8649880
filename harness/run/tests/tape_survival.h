// SPDX-License-Identifier: Apache-2.0
// Tape survival: the number of choices that still match their question after an op was removed from
// the program.
#pragma once

#include "harness/core/history/causes.h"
#include "harness/core/pick/replay.h"
#include "harness/run/run.h"
#include "harness/run/strategies/random_walk.h"

namespace harness::testing {

/// Also counts questions that came up with nothing to choose from: who else could run has changed,
/// not where the choice belongs.
class AttentiveReplay final : public Replay {
 public:
  bool hears_all() const override { return true; }
};

struct Survival {
  std::uint64_t tapes = 0;
  std::uint64_t decisions = 0;  ///< Choices of the ops that stayed.
  std::uint64_t met = 0;
  double share() const { return decisions == 0 ? 0 : double(met) / double(decisions); }
};

/// Returns the tape without the op at `slot`, its arguments and its consequences.
inline Tape without_op(const Tape& tape, Name slot, const Causes& causes) {
  Tape rest;
  for (const Decision& decision : tape)
    if (causes.slot_of(decision.activation) != slot) rest.push_back(decision);
  return rest;
}

inline std::vector<Name> ops_of(const Tape& tape) {
  std::vector<Name> slots;
  for (const Decision& decision : tape)
    if (decision.site_tag == site_tag(Site::op)) slots.push_back(decision.activation);
  return slots;
}

/// Finds `tape_count` failing tapes by random walk, deletes one op of each, and replays the rest.
inline Survival measure_survival(Runner& runner, const Scenario& scenario, std::size_t variant,
                                 const DeviceInfo& device, std::uint64_t tape_count) {
  strategies::RandomWalk walk(1);
  AttentiveReplay replay;
  Survival survival;
  for (std::uint64_t run = 0; survival.tapes < tape_count && run < 1000 * tape_count; ++run) {
    const Config config = config_at(scenario, run % config_count(scenario));
    const Outcome& outcome = runner.run(scenario, variant, config, device, walk);
    const std::vector<Name> ops = ops_of(outcome.tape);
    if (!outcome.failed() || ops.size() < 2) continue;
    const Causes causes(runner.history().activations());
    const Tape rest = without_op(outcome.tape, ops[run % ops.size()], causes);
    replay.assign(rest);
    runner.run(scenario, variant, config, device, replay);
    ++survival.tapes;
    survival.decisions += rest.size();
    survival.met += replay.met_count();
  }
  return survival;
}

}  // namespace harness::testing
