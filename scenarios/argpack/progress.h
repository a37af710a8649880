// SPDX-License-Identifier: Apache-2.0
// Progress: how far a run has come, in ops and launches; things are dated by it.
#pragma once

#include <cstdint>

namespace scenarios::argpack {

/// Counts the ops that have begun: what came first.
using Serial = std::uint32_t;

class Progress {
 public:
  /// An op begins.
  Serial begin_op() { return ++serial_; }
  Serial serial() const { return serial_; }

  /// A kernel was submitted. Returns its number; they count from 1.
  std::uint32_t submit() { return ++launch_count_; }
  /// Everything submitted so far is known to have finished.
  void finish() { finished_ = launch_count_; }
  std::uint32_t launch_count() const { return launch_count_; }
  bool may_run(std::uint32_t launch) const { return launch > finished_; }

 private:
  Serial serial_ = 0;
  std::uint32_t launch_count_ = 0;
  std::uint32_t finished_ = 0;  ///< Number of launches that are known to have finished.
};

}  // namespace scenarios::argpack
