// SPDX-License-Identifier: Apache-2.0
// Ways: orders of acts that may remove a fault, derived from it: the task that released the object,
// wrote the word, holds the lock or came first, and the task that has the fault.
#pragma once

#include <vector>

#include "harness/search/triage/precedence.h"
#include "harness/search/triage/triage.h"

namespace harness::triaging {

/// An order, and how a run achieves it.
struct Way {
  /// Its kind is `order`. The first act may be open if it is unknown or found by trial.
  Repair repair;
  /// The tasks to hold up. Empty: a read waits for its writer, or work for other work.
  std::vector<Turns> turns;
  bool is_of_words = false;
};

/// Returns the ways to try, those that hold up for a shorter time first. Requires the last run of
/// the world, which has the fault.
std::vector<Way> ways_of(const Fault& fault, const World& world);

}  // namespace harness::triaging
