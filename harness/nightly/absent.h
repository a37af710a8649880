// SPDX-License-Identifier: Apache-2.0
// Absent: determines whether open findings that a night did not see are gone, or were only missed.
//
// The reproducers of such a finding, one for each symptom, are replayed by the program of the
// night. The finding is fixed if no replay shows it, and its variants had enough runs without it
// since a night last saw it: at its rate in earlier nights, kEnoughExpected of these runs would
// have shown it. By chance, none of them does once in exp(kEnoughExpected) = 148 cases. A replay
// alone proves little, because a change elsewhere may lead the same choices to another schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/base.h"
#include "harness/nightly/database.h"
#include "harness/nightly/sightings.h"

namespace harness::nightly {

/// The result of replaying an absent finding's reproducers.
enum class Absence : unsigned char {
  shown,    ///< One still shows it: the search missed it.
  gone,     ///< None shows a fault of its kind.
  unclear,  ///< There is another fault of its kind, or a file that this program cannot read.
  late,     ///< There was no time for the replay.
};

/// Returns "shown", "gone", "unclear" or "out of time".
std::string_view to_text(Absence absence);

/// Returns the result for a finding of a run with these faults. All texts are signatures.
Absence absence_in(const std::string& signature, const std::vector<std::string>& faults);

inline constexpr double kEnoughExpected = 5;

/// A symptom of a finding, to replay.
struct AbsentFinding {
  std::string cause;
  std::string signature;
  std::string file;
  std::string reproducer;
};

/// The result of a night's replay, and the runs since the finding was last seen.
struct AbsentReplay {
  Absence absence = Absence::unclear;
  std::uint64_t number = 0;  ///< Number of the night.
  std::uint64_t runs = 0;    ///< Runs of its variants since a night saw it last.
  double expected = 0;       ///< Expected number of them that would have shown it.

  /// Returns whether it is gone, and not just missed by chance.
  bool is_fixed() const { return absence == Absence::gone && expected >= kEnoughExpected; }
};

/// Records the result of a replay.
void note_absence(Database& database, const std::string& night, const std::string& cause,
                  Absence absence);

/// Returns the results of a finding in nights up to this number, the last night first. All
/// reproducers of a night have one result.
std::vector<AbsentReplay> replays_of(Database& database, const FindingKey& key,
                                     std::uint64_t number);

/// Returns the last night up to this number after which it was fixed; nothing if there is none.
std::optional<std::uint64_t> fixed_in(Database& database, const FindingKey& key,
                                      std::uint64_t number);

}  // namespace harness::nightly
