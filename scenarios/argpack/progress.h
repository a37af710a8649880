// SPDX-License-Identifier: Apache-2.0
// Progress: the progress of a run in ops and launches, by which things are dated.
#pragma once

#include <cstdint>

namespace scenarios::argpack {

/// Number of an op, in the order in which ops begin.
using Serial = std::uint32_t;

class Progress {
 public:
  /// Counts an op that begins.
  Serial begin_op() { return ++serial_; }
  Serial serial() const { return serial_; }

  /// Counts a submitted kernel. Returns its number, from 1.
  std::uint32_t submit() { return ++launch_count_; }
  /// Everything submitted so far has finished.
  void finish() { finished_ = launch_count_; }
  std::uint32_t launch_count() const { return launch_count_; }
  bool may_run(std::uint32_t launch) const { return launch > finished_; }

 private:
  Serial serial_ = 0;
  std::uint32_t launch_count_ = 0;
  std::uint32_t finished_ = 0;  ///< Number of launches that are known to have finished.
};

}  // namespace scenarios::argpack
