// SPDX-License-Identifier: Apache-2.0
// Copies: the work that one task submits to its stream: copies from its peers, copies between two
// other ranks as their proxy, and the work of ring and linear collectives.
#pragma once

#include "targets/alltoallv/task/mappings.h"
#include "targets/alltoallv/task/operands.h"

namespace targets::alltoallv {

/// Ownership: owned by its task; borrows the stream, and an event from init to finalize. Threads:
/// as the task.
class Copies {
 public:
  Copies(const Post& post, const Operands& operands, Mappings& mappings)
      : post_(post), core_(post.rank.core), operands_(operands), mappings_(mappings) {}

  Status find_stream();
  Status take_event();
  void give_back_event();
  CUstream stream() const { return stream_; }

  /// Submits all copies of an alltoall(v).
  Status submit_all();
  /// Submits one copy.
  Status submit(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
  /// Notes that a kernel was submitted.
  void add_kernel() { in_flight_ = true; }
  /// Records the event behind the submitted work.
  Status record();

  /// Returns whether submitted work is not known to be complete.
  bool in_flight() const { return in_flight_; }
  /// Returns ok once all submitted work is complete.
  Status poll();
  void wait() const { cuEventSynchronize(copied_); }
  /// Waits for all submitted work. No memory may be released before.
  void drain();

 private:
  struct Share {
    std::uint32_t bytes = 0;
    std::uint32_t displacement = 0;
  };
  bool is_batch() const;
  Status submit_each();
  Status submit_batch();
  Share share_of(std::uint32_t from, std::uint32_t to) const;
  CUdeviceptr source_of(std::uint32_t peer) const;
  Status copy_from(std::uint32_t peer);
  Status copy_as_proxy(const ProxyEntry& pair);

  const Post& post_;
  Core& core_;
  const Operands& operands_;
  Mappings& mappings_;
  CUstream stream_ = nullptr;
  CUevent copied_ = nullptr;
  bool in_flight_ = false;
};

}  // namespace targets::alltoallv
