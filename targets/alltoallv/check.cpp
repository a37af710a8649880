// Check: a destination is compared twice: by a kernel, which finds it through a block in device
// memory, and by whoever hears what was read back.
#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

using harness::SiteScope;

namespace {

constexpr std::int32_t kNothing = -1;  ///< No source has it.

/// Elements that several ranks contribute to are sums.
void add(CheckBlock& block, const Expected& row) {
  const PartBlock part{static_cast<std::int32_t>(row.displacement),
                       static_cast<std::int32_t>(row.count), element(row.rank, row.fill, row.first),
                       1};
  if (row.count == 0) return;
  for (std::int32_t i = 0; i < block.part_count; ++i) {
    PartBlock& known = block.parts[static_cast<std::size_t>(i)];
    if (known.displacement != part.displacement) continue;
    known.base += part.base;
    known.slope += part.slope;
    return;
  }
  block.parts[static_cast<std::size_t>(block.part_count++)] = part;
}

}  // namespace

Status Process::check(Request request, std::span<const Expected> expected) {
  const SiteScope site(core_.scheduler, "check");
  const Task& task = *requests_[request];
  CheckBlock block{};
  block.data = task.destination_base;
  for (const Expected& row : expected) add(block, row);
  CUdeviceptr at = blocks_ + request * kBlockBytes;
  void* parameters[] = {&at};
  std::array<std::int32_t, kBufferElements> read;
  const std::span<std::int32_t> found(read.data(), element_count_);
  const bool checked =
      cuMemcpyHtoD(at, &block, sizeof block) == CUDA_SUCCESS &&
      cuLaunchKernel(check_, 1, 1, 1, core_.setup.rank_count, 1, 1, 0, nullptr, parameters,
                     nullptr) == CUDA_SUCCESS &&
      cuMemcpyDtoH(&block.mismatches, at + offsetof(CheckBlock, mismatches),
                   sizeof block.mismatches) == CUDA_SUCCESS &&
      cuMemcpyDtoH(found.data(), task.destination_base, found.size_bytes()) == CUDA_SUCCESS;
  if (!checked) return Status::driver_error;
  core_.tell([&](Observer& observer) {
    observer.read({rank_, request, found, static_cast<std::uint32_t>(block.mismatches)});
  });
  return Status::ok;
}

// A copy from pageable memory may return before it has landed, and other streams do not wait for
// it.
Status Process::scrub(Request request) {
  const SiteScope site(core_.scheduler, "scrub");
  std::array<std::int32_t, kBufferElements> nothing;
  nothing.fill(kNothing);
  const Task& task = *requests_[request];
  const bool scrubbed = cuMemcpyHtoD(task.destination_base, nothing.data(),
                                     element_count_ * sizeof(std::int32_t)) == CUDA_SUCCESS &&
                        cuStreamSynchronize(nullptr) == CUDA_SUCCESS;
  return scrubbed ? Status::ok : Status::driver_error;
}

}  // namespace targets::alltoallv
