// What an op may be given. The plain argument is the one that is most useful: an object that fits.
#include "harness/scenario/variables.h"
#include "scenarios/graph_argument/script.h"

namespace scenarios::graph_argument {

using targets::graph_argument::kVariableCount;

namespace {

/// A node's wrapper that is not stored.
constexpr Variable kNowhereOption = kVariableCount;

using Options = harness::VariableOptions<kFavour*(kVariableCount + 1)>;

}  // namespace

Variable Script::choose(Variables fitting, Variables favoured) {
  Options options;
  options.add_all(fitting);
  for (std::size_t i = 1; i < kFavour; ++i) options.add_all(fitting & favoured);
  return options.pick(scene_);
}

Variable Script::choose_new(const Slot& slot, Variables kind) {
  Options options;
  options.add_for_new(kind, {slot.task, slot.index});
  return options.pick(scene_);
}

Variable Script::choose_node(const Slot& slot) {
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
