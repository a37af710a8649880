// SPDX-License-Identifier: Apache-2.0
// Results: how a caller reads what a collective left in a destination, and overwrites it. Not in
// UCC.
#pragma once

#include "targets/alltoallv/rank.h"

namespace targets::alltoallv {

/// Ownership: the process's. Threads: the process's own tasks.
class Results {
 public:
  explicit Results(Rank& rank) : rank_(rank), core_(rank.core) {}

  /// Lets a kernel compare a destination with the caller's rows, which it finds through a block in
  /// device memory, and reports what is read back.
  Status check(Request request, CUdeviceptr destination, std::span<const Row> rows);
  Status scrub(CUdeviceptr destination);

 private:
  Rank& rank_;
  Core& core_;
};

}  // namespace targets::alltoallv
