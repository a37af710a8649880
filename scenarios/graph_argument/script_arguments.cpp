// What an op may be given. The plain argument is the one that is most useful: an object that fits.
// Tapes name variables, never positions in a list, and a new thing's plain variable depends on its
// slot alone: deleting one op leaves the arguments of the others where they were.
#include "scenarios/graph_argument/script.h"

namespace scenarios::graph_argument {

using harness::Site;
using targets::graph_argument::kVariableCount;

namespace {

/// What tapes call a variable. 0 would be the plain.
constexpr std::uint32_t tape_value(Variable variable) { return variable + 1; }
constexpr std::uint32_t kNowhereValue = tape_value(kVariableCount);

/// The options of an argument, [0] plain.
class VariableList {
 public:
  void add(Variable variable) { values_[count_++] = tape_value(variable); }
  void add_nowhere() { values_[count_++] = kNowhereValue; }
  void add_all(Variables variables) {
    for (; variables != 0; variables &= variables - 1)
      add(static_cast<Variable>(std::countr_zero(variables)));
  }
  operator std::span<const std::uint32_t>() const { return {values_.data(), count_}; }

 private:
  std::array<std::uint32_t, kFavour*(kVariableCount + 1)> values_;
  std::size_t count_ = 0;
};

}  // namespace

std::uint32_t Script::choose_of(std::span<const std::uint32_t> values) {
  return values[scene_.world().picker.pick_value(Site::argument, values)];
}

Variable Script::choose(Variables fitting, Variables favoured) {
  VariableList options;
  options.add_all(fitting);
  for (std::size_t i = 1; i < kFavour; ++i) options.add_all(fitting & favoured);
  return choose_of(options) - 1;
}

Variable Script::choose_new(const Slot& slot, Variables kind) {
  const auto first = static_cast<Variable>(std::countr_zero(kind));
  const auto count = static_cast<std::uint32_t>(std::popcount(kind));
  const Variable plain = first + (slot.index + 3 * slot.task) % count;
  VariableList options;
  options.add(plain);
  options.add_all(kind & ~bit(plain));
  return choose_of(options) - 1;
}

Variable Script::choose_node(const Slot& slot) {
  const auto first = static_cast<Variable>(std::countr_zero(kNodeVariables));
  VariableList options;
  options.add(first + (slot.index + slot.task) % std::popcount(kNodeVariables));
  options.add_all(kNodeVariables & ~bit(first + (slot.index + slot.task) % 3));
  const std::size_t times = (dropped_ & kDefinitionVariables) != 0 ? 2 * kFavour : 1;
  for (std::size_t i = 0; i < times; ++i) options.add_nowhere();
  const std::uint32_t value = choose_of(options);
  return value == kNowhereValue ? targets::graph_argument::kNowhere : value - 1;
}

}  // namespace scenarios::graph_argument
