// SPDX-License-Identifier: Apache-2.0
// Results: lets a caller read and overwrite the destination of a collective. Has no counterpart in
// UCC.
#pragma once

#include "targets/alltoallv/rank.h"

namespace targets::alltoallv {

/// Ownership: owned by the process. Threads: the process's own tasks.
class Results {
 public:
  explicit Results(Rank& rank) : rank_(rank), core_(rank.core) {}

  /// Compares a destination with the caller's rows in a kernel, which gets them in a block in
  /// device memory, and reports the data that were read back.
  Status check(Request request, CUdeviceptr destination, std::span<const Row> rows);
  Status scrub(CUdeviceptr destination);

 private:
  Rank& rank_;
  Core& core_;
};

}  // namespace targets::alltoallv
