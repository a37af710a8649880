// SPDX-License-Identifier: Apache-2.0
// Chooser: chooses the arguments of an op. The default is the most useful one. Tapes name
// variables, never positions in a list.
#pragma once

#include "harness/run/scenario/chooser.h"
#include "harness/run/scenario/variables.h"
#include "scenarios/managed_dict/model/state.h"

namespace scenarios::managed_dict {

/// Ownership: borrows the scene and the state of the run.
class Chooser final : public harness::Chooser {
 public:
  Chooser(harness::Scene& scene, const State& state) : harness::Chooser(scene), state_(state) {}

  /// Chooses a variable that refers to an instance. There must be one.
  Variable defined() {
    Options options;
    for (Variable variable = 0; variable < targets::managed_dict::kVariableCount; ++variable)
      if (state_.variables[variable].form.defined) options.add(variable);
    return options.pick(scene_);
  }
  /// Chooses an attribute, preferably one that the object has.
  Attribute attribute(Variable variable) {
    harness::VariableOptions<2 * kAttributesDrawn> options;
    const Contents<Promised>& contents = state_.variables[variable].contents;
    for (Attribute attribute = 0; attribute < kAttributesDrawn; ++attribute)
      if (contents.find(attribute) != nullptr) options.add(attribute);
    for (Attribute attribute = 0; attribute < kAttributesDrawn; ++attribute) options.add(attribute);
    return options.pick(scene_);
  }
  /// Chooses the variable for a new instance; the default depends only on the slot.
  Variable place(const harness::Slot& slot) {
    constexpr Variable kCount = targets::managed_dict::kVariableCount;
    const Variable plain = (slot.index + 3 * slot.task) % kCount;
    Options options;
    for (std::uint32_t i = 0; i < kCount; ++i) options.add((plain + i) % kCount);
    return options.pick(scene_);
  }
  Class of_class() { return static_cast<Class>(number(targets::managed_dict::kClassCountOfPath)); }

 private:
  using Options = harness::VariableOptions<targets::managed_dict::kVariableCount>;

  const State& state_;
};

}  // namespace scenarios::managed_dict
