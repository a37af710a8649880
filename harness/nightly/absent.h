// SPDX-License-Identifier: Apache-2.0
// Absent: open findings that a night did not see: are they gone, or were they only not met?
//
// Such a finding's reproducers, one for each way in which it shows, are replayed by the program of
// the night. It is fixed where none of them shows its fault any more, and this many runs of its
// variants went by without it since a night saw it that kEnoughExpected of them would have shown
// it, at the rate of the nights until then: by chance none of these does once in
// exp(kEnoughExpected) = 148 times. A replay alone proves little: a change elsewhere may lead the
// same choices to another schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base.h"
#include "harness/nightly/database.h"
#include "harness/nightly/sightings.h"

namespace harness::nightly {

/// The outcome of replaying an absent finding's reproducers.
enum class Absence : unsigned char {
  shown,    ///< One shows it still: the search did not meet it.
  gone,     ///< No fault of its kind.
  unclear,  ///< Another fault of its kind, or a file that this program cannot read.
  late,     ///< There was no time for the replay: nothing is known.
};

/// Returns "shown", "gone", "unclear" or "out of time".
std::string_view to_text(Absence absence);

/// Returns what a run with these faults says of a finding; all are signatures.
Absence absence_in(const std::string& signature, const std::vector<std::string>& faults);

inline constexpr double kEnoughExpected = 5;

/// A way in which a finding shows, to replay.
struct AbsentFinding {
  std::string cause;
  std::string signature;
  std::string file;
  std::string reproducer;
};

/// A replay in some night, and the runs that went by without the finding until then.
struct AbsentReplay {
  Absence absence = Absence::unclear;
  std::uint64_t number = 0;  ///< The night's.
  std::uint64_t runs = 0;    ///< Runs of its variants since a night saw it last.
  double expected = 0;       ///< How many of them would have shown it.

  /// Returns whether it is gone, and not only by chance.
  bool is_fixed() const { return absence == Absence::gone && expected >= kEnoughExpected; }
};

/// Notes the result of replaying one of them.
void note_absence(Database& database, const std::string& night, const std::string& cause,
                  Absence absence);

/// Returns the replays of a finding in nights up to this number, all its reproducers of a night
/// together, the last night first.
std::vector<AbsentReplay> replays_of(Database& database, const FindingKey& key,
                                     std::uint64_t number);

/// Returns the last night up to this number in which it was fixed; nothing if there is none.
std::optional<std::uint64_t> fixed_in(Database& database, const FindingKey& key,
                                      std::uint64_t number);

}  // namespace harness::nightly
