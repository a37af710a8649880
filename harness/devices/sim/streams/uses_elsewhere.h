// SPDX-License-Identifier: Apache-2.0
// UsesElsewhere: work of other processes of the run, for the race detector.
#pragma once

#include "harness/devices/sim/streams/data_race.h"

namespace harness::devices {

/// Ownership: borrows the DataRaces to which it belongs. Threads: the run's thread.
class UsesElsewhere {
 public:
  explicit UsesElsewhere(DataRaces& races) : races_(races) {}

  /// Sets the listener for uses of shared blocks, for the run.
  void listen(UseListener* listener) { races_.listener_ = listener; }
  /// Adds a line for another process's work.
  LineIndex take_line() {
    races_.lines_elsewhere_.push_back(races_.take_lines(1));
    return races_.lines_elsewhere_.back();
  }
  std::uint32_t line_count() const { return races_.line_count_; }
  /// Adds another process's use of a shared block.
  void used(std::uint32_t block, const UsedRange& range, const OrderedUse& by) {
    races_.done(by.at);
    races_.enter(block, range, by);
  }
  /// Notes that work at `at` has read memory that other processes may write. It is unknown which of
  /// their work preceded, so that all of it counts as preceding the work after it.
  void looked(const OrderPoint& at) { races_.passed_waits_.push_back({at, races_.done_, true}); }
  /// Calls `act` with the known uses of a block: range, point, site and source.
  template <class Act>
  void visit(std::uint32_t block, Act act) {
    races_.read_log();
    for (const DataRaces::Access& access : races_.uses_of(block).accesses)
      act(access.range, access.by.at, access.by.site, access.by.source);
  }

 private:
  DataRaces& races_;
};

}  // namespace harness::devices
