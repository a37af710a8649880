// SPDX-License-Identifier: Apache-2.0
// TurnCount: the turns of a run, which are its time, and how many it may take.
#pragma once

#include "harness/base.h"

namespace harness::scheduling {

class TurnCount {
 public:
  void begin(Tick limit) {  // Counts from 0 again; `limit` is how many the run may take.
    earlier_ += taken_ + 1;
    taken_ = 0;
    limit_ = limit;
  }

  void take() { ++taken_; }  ///< Counts a turn.
  /// Returns the number of turns so far; the reference keeps counting.
  const Tick& taken() const { return taken_; }
  bool used_up() const { return taken_ >= limit_; }  ///< Returns whether none is left.
  Tick limit() const { return limit_; }
  /// Returns the time by the clock of all runs: no two runs share one.
  Tick ever() const { return earlier_ + taken_; }

 private:
  Tick taken_ = 0;
  Tick limit_ = 0;
  Tick earlier_ = 0;  ///< When this run began.
};

}  // namespace harness::scheduling
