// Occupancy: how many blocks of a kernel are on a multiprocessor at once.
//
// Source: the formulas of the toolkit's cuda_occupancy.h, for a device on which neither registers
// nor barriers are scarce: blocks are limited by their number, by warps and by shared memory.
#include <algorithm>

#include "harness/cuda/process.h"
#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/limits.h"

namespace harness::devices::calls {

/// Returns how many blocks there is room for; 0 for what no block may have.
static int blocks_that_fit(int block_size, std::size_t shared_bytes) {
  if (block_size > kMaxThreads || shared_bytes > kMaxSharedBytes) return 0;
  const int warps = (block_size + kWarpThreads - 1) / kWarpThreads;
  const int by_warps = kResidentThreads / kWarpThreads / warps;
  const int by_memory = shared_bytes == 0
                            ? kResidentBlocks
                            : static_cast<int>(kMaxSharedBytes / static_cast<int>(shared_bytes));
  return std::min({kResidentBlocks, by_warps, by_memory});
}

static bool are_flags(unsigned flags) {
  return flags == CU_OCCUPANCY_DEFAULT || flags == CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE;
}

CUresult Calls::cuOccupancyMaxActiveBlocksPerMultiprocessor(int* block_count, CUfunction handle,
                                                            int block_size, size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(block_count, handle, block_size,
                                                              shared_bytes, CU_OCCUPANCY_DEFAULT);
}

CUresult Calls::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* block_count, CUfunction handle, int block_size, size_t shared_bytes, unsigned flags) {
  if (block_count == nullptr || block_size <= 0 || !are_flags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *block_count = blocks_that_fit(block_size, shared_bytes);
  return CUDA_SUCCESS;
}

CUresult Calls::cuOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size,
                                                 CUfunction function, CUoccupancyB2DSize shared_of,
                                                 size_t shared_bytes, int block_limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, function, shared_of,
                                                   shared_bytes, block_limit, CU_OCCUPANCY_DEFAULT);
}

namespace {

struct Suggestion {
  int block_size = 0;
  int block_count = 0;
};

/// Returns the largest block with the most threads on a multiprocessor: sizes are whole warps, but
/// for the largest.
template <class Shared>
Suggestion suggest(int limit, Shared shared) {
  Suggestion best;
  int aligned = (limit + kWarpThreads - 1) / kWarpThreads * kWarpThreads;
  for (; aligned > 0; aligned -= kWarpThreads) {
    const int size = std::min(limit, aligned);
    const int count = blocks_that_fit(size, shared(size));
    if (size * count > best.block_size * best.block_count) best = {size, count};
    if (size * count == kResidentThreads) break;
  }
  return best;
}

}  // namespace

CUresult Calls::cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size,
                                                          CUfunction handle,
                                                          CUoccupancyB2DSize shared_of,
                                                          size_t shared_bytes, int block_limit,
                                                          unsigned flags) {
  if (grid_size == nullptr || block_size == nullptr || block_limit < 0 || !are_flags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Suggestion best;
  {
    const ProcessWorld::Open open(ProcessWorld::of(sim.world()));  // `shared_of` is the program's.
    best = suggest(std::min(block_limit == 0 ? kMaxThreads : block_limit, kMaxThreads),
                   [&](int size) { return shared_of != nullptr ? shared_of(size) : shared_bytes; });
  }
  *block_size = best.block_size;
  *grid_size = best.block_count;  // The device has one multiprocessor.
  return CUDA_SUCCESS;
}

CUresult Calls::cuOccupancyAvailableDynamicSMemPerBlock(size_t* shared_bytes, CUfunction handle,
                                                        int block_count, int block_size) {
  if (shared_bytes == nullptr || block_count <= 0 || block_size <= 0 || block_size > kMaxThreads)
    return CUDA_ERROR_INVALID_VALUE;
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const bool fits = block_count <= blocks_that_fit(block_size, 0);
  *shared_bytes = fits ? static_cast<std::size_t>(kMaxSharedBytes / block_count) : 0;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
