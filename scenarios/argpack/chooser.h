// SPDX-License-Identifier: Apache-2.0
// Chooser: chooses the variables of an op.
//
// The default is the most useful one: an object that fits. Tapes name variables, never positions in
// a list, and the default variable of a new object depends only on its slot: deleting one op leaves
// the arguments of the others unchanged.
#pragma once

#include "harness/run/scenario/chooser.h"
#include "harness/run/scenario/variables.h"
#include "scenarios/argpack/variables.h"

namespace scenarios::argpack {

class Chooser final : public harness::Chooser {
 public:
  using harness::Chooser::Chooser;

  Variable from(Variables fitting) { return rather(fitting, 0); }
  Variable rather(Variables preferred, Variables others) {
    Options options;
    options.add_all(preferred);
    options.add_all(others & ~preferred);
    return options.pick(scene_);
  }
  /// Chooses a variable to be bound, written or read. Default: a fresh one, if any.
  Variable used(Variables fresh, Variables stale) {
    Options options;
    options.add_all(fresh);
    return with_stale(options, stale);
  }
  /// Chooses a variable or none. Default: a fresh one, if any.
  Variable used_or_none(Variables fresh, Variables stale) {
    const Variables lowest = fresh & -fresh;
    Options options;
    options.add_all(lowest);
    options.add(kNoneOption);
    options.add_all(fresh & ~lowest);
    return with_stale(options, stale);
  }
  /// Chooses a variable or none. Default: none.
  Variable none_or(Variables fresh, Variables stale) {
    Options options;
    options.add(kNoneOption);
    options.add_all(fresh);
    return with_stale(options, stale);
  }
  /// Chooses the variable for a new object.
  Variable place(const harness::Slot& slot, Variables kind) {
    Options options;
    options.add_for_new(kind, slot);
    return options.pick(scene_);
  }
  /// Chooses the level of a pack nested in one of this depth: 1 is p.c, 2 is p.c.c.
  std::uint32_t level(std::uint32_t depth) {
    constexpr std::array<std::uint32_t, targets::argpack::kDepthLimit - 1> kLevels{1, 2};
    return of(std::span(kLevels).first(depth - 1));
  }

 private:
  /// Option for no variable.
  static constexpr Variable kNoneOption = targets::argpack::kVariableCount;
  /// Option for the first variable if it holds an object from before a reset. Stale objects have
  /// options with other numbers, so that a tape that asks for a fresh one never gets them.
  static constexpr Variable kStaleOption = kNoneOption + 1;
  using Options = harness::VariableOptions<targets::argpack::kVariableCount + 1>;

  Variable with_stale(Options& options, Variables stale) {
    for (; stale != 0; stale &= stale - 1)
      options.add(kStaleOption + static_cast<Variable>(std::countr_zero(stale)));
    const Variable picked = options.pick(scene_);
    if (picked >= kStaleOption) return picked - kStaleOption;
    return picked == kNoneOption ? targets::argpack::kNothing : picked;
  }
};

}  // namespace scenarios::argpack
