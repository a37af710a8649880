// SPDX-License-Identifier: Apache-2.0
// State: what a finding is to people: a function of the nights that saw it and of what was said of
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness::nightly {

enum class State : unsigned char {
  fresh,      ///< Called "new": no night before saw it.
  known,      ///< An earlier night saw it.
  fixed,      ///< Marked so, or found so by a night (absent.h), and not seen since.
  regressed,  ///< Seen again since it was fixed.
  ignored,    ///< Marked so, with a reason, for some nights or for good.
};

/// The last word on a finding, said after night `number`.
struct Mark {
  std::string state;  ///< "open", "fixed" or "ignored".
  std::uint64_t number = 0;
  std::uint64_t last_number = 0;  ///< Last night that it is ignored in; 0 = for good.
};

/// Returns the state in night `number`; `seen` are the numbers of the nights that saw it up to
/// then, that one included where it did, ascending; `fixed_number` is the last night that found it
/// fixed. A person who spoke after that has the last word.
State state_of(std::uint64_t number, const std::vector<std::uint64_t>& seen,
               const std::optional<Mark>& mark,
               std::optional<std::uint64_t> fixed_number = std::nullopt);

/// Returns "new", "known", "fixed", "regressed" or "ignored".
std::string_view to_text(State state);

}  // namespace harness::nightly
