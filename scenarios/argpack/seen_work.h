// SPDX-License-Identifier: Apache-2.0
// SeenWork: the observed work of the device, from the harness's history, which no path writes.
#pragma once

#include "harness/run/scenario/scenario.h"

namespace scenarios::argpack {

/// Ownership: borrows the history.
class SeenWork {
 public:
  struct Counts {
    std::uint32_t submitted = 0;
    std::uint32_t finished = 0;
  };

  explicit SeenWork(const harness::History& history) : history_(history) {}

  /// Counts the events since the last call.
  void look();
  const Counts& kernels() const { return kernels_; }
  bool is_idle() const { return all_.submitted == all_.finished; }

 private:
  const harness::History& history_;
  std::size_t seen_events_ = 0;
  Counts kernels_;
  Counts all_;
};

}  // namespace scenarios::argpack
