// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/results.h"

#include <algorithm>

#include "targets/alltoallv/layout.h"

namespace targets::alltoallv {

using harness::SiteScope;

namespace {

constexpr std::int32_t kNothing = -1;  ///< Expected to be in no source.

}  // namespace

Status Results::check(Request request, CUdeviceptr destination, std::span<const Row> rows) {
  const SiteScope site(core_.scheduler, "check");
  CheckBlock block{};
  block.data = destination;
  block.row_count = static_cast<std::int32_t>(rows.size());
  std::copy(rows.begin(), rows.end(), block.rows.begin());
  CUdeviceptr at = rank_.context.block_of(request);
  void* parameters[] = {&at};
  std::array<std::int32_t, kBufferElements> read;
  const std::span<std::int32_t> found(read.data(), core_.element_count);
  const bool checked = cuMemcpyHtoD(at, &block, sizeof block) == CUDA_SUCCESS &&
                       cuLaunchKernel(rank_.context.check(), 1, 1, 1, core_.setup.rank_count, 1, 1,
                                      0, nullptr, parameters, nullptr) == CUDA_SUCCESS &&
                       cuMemcpyDtoH(&block.mismatches, at + offsetof(CheckBlock, mismatches),
                                    sizeof block.mismatches) == CUDA_SUCCESS &&
                       cuMemcpyDtoH(found.data(), destination, found.size_bytes()) == CUDA_SUCCESS;
  if (!checked) return Status::driver_error;
  core_.tell([&](Observer& observer) {
    observer.read({rank_.number, request, found, static_cast<std::uint32_t>(block.mismatches)});
  });
  return Status::ok;
}

// Synchronizes, because a copy from pageable memory may return before it has landed, and other
// streams do not wait for it.
Status Results::scrub(CUdeviceptr destination) {
  const SiteScope site(core_.scheduler, "scrub");
  std::array<std::int32_t, kBufferElements> nothing;
  nothing.fill(kNothing);
  const bool scrubbed = cuMemcpyHtoD(destination, nothing.data(),
                                     core_.element_count * sizeof(std::int32_t)) == CUDA_SUCCESS &&
                        cuStreamSynchronize(nullptr) == CUDA_SUCCESS;
  return scrubbed ? Status::ok : Status::driver_error;
}

}  // namespace targets::alltoallv
