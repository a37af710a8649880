// SPDX-License-Identifier: Apache-2.0
// Tensors: the sources and destinations of a process: managed objects with device memory.
#pragma once

#include "targets/alltoallv/context.h"
#include "targets/alltoallv/tensors/blocks.h"

namespace targets::alltoallv {

class Tensors;

/// A source or destination on the managed heap.
struct TensorPayload {
  Tensors* tensors;  ///< Tensors of the process that owns the memory.
  CUdeviceptr base;
  CUstream stream;     ///< The stream that fills it.
  bool ready = false;  ///< The fill is known to be complete.
};

/// Ownership: owned by the process; holds one tensor per variable. Threads: the process's own
/// tasks; release() any.
class Tensors {
 public:
  Tensors(Core& core, std::uint32_t rank, Context& context)
      : core_(core), rank_(rank), context_(context), blocks_(core) {}
  Tensors(const Tensors&) = delete;  // Its tensors point at it.
  Tensors& operator=(const Tensors&) = delete;

  // ---- variables ----
  Status fill(Buffer buffer, std::uint32_t fill, std::uint32_t stream);
  bool filled(Buffer buffer) const { return static_cast<bool>(buffers_[buffer]); }
  const harness::Ref& at(Buffer buffer) const { return buffers_[buffer]; }
  void drop(Buffer buffer);
  void make_cycle(Buffer buffer);
  /// Clears all variables, and frees the memory that this releases.
  void drop_all();

  // ---- what a collective is given ----
  /// Makes the destination of a request and its stream; waits until its source is filled.
  Status prepare(Request request, const Arguments& arguments);
  /// Moves the destination of a request to the caller.
  harness::Ref take_destination(Request request) { return std::move(destinations_[request]); }
  /// Takes the destination back after a failed init().
  void return_destination(Request request, harness::Ref destination) {
    destinations_[request] = std::move(destination);
  }

  // ---- memory ----
  /// Frees a dead tensor's memory, now or when its process next calls free_released().
  void release(CUdeviceptr memory);
  void free_released();

 private:
  Status make(CUstream stream, harness::Ref& tensor);
  Status await_fill(TensorPayload& source, CUstream stream);

  Core& core_;
  std::uint32_t rank_;
  Context& context_;
  Blocks blocks_;
  std::array<harness::Ref, kBufferCount> buffers_;
  std::array<harness::Ref, kRequestLimit> destinations_;  ///< Not yet passed to init().
  std::pmr::vector<CUdeviceptr> released_;
};

}  // namespace targets::alltoallv
