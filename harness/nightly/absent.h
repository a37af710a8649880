// Absent: open findings that a night did not see: are they gone, or were they only not met?
//
// Such a finding's reproducer is replayed by the program of the night. It is fixed where it does
// not show its fault any more, and so many runs of its variant went by without it since a night saw
// it that kEnoughExpected of them would have shown it, at the rate of the nights until then: by
// chance none of these does once in exp(kEnoughExpected) = 148 times. A replay alone proves little:
// a change elsewhere may lead the same decisions to another schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base.h"
#include "harness/nightly/database.h"

namespace harness::nightly {

/// The outcome of replaying an absent finding's reproducer.
enum class Absence : unsigned char {
  shown,    ///< It is there still: the search did not meet it.
  gone,     ///< No fault of its kind.
  unclear,  ///< Another fault of its kind, or a file that this program cannot read.
};

/// Returns "shown", "gone" or "unclear".
std::string_view to_text(Absence absence);

/// Returns what a run with these faults says of a finding; all are signatures.
Absence absence_in(const std::string& signature, const std::vector<std::string>& faults);

inline constexpr double kEnoughExpected = 5;

/// A finding to replay.
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
  std::uint64_t runs = 0;    ///< Runs of the variant since a night saw it last.
  double expected = 0;       ///< How many of them would have shown it.

  /// Returns whether it is gone, and not only by chance.
  bool is_fixed() const { return absence == Absence::gone && expected >= kEnoughExpected; }
};

/// Returns the faults of variants that this night searched which some night before saw, and it did
/// not, by cause. Reproducers that were dropped are left out.
std::vector<AbsentFinding> absent_findings(Database& database, const std::string& night);

/// Notes what replaying one of them came to.
void note_absence(Database& database, const std::string& night, const std::string& cause,
                  Absence absence);

/// Returns the replays of a finding in nights up to this number, the last one first.
std::vector<AbsentReplay> replays_of(Database& database, const std::string& cause,
                                     std::uint64_t number);

/// Returns the last night up to this number in which it was fixed; nothing where there is none.
std::optional<std::uint64_t> fixed_in(Database& database, const std::string& cause,
                                      std::uint64_t number);

}  // namespace harness::nightly
