// SPDX-License-Identifier: Apache-2.0
// Fault sides: the two events of a fault: the end of a lifetime, and the use that is not ordered
// with it.
#pragma once

#include <span>
#include <string>

#include "harness/report/story_lines.h"

namespace harness::reports {

/// Indices into the reported events; kNone if there is no such event.
struct FaultSides {
  static constexpr std::size_t kNone = ~std::size_t{0};

  Name victim = 0;                 ///< The object whose lifetime matters.
  std::size_t birth = kNone;       ///< The object's birth.
  std::size_t before = kNone;      ///< Its death; for a data race, the first use.
  std::size_t fault = kNone;       ///< The reported fault itself.
  std::size_t work = kNone;        ///< Start of the device work in which the fault was found.
  std::size_t first_work = kNone;  ///< The same for `before`, if that is work.
};

/// Finds both events, and the work that contains them, among the reported ones.
FaultSides fault_sides(const Telling& telling, const Teller& teller,
                       std::span<const StoryItem> items);

/// Returns the object that was meant. If the fault names the living object in its place, returns
/// the previous one. If it names none, returns the last object of its kind that died at its site.
Name victim_of(const Telling& telling, const Fault& fault);

/// Returns whether the fault is an overwritten shared slot, whose second write is not an event.
bool is_overwritten(const Fault& fault);

/// Returns whether it is about the whole run, not about a task.
bool is_about_all(const Fault& fault);

/// Returns "ArgPack #4", "mem_info_src", or "" if the fault is about no object.
std::string victim_in_words(const Telling& telling, const Teller& teller, const Fault& fault);

/// Returns both events with turn, task, op and stream, and since when the object was alive; "" if
/// there is only one event.
std::string sides_in_words(const Telling& telling, const Teller& teller);

/// Returns the missing order, death or answer to a wait as a sentence; "" if nothing is missing.
std::string missing_in_words(const Telling& telling, const Teller& teller, const Fault& fault);

/// Returns what a path must declare if its own atomics order both sides of a data race between two
/// tasks; "" for other faults.
std::string advice_in_words(const Telling& telling, const Teller& teller);

}  // namespace harness::reports
