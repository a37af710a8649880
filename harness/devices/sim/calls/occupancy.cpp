// SPDX-License-Identifier: Apache-2.0
// Occupancy: how many blocks of a kernel fit on a multiprocessor at once.
//
// Source: the formulas in cuda_occupancy.h of the toolkit. This device has enough registers and
// barriers, so that only the number of blocks, warps and shared memory limit the occupancy.
#include <algorithm>
#include <span>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/limits.h"
#include "harness/driver/cuda/process.h"
#include "harness/driver/cuda/program_call.h"

namespace harness::devices::calls {

/// Returns how many blocks fit; 0 if the device cannot run such a block.
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

/// Returns the largest block size that gives the most threads on a multiprocessor. All sizes tried
/// are whole warps, except for `limit` itself.
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
    const ProcessWorld::Open open(ProcessWorld::of(sim.world()));  // `shared_of` is a function of
                                                                   // the program.
    best =
        suggest(std::min(block_limit == 0 ? kMaxThreads : block_limit, kMaxThreads), [&](int size) {
          return shared_of != nullptr ? call_program(shared_of, size) : shared_bytes;
        });
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

// ---- clusters -----------------------------------------------------------------------------------

/// Checks a launch and its stream. A launch without clusters has clusters of one block.
static CUresult check_launch(SimDevice& sim, CUfunction handle, const CUlaunchConfig* config) {
  if (config == nullptr || !fits(*config)) return CUDA_ERROR_INVALID_VALUE;
  if (config->attrs == nullptr && config->numAttrs > 0) return CUDA_ERROR_INVALID_VALUE;
  const Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!fits(*config, *function->entry)) return CUDA_ERROR_INVALID_VALUE;
  const Found<Stream> stream = find_stream(sim, config->hStream);
  return stream ? CUDA_SUCCESS : stream.error();
}

CUresult Calls::cuOccupancyMaxPotentialClusterSize(int* block_count, CUfunction handle,
                                                   const CUlaunchConfig* config) {
  if (block_count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_launch(sim, handle, config); error != CUDA_SUCCESS) return error;
  *block_count = 1;
  return CUDA_SUCCESS;
}

/// The launch must specify the cluster size, since no kernel does.
static CUresult check_cluster_size(const CUlaunchConfig& config) {
  const std::span attributes(config.attrs, config.numAttrs);
  const auto found =
      std::ranges::find(attributes, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &CUlaunchAttribute::id);
  if (found == attributes.end()) return CUDA_ERROR_INVALID_VALUE;
  const auto& size = found->value.clusterDim;
  return size.x == 1 && size.y == 1 && size.z == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

CUresult Calls::cuOccupancyMaxActiveClusters(int* cluster_count, CUfunction handle,
                                             const CUlaunchConfig* config) {
  if (cluster_count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_launch(sim, handle, config); error != CUDA_SUCCESS) return error;
  if (const CUresult error = check_cluster_size(*config); error != CUDA_SUCCESS) return error;
  const unsigned threads = config->blockDimX * config->blockDimY * config->blockDimZ;
  *cluster_count = blocks_that_fit(static_cast<int>(threads), config->sharedMemBytes);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
