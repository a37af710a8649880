// SPDX-License-Identifier: Apache-2.0
// State: the state of a finding for users, a function of the nights that saw it and of its marks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness::nightly {

enum class State : unsigned char {
  fresh,      ///< Shown as "new": no earlier night saw it.
  known,      ///< An earlier night saw it.
  fixed,      ///< Marked as fixed, or found to be (absent.h), and not seen since.
  regressed,  ///< Seen again after it was fixed.
  ignored,    ///< Marked as ignored, with a reason, for some nights or permanently.
};

/// The last mark of a finding, made after night `number`.
struct Mark {
  std::string state;  ///< "open", "fixed" or "ignored".
  std::uint64_t number = 0;
  std::uint64_t last_number = 0;  ///< Last night in which it is ignored; 0 = permanently.
};

/// Returns the state in night `number`. `seen`: numbers of the nights up to and including that one
/// that saw it, ascending. `fixed_number`: the last night that found it fixed. A later mark
/// overrides it.
State state_of(std::uint64_t number, const std::vector<std::uint64_t>& seen,
               const std::optional<Mark>& mark,
               std::optional<std::uint64_t> fixed_number = std::nullopt);

/// Returns "new", "known", "fixed", "regressed" or "ignored".
std::string_view to_text(State state);

}  // namespace harness::nightly
