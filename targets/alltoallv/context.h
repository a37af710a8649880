// SPDX-License-Identifier: Apache-2.0
// Context: a process's driver objects: its context, kernels, streams and events.
#pragma once

#include <cuda.h>

#include <memory_resource>
#include <vector>

#include "targets/alltoallv/core.h"

namespace targets::alltoallv {

/// Ownership: its process's; owns what it opens until destroy(). Threads: the process's own tasks.
class Context {
 public:
  explicit Context(Core& core) : core_(core) {}
  Context(const Context&) = delete;  // The driver gets the addresses of its members.
  Context& operator=(const Context&) = delete;

  /// Opens everything that is not open yet. After an error it can be called again.
  Status open();
  void destroy() { cuCtxDestroy(context_); }
  void make_current() { cuCtxSetCurrent(context_); }
  /// Frees memory of this context, even if another one is current.
  void free(CUdeviceptr memory);

  /// Finds a stream by number. 0 is the default stream; others are created on first use.
  Status find_stream(std::uint32_t number, CUstream& stream);
  /// Takes an event for one collective; give_back() returns it.
  Status take_event(CUevent& event);
  void give_back(CUevent event) { spare_events_.push_back(event); }

  CUstream team_stream() const { return team_stream_; }
  CUfunction pack() const { return pack_; }
  CUfunction check() const { return check_; }
  CUfunction reduce() const { return reduce_; }
  /// Returns the address of the parameter block of a request's kernels.
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
  CUdeviceptr blocks_ = 0;  ///< One block per request, for kernels that take an address.
  std::pmr::vector<CUevent> spare_events_;
};

}  // namespace targets::alltoallv
