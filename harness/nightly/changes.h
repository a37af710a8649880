// SPDX-License-Identifier: Apache-2.0
// Changes: by which function the findings of a night behave differently than with the program of
// the night before (`afterlife diverge`).
//
// New findings of one path that behave differently by the same function have one root cause: the
// same repair, which is to have the function do as it did, removes them all. So they become one
// finding, under the root that a repair of the harness names, if one of them has such.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

enum class ChangeOutcome : unsigned char {
  named,       ///< A function behaves differently.
  was_before,  ///< The night before's program shows the same: it was there, and not found.
  unclear,     ///< None is named, or the programs could not be asked.
};

/// Returns "named", "was before" or "unclear".
std::string to_text(ChangeOutcome outcome);

/// One finding, compared.
struct Change {
  ChangeOutcome outcome = ChangeOutcome::unclear;
  std::string function = {};  ///< It behaves differently.
  std::string file = {};      ///< That of the function, as the compiler knew it.
  std::uint64_t line = 0;     ///< At which it does.
  /// Maybe on the answer of one of these: the function that it had called last, the one that this
  /// had called last, and so on.
  std::vector<std::string> upon = {};
  bool operator==(const Change&) const = default;
};

/// Notes, by cause (cause.h), what comparing the new findings of a night came to, and joins those
/// that a function explains; all of it or nothing.
void note_changes(Database& database, const std::string& night,
                  const std::map<std::string, Change>& changes);

/// Returns what was noted of a night, by cause.
std::map<std::string, Change> changes_of(Database& database, const std::string& night);

}  // namespace harness::nightly
