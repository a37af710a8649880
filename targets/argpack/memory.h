// Memory: where a backend's device memory comes from.
//
// All backends reach it through <cuda.h>, so that one simulated device serves them all; what
// differs is when a freed block can come back. See README.md for what stands for what.
#pragma once

#include <cuda.h>

#include <bit>
#include <cstdint>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

/// Hands out equal pages of one chunk, lowest address first: Taichi's CachingAllocator as these
/// small allocations meet it (sizes are rounded to pages, best fit takes the first, a freed page is
/// at once the next allocation's).
/// Ownership: owns the chunk for as long as the process runs, as the runtime's own pool does.
class PageCache {
 public:
  static constexpr std::size_t kPageBytes = 1024;
  static constexpr std::size_t kPageCount = 64;

  Status reserve() {
    if (chunk_ != 0) return Status::ok;
    const CUresult result = cuMemAlloc(&chunk_, kPageBytes * kPageCount);
    return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
  }
  Status allocate(CUdeviceptr& address) {
    if (free_ == 0) return Status::driver_error;
    const int page = std::countr_zero(free_);
    free_ &= free_ - 1;
    address = chunk_ + static_cast<std::size_t>(page) * kPageBytes;
    return Status::ok;
  }
  void free(CUdeviceptr address) { free_ |= std::uint64_t{1} << ((address - chunk_) / kPageBytes); }

 private:
  CUdeviceptr chunk_ = 0;
  std::uint64_t free_ = ~std::uint64_t{0};  ///< Bit per page.
};

/// Ownership: owns nothing that it has handed out.
class Memory {
 public:
  explicit Memory(Backend backend) : backend_(backend) {}

  Status reserve() { return backend_ == Backend::cuda_cache ? cache_.reserve() : Status::ok; }

  Status allocate(std::size_t bytes, CUdeviceptr& address) {
    if (backend_ == Backend::cuda_cache) return cache_.allocate(address);
    const CUresult result = backend_ == Backend::cuda_pool
                                ? cuMemAllocAsync(&address, bytes, nullptr)
                                : cuMemAlloc(&address, bytes);
    return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
  }

  void free(CUdeviceptr address) {
    if (backend_ == Backend::cuda_cache) return cache_.free(address);
    if (backend_ == Backend::cuda_pool) {
      cuMemFreeAsync(address, nullptr);
      return;
    }
    if (backend_ == Backend::amdgpu) cuStreamSynchronize(nullptr);  // hipFree waits for the device.
    cuMemFree(address);
  }

 private:
  Backend backend_;
  PageCache cache_;
};

}  // namespace targets::argpack
