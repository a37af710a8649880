// SPDX-License-Identifier: Apache-2.0
// TurnCount: the turns of a run, which are its clock, and their limit.
#pragma once

#include "harness/base/base.h"

namespace harness::scheduling {

class TurnCount {
 public:
  void begin(Tick limit) {  // Restarts at 0; `limit` is the maximum of the run.
    earlier_ += taken_ + 1;
    taken_ = 0;
    limit_ = limit;
  }

  void take() { ++taken_; }  ///< Counts a turn.
  /// Returns the number of turns so far; the reference keeps counting.
  const Tick& taken() const { return taken_; }
  bool used_up() const { return taken_ >= limit_; }  ///< Returns whether none is left.
  Tick limit() const { return limit_; }
  /// Returns the time by the clock of all runs, which never repeats.
  Tick ever() const { return earlier_ + taken_; }

 private:
  Tick taken_ = 0;
  Tick limit_ = 0;
  Tick earlier_ = 0;  ///< Turns of all earlier runs.
};

}  // namespace harness::scheduling
