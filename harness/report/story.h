// SPDX-License-Identifier: Apache-2.0
// Story: a run in words, one event per line, with a column per task: births, deaths and faults.
//
// It has neither times nor folders, so the story of a case is the same on all machines.
#pragma once

#include <cstddef>
#include <string>

#include "harness/report/terminal.h"
#include "harness/run/run.h"

namespace harness::reports {

/// Ownership: borrows all of it. `outcome` and `world` are those of the runner's last run.
struct Telling {
  const Case& the_case;
  const Outcome& outcome;
  const World& world;
  std::size_t fault = 0;  ///< Index in outcome.faults of the fault that the story is about.
};

/// The words and the source in a row of harness/run/scenario/symptoms.h; "" if unknown.
struct Seen {
  std::string words;
  std::string source;
};

/// Returns the symptom that a user of the real system sees: of the fault that ended the run, or
/// else of the reported one.
Seen seen_by_user(const Telling& telling);

/// Returns the facts of the fault, one sentence each, then the events up to the fault, and further
/// to the one that ended the run; last the symptom that a user sees. It fits on one screen: the
/// least important lines are left out, and counted. A run without faults is shown completely.
std::string story(const Telling& telling, const Terminal& terminal);

/// Returns the fault in one sentence: the object, its death, and the use.
std::string in_words(const Telling& telling, const Fault& fault);

}  // namespace harness::reports
