// SPDX-License-Identifier: Apache-2.0
// Memory: the source of a backend's device memory.
//
// All backends use <cuda.h>, so that one simulated device serves them all. They differ in when a
// freed block can be reused. README.md lists the models.
#pragma once

#include <cuda.h>

#include "targets/argpack/host_pool.h"
#include "targets/argpack/page_cache.h"

namespace targets::argpack {

/// Purpose of device memory, which selects its source.
enum class Use : std::uint8_t {
  object,   ///< Packs, ndarrays, copies of external arrays: allocate_memory_runtime().
  buffer,   ///< Results and arguments of one launch: malloc_async(), hipMalloc.
  staging,  ///< The buffer that ArgPack::write() goes through: allocate_memory(), raw.
};

/// Device memory for each purpose, by backend.
/// Ownership: does not own the memory that it has allocated.
class Memory {
 public:
  explicit Memory(Backend backend)
      : backend_(backend), cache_(/*merges=*/backend == Backend::cuda_cache) {}

  Status reserve() { return is_cached(Use::object) ? cache_.reserve() : Status::ok; }
  /// Called when the program has ended, together with the runtime's own pools.
  void reset() {
    cache_.reset();
    mapped_.reset();
  }
  /// Returns the CPU's mappings. A program that has ended still uses them.
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
  HostPool mapped_;  ///< CPU only.
};

}  // namespace targets::argpack
