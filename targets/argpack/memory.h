// SPDX-License-Identifier: Apache-2.0
// Memory: where a backend's device memory comes from.
//
// All backends reach it through <cuda.h>, so that one simulated device serves them all; what
// differs is when a freed block can come back. See README.md for what stands for what.
#pragma once

#include <cuda.h>

#include "targets/argpack/host_pool.h"
#include "targets/argpack/page_cache.h"

namespace targets::argpack {

/// Where device memory comes from, and for what.
enum class Use : std::uint8_t {
  object,   ///< Packs, ndarrays, copies of external arrays: allocate_memory_runtime().
  buffer,   ///< Results and arguments of one launch: malloc_async(), hipMalloc.
  staging,  ///< The buffer that ArgPack::write() goes through: allocate_memory(), raw.
};

/// Device memory of one kind of use, by backend.
/// Ownership: owns nothing that it has handed out.
class Memory {
 public:
  explicit Memory(Backend backend)
      : backend_(backend), cache_(/*merges=*/backend == Backend::cuda_cache) {}

  Status reserve() { return is_cached(Use::object) ? cache_.reserve() : Status::ok; }
  /// The program has ended, and the runtime's own pools with it.
  void reset() {
    cache_.reset();
    mapped_.reset();
  }
  /// Returns the CPU's mappings, through which an ended program still works.
  HostPool& mapped() { return mapped_; }

  Status allocate(Use use, std::size_t bytes, CUdeviceptr& address) {
    if (is_cached(use)) return cache_.allocate(address);
    if (backend_ == Backend::cpu) return mapped_.allocate(bytes, address);
    const CUresult result =
        is_pooled(use) ? cuMemAllocAsync(&address, bytes, nullptr) : cuMemAlloc(&address, bytes);
    return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
  }

  void free(Use use, CUdeviceptr address) {
    if (is_cached(use)) return cache_.free(address);
    if (backend_ == Backend::cpu) return mapped_.release(address);
    if (is_pooled(use)) {
      cuMemFreeAsync(address, nullptr);
      return;
    }
    if (backend_ == Backend::amdgpu) cuStreamSynchronize(nullptr);  // hipFree waits for the device.
    cuMemFree(address);
  }

 private:
  bool is_cached(Use use) const {
    return use == Use::object && (backend_ == Backend::cuda_cache || backend_ == Backend::amdgpu);
  }
  bool is_pooled(Use use) const { return use != Use::staging && backend_ == Backend::cuda_pool; }

  Backend backend_;
  PageCache cache_;
  HostPool mapped_;  ///< The CPU's.
};

}  // namespace targets::argpack
