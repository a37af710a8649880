// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/chooser.h"

#include "harness/run/scenario/variables.h"
#include "scenarios/graph_argument/enabled_ops.h"

namespace scenarios::graph_argument {

using targets::graph_argument::kVariableCount;

namespace {

/// Option for not storing a node's wrapper.
constexpr Variable kNowhereOption = kVariableCount;

using Options = harness::VariableOptions<kFavour*(kVariableCount + 1)>;

}  // namespace

Variable Chooser::from(Variables fitting, Variables favoured) {
  Options options;
  options.add_all(fitting);
  for (std::size_t i = 1; i < kFavour; ++i) options.add_all(fitting & favoured);
  return options.pick(scene_);
}

Variable Chooser::place(const harness::Slot& slot, Variables kind) {
  Options options;
  options.add_for_new(kind, slot);
  return options.pick(scene_);
}

Variable Chooser::place_node(const harness::Slot& slot) {
  const auto first = static_cast<Variable>(std::countr_zero(kNodeVariables));
  Options options;
  options.add(first + (slot.index + slot.task) % std::popcount(kNodeVariables));
  options.add_all(kNodeVariables & ~bit(first + (slot.index + slot.task) % 3));
  const std::size_t times = (dropped_ & kDefinitionVariables) != 0 ? 2 * kFavour : 1;
  for (std::size_t i = 0; i < times; ++i) options.add(kNowhereOption);
  const Variable picked = options.pick(scene_);
  return picked == kNowhereOption ? targets::graph_argument::kNowhere : picked;
}

}  // namespace scenarios::graph_argument
