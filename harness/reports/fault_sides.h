// SPDX-License-Identifier: Apache-2.0
// Fault sides: the two moments of a run that a told fault is about: the end of a life, and the use
// that nothing ordered with it.
#pragma once

#include <span>
#include <string>

#include "harness/reports/story_lines.h"

namespace harness::reports {

/// Indices into what is reported; kNone where there is no such moment.
struct FaultSides {
  static constexpr std::size_t kNone = ~std::size_t{0};

  Name victim = 0;                 ///< The object whose life is in question.
  std::size_t birth = kNone;       ///< Its birth.
  std::size_t before = kNone;      ///< The death; where nothing died, the use that comes first.
  std::size_t fault = kNone;       ///< The told fault itself.
  std::size_t work = kNone;        ///< The start of the device work that the fault was found in.
  std::size_t first_work = kNone;  ///< The same of `before`, if that is work.
};

/// Finds both moments, and the work in which they fell, in what is reported.
FaultSides fault_sides(const Telling& telling, const Teller& teller, std::span<const Told> told);

/// The object that was meant. If a fault reports the living one in its place, the one before it;
/// where it reports none, the last of its kind that died where it says.
Name victim_of(const Telling& telling, const Fault& fault);

/// Whether the fault says who wrote a shared slot again, which is not an event.
bool is_overwritten(const Fault& fault);

/// Whether it is about the whole run, and no task's own.
bool is_about_all(const Fault& fault);

/// "ArgPack #4", "mem_info_src", or empty if the fault is about no object.
std::string victim_in_words(const Telling& telling, const Teller& teller, const Fault& fault);

/// Tells both moments: turn, task, op and stream of each, and since when the object lived; empty if
/// there is one moment alone.
std::string sides_in_words(const Telling& telling, const Teller& teller);

/// Returns what is missing, in a sentence: the order, the death, the answer to a wait; empty if
/// nothing is.
std::string missing_in_words(const Telling& telling, const Teller& teller, const Fault& fault);

/// Says what to state where atomics of the path's own order the two sides of an order fault, of two
/// tasks; empty for other faults.
std::string advice_in_words(const Telling& telling, const Teller& teller);

}  // namespace harness::reports
