// SPDX-License-Identifier: Apache-2.0
// Story: a run told one event per line, with a column per task: births, deaths and what went wrong.
//
// Holds neither a time nor a folder, so the story of a case is the same on every machine.
#pragma once

#include <cstddef>
#include <string>

#include "harness/reports/terminal.h"
#include "harness/run.h"

namespace harness::reports {

/// Ownership: borrows all of it; `outcome` and `world` are those of one run, the runner's last.
struct Telling {
  const Case& the_case;
  const Outcome& outcome;
  const World& world;
  std::size_t fault = 0;  ///< Index into outcome.faults of the one the story is about.
};

/// The words and the source of a row of harness/scenario/symptoms.h; empty if nothing is known.
struct Seen {
  std::string words;
  std::string source;
};

/// Returns what a user of the real system sees: of the fault that ended the run, or else of the one
/// that is reported.
Seen seen_by_user(const Telling& telling);

/// Returns what went wrong, in a sentence per fact, then the events up to the fault, and on to the
/// one that ended the run; last what a user sees. It keeps to one screen: what matters least is
/// left out, and counted. A run without faults is told to its end.
std::string story(const Telling& telling, const Terminal& terminal);

/// The fault in one sentence: who was meant, when it died, who used it.
std::string in_words(const Telling& telling, const Fault& fault);

}  // namespace harness::reports
