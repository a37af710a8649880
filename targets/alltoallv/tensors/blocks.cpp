// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/tensors/blocks.h"

#include <algorithm>
#include <bit>

#include "targets/alltoallv/layout.h"

namespace targets::alltoallv {
namespace {

constexpr std::uint32_t kPieces = 4;
constexpr std::uint32_t kAllTaken = (1U << kPieces) - 1;
constexpr std::size_t kPieceBytes = 256;
static_assert(kPieceBytes >= kBufferElements * sizeof(std::int32_t));

Status allocate(std::size_t bytes, CUdeviceptr& memory) {
  return cuMemAlloc(&memory, bytes) == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

}  // namespace

Status Blocks::take(CUstream stream, CUdeviceptr& piece) {
  return core_.setup.pooled ? take_from_block(stream, piece)
                            : allocate(core_.element_count * sizeof(std::int32_t), piece);
}

Status Blocks::take_from_block(CUstream stream, CUdeviceptr& piece) {
  const auto has_room = [stream](const Block& block) {
    return block.stream == stream && block.taken != kAllTaken;
  };
  auto block = std::find_if(blocks_.begin(), blocks_.end(), has_room);
  if (block == blocks_.end()) {
    CUdeviceptr base = 0;
    if (const Status status = allocate(kPieces * kPieceBytes, base); status != Status::ok)
      return status;
    block = blocks_.insert(blocks_.end(), {base, stream, 0});
  }
  const auto index = static_cast<std::uint32_t>(std::countr_one(block->taken));
  block->taken |= 1U << index;
  piece = block->base + index * kPieceBytes;
  return Status::ok;
}

CUdeviceptr Blocks::give_back(CUdeviceptr piece) {
  if (!core_.setup.pooled) return piece;
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [piece](const Block& one) {
    return one.base <= piece && piece - one.base < kPieces * kPieceBytes;
  });
  block->taken &= ~(1U << (piece - block->base) / kPieceBytes);
  if (block->taken != 0) return 0;
  const CUdeviceptr base = block->base;
  blocks_.erase(block);
  return base;
}

}  // namespace targets::alltoallv
