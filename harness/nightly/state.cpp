#include "harness/nightly/state.h"

#include <algorithm>
#include <array>

#include "harness/base.h"

namespace harness::nightly {

State state_of(std::uint64_t number, const std::vector<std::uint64_t>& seen,
               const std::optional<Mark>& mark) {
  if (mark && mark->state == "ignored" && (mark->last_number == 0 || number <= mark->last_number))
    return State::ignored;
  if (mark && mark->state == "fixed") {
    // Seen again in one night it has come back; from the next on that is known.
    const auto since = std::upper_bound(seen.begin(), seen.end(), mark->number);
    if (since == seen.end()) return State::fixed;
    return *since == number ? State::regressed : State::known;
  }
  return !seen.empty() && seen.front() < number ? State::known : State::fresh;
}

std::string_view to_text(State state) {
  static constexpr std::array<std::string_view, 5> kWords{"new", "known", "fixed", "regressed",
                                                          "ignored"};
  return kWords[raw(state)];
}

}  // namespace harness::nightly
