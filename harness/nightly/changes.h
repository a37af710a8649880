// SPDX-License-Identifier: Apache-2.0
// Changes: the functions that behave differently in the findings of a night than with the program
// of the night before (`afterlife diverge`).
//
// New findings of one path in which the same function behaves differently have one root cause:
// restoring that function's behaviour removes them all. So they become one finding, with the root
// that a repair of the harness names, if there is one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

enum class ChangeOutcome : unsigned char {
  named,       ///< A function behaves differently.
  was_before,  ///< The program of the night before shows it, too: it was missed then.
  unclear,     ///< No function is named, or the programs could not be compared.
};

/// Returns "named", "was before" or "unclear".
std::string to_text(ChangeOutcome outcome);

/// The comparison of one finding.
struct Change {
  ChangeOutcome outcome = ChangeOutcome::unclear;
  std::string function = {};  ///< The function that behaves differently.
  std::string file = {};      ///< Its source file, as the compiler knew it.
  std::uint64_t line = 0;     ///< The line at which it behaves differently.
  /// The difference may result from one of these: the function that it had called last, the one
  /// that this had called last, and so on.
  std::vector<std::string> upon = {};
  bool operator==(const Change&) const = default;
};

/// Records the comparisons of a night's new findings by cause (cause.h), and joins findings with
/// the same function. Records all or nothing.
void note_changes(Database& database, const std::string& night,
                  const std::map<std::string, Change>& changes);

/// Returns the comparisons of a night by cause.
std::map<std::string, Change> changes_of(Database& database, const std::string& night);

}  // namespace harness::nightly
