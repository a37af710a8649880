// SPDX-License-Identifier: Apache-2.0
// Operands: the source and the destination of one collective, held from init to finalize.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Ownership: owned by its task; owns references to both tensors. Threads: as the task.
class Operands {
 public:
  explicit Operands(const Post& post) : post_(post) {}

  /// Takes the source from its variable and the prepared destination. Returns false if there is no
  /// source.
  bool take();
  /// Returns the operands to the caller, as if nothing had happened.
  void give_back();
  /// Exports the source, and the destination only if a proxy writes into
  /// it.
  Status export_to_peers();
  void release();

  /// Returns the address of the data to send.
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
