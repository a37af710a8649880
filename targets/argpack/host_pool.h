// SPDX-License-Identifier: Apache-2.0
// HostPool: Taichi's HostMemoryPool, for allocations with a mapping each.
//
// It identifies a mapping by address: a release unmaps what is there now, or does nothing.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <memory_resource>
#include <optional>
#include <vector>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

/// Ownership: owns each mapping until it is released or the program ends.
class HostPool {
 public:
  Status allocate(std::size_t bytes, CUdeviceptr& address) {
    if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS) return Status::driver_error;
    mappings_.push_back({address, harness::BirthId::none});
    return Status::ok;
  }
  void release(CUdeviceptr address) {
    if (std::erase_if(mappings_, [&](const Mapping& one) { return one.address == address; }) != 0)
      cuMemFree(address);
  }
  /// HostMemoryPool::reset(): unmaps everything, even if it is in use.
  void reset() {
    while (!mappings_.empty()) release(mappings_.back().address);
  }

  /// Records the owner of the mapping, for checks only: the real system does not know it.
  void adopt(CUdeviceptr address, harness::BirthId owner) {
    for (Mapping& one : mappings_)
      if (one.address == address) one.owner = owner;
  }
  /// Returns the owner of the mapping that is now at the address, if any.
  std::optional<harness::BirthId> owner_at(CUdeviceptr address) const {
    for (const Mapping& one : mappings_)
      if (one.address == address) return one.owner;
    return std::nullopt;
  }

 private:
  struct Mapping {
    CUdeviceptr address;
    harness::BirthId owner;
  };
  std::pmr::vector<Mapping> mappings_;
};

}  // namespace targets::argpack
