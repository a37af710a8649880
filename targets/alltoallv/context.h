// SPDX-License-Identifier: Apache-2.0
// Context: what one process has of the driver: its context, kernels, streams and events.
#pragma once

#include <cuda.h>

#include <memory_resource>
#include <vector>

#include "targets/alltoallv/core.h"

namespace targets::alltoallv {

/// Ownership: the process's; owns what it opens until destroy(). Threads: the process's own tasks.
class Context {
 public:
  explicit Context(Core& core) : core_(core) {}
  Context(const Context&) = delete;  // Its parts are told by address.
  Context& operator=(const Context&) = delete;

  /// Opens what is not open yet: after an error it can be called again.
  Status open();
  void destroy() { cuCtxDestroy(context_); }
  void make_current() { cuCtxSetCurrent(context_); }
  /// Frees memory in this context, whichever is current.
  void free(CUdeviceptr memory);

  /// Gives the stream of that number: 0 is the default stream, others are made on first use.
  Status find_stream(std::uint32_t number, CUstream& stream);
  /// Gives an event for one collective, which returns it by give_back().
  Status take_event(CUevent& event);
  void give_back(CUevent event) { spare_events_.push_back(event); }

  CUstream team_stream() const { return team_stream_; }
  CUfunction pack() const { return pack_; }
  CUfunction check() const { return check_; }
  CUfunction reduce() const { return reduce_; }
  /// Returns the address of the block that a request's kernels are given.
  CUdeviceptr block_of(Request request) const;

 private:
  Core& core_;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction pack_ = nullptr;
  CUfunction check_ = nullptr;
  CUfunction reduce_ = nullptr;
  CUstream team_stream_ = nullptr;
  std::array<CUstream, 2> user_streams_{};
  CUdeviceptr blocks_ = 0;  ///< One block per request, for kernels that are given an address.
  std::pmr::vector<CUevent> spare_events_;
};

}  // namespace targets::alltoallv
