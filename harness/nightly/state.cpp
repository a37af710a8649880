// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/state.h"

#include <algorithm>
#include <array>

#include "harness/base/base.h"

namespace harness::nightly {

namespace {

/// Returns the night after which the finding counts as fixed; nothing if it does not.
std::optional<std::uint64_t> fixed_after(const std::optional<Mark>& mark,
                                         std::optional<std::uint64_t> fixed_number) {
  const bool is_found = fixed_number && (!mark || *fixed_number > mark->number);
  if (is_found) return fixed_number;
  return mark && mark->state == "fixed" ? std::optional(mark->number) : std::nullopt;
}

}  // namespace

State state_of(std::uint64_t number, const std::vector<std::uint64_t>& seen,
               const std::optional<Mark>& mark, std::optional<std::uint64_t> fixed_number) {
  if (mark && mark->state == "ignored" && (mark->last_number == 0 || number <= mark->last_number))
    return State::ignored;
  if (const auto fixed = fixed_after(mark, fixed_number)) {
    // In the first night that sees it again, it has regressed; in later nights it is known.
    const auto since = std::upper_bound(seen.begin(), seen.end(), *fixed);
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
