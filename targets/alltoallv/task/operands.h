// SPDX-License-Identifier: Apache-2.0
// Operands: the source and the destination of one collective, held from init to finalize.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Ownership: its task's; owns references to both tensors. Threads: as the task.
class Operands {
 public:
  explicit Operands(const Post& post) : post_(post) {}

  /// Takes the source out of its variable, and the destination that was prepared. False where there
  /// is none.
  bool take();
  /// Returns what it took to the caller, for whom nothing has happened.
  void give_back();
  /// Exports what peers reach: the source; the destination only where something writes there for a
  /// peer.
  Status export_to_peers();
  void release();

  /// Returns where what is sent begins.
  CUdeviceptr source() const {
    return source_base_ + post_.arguments.offset * sizeof(std::int32_t);
  }
  CUdeviceptr destination() const { return destination_base_; }
  const MemInfo& exported_source() const { return exported_source_; }
  const MemInfo& exported_destination() const { return exported_destination_; }

 private:
  const Post& post_;
  harness::Ref source_tensor_;
  harness::Ref destination_tensor_;
  CUdeviceptr source_base_ = 0;
  CUdeviceptr destination_base_ = 0;
  MemInfo exported_source_;
  MemInfo exported_destination_;
};

}  // namespace targets::alltoallv
