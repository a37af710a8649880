// SPDX-License-Identifier: Apache-2.0
// Chooser: the variables that an op is given.
//
// The default one is the most useful: an object that fits. Tapes name variables, never positions in
// a list, and the default variable of a new thing depends only on its slot: deleting one op leaves
// the arguments of the others where they were.
#pragma once

#include "harness/scenario/chooser.h"
#include "harness/scenario/variables.h"
#include "scenarios/argpack/variables.h"

namespace scenarios::argpack {

class Chooser final : public harness::Chooser {
 public:
  using harness::Chooser::Chooser;

  Variable from(Variables fitting) { return rather(fitting, 0); }
  Variable rather(Variables preferred, Variables others);
  /// One to be bound, written or read. Default: a fresh one, if there is any.
  Variable used(Variables fresh, Variables stale);
  /// Default: a fresh one, if there is any.
  Variable used_or_none(Variables fresh, Variables stale);
  /// Default: none.
  Variable none_or(Variables fresh, Variables stale);
  /// Where a new thing goes.
  Variable place(const harness::Slot& slot, Variables kind);
  /// The level of a pack that is nested in one so deep: 1 is p.c, 2 is p.c.c.
  std::uint32_t level(std::uint32_t depth);

 private:
  /// No variable, as an option.
  static constexpr Variable kNoneOption = targets::argpack::kVariableCount;
  /// The first variable, as an option, where it holds what is from before a reset: that is asked
  /// for by another name, so that code that asks for what is fresh never gets it.
  static constexpr Variable kStaleOption = kNoneOption + 1;
  using Options = harness::VariableOptions<targets::argpack::kVariableCount + 1>;

  static constexpr Variable something(Variable picked) {
    if (picked >= kStaleOption) return picked - kStaleOption;
    return picked == kNoneOption ? targets::argpack::kNothing : picked;
  }
  static void add_stale(Options& options, Variables stale) {
    for (; stale != 0; stale &= stale - 1)
      options.add(kStaleOption + static_cast<Variable>(std::countr_zero(stale)));
  }
  static constexpr Variables lowest(Variables variables) { return variables & -variables; }
};

inline Variable Chooser::rather(Variables preferred, Variables others) {
  Options options;
  options.add_all(preferred);
  options.add_all(others & ~preferred);
  return options.pick(scene_);
}

inline Variable Chooser::used(Variables fresh, Variables stale) {
  Options options;
  options.add_all(fresh);
  add_stale(options, stale);
  return something(options.pick(scene_));
}

inline Variable Chooser::used_or_none(Variables fresh, Variables stale) {
  Options options;
  options.add_all(lowest(fresh));
  options.add(kNoneOption);
  options.add_all(fresh & ~lowest(fresh));
  add_stale(options, stale);
  return something(options.pick(scene_));
}

inline Variable Chooser::none_or(Variables fresh, Variables stale) {
  Options options;
  options.add(kNoneOption);
  options.add_all(fresh);
  add_stale(options, stale);
  return something(options.pick(scene_));
}

inline Variable Chooser::place(const harness::Slot& slot, Variables kind) {
  Options options;
  options.add_for_new(kind, slot);
  return options.pick(scene_);
}

inline std::uint32_t Chooser::level(std::uint32_t depth) {
  constexpr std::array<std::uint32_t, targets::argpack::kDepthLimit - 1> kLevels{1, 2};
  return of(std::span(kLevels).first(depth - 1));
}

}  // namespace scenarios::argpack
