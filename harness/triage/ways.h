// Ways: how the acts of a run may be put in order, by what it tells of its fault: whoever let go of
// what is used, wrote what is read, has the lock, or got there first, and whoever met that.
#pragma once

#include <vector>

#include "harness/triage.h"
#include "harness/triage/precedence.h"

namespace harness::triaging {

/// An order, and how a run comes by it.
struct Way {
  /// Its kind is `order`; who comes first may be left open, where nobody knows or it is learnt.
  Repair repair;
  /// Tasks are held up so; empty: a read waits for its writer, or work for work.
  std::vector<Turns> turns;
  bool is_of_words = false;
};

/// Returns the ways to try, those that hold up for a shorter time first; by the last run of the
/// world, which found the fault.
std::vector<Way> ways_of(const Fault& fault, const World& world);

}  // namespace harness::triaging
