// SPDX-License-Identifier: Apache-2.0
// HostPool: Taichi's HostMemoryPool, for allocations that have a mapping each.
//
// It uses the address: a release ends the mapping that is there now, or nothing.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <memory_resource>
#include <optional>
#include <vector>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

/// Ownership: owns the mappings until they are released, or the program ends.
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

  /// The mapping is of this object. The real system does not know.
  void adopt(CUdeviceptr address, harness::BirthId owner) {
    for (Mapping& one : mappings_)
      if (one.address == address) one.owner = owner;
  }
  /// Returns the owner of the mapping that is there now, if there is one.
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
