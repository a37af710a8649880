// SPDX-License-Identifier: Apache-2.0
// Ways: orders in which the acts of a run may be put, derived from its fault: the task that
// released the object, wrote the word, holds the lock or came first, and the task that ran into
// that.
#pragma once

#include <vector>

#include "harness/triage.h"
#include "harness/triage/precedence.h"

namespace harness::triaging {

/// An order, and how a run comes by it.
struct Way {
  /// Its kind is `order`. The first act may be left open if it is unknown or found by trial.
  Repair repair;
  /// Tasks are held up so; empty: a read waits for its writer, or work for work.
  std::vector<Turns> turns;
  bool is_of_words = false;
};

/// Returns the ways to try, those that hold up for a shorter time first; by the last run of the
/// world, which found the fault.
std::vector<Way> ways_of(const Fault& fault, const World& world);

}  // namespace harness::triaging
