// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/kernel_heap.h"

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/kernels/access.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

/// Returns how many bytes of the heap an allocation uses. A real heap needs some more for its
/// management.
static std::uint64_t taken_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = 16;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t KernelHeap::allocate(std::uint64_t bytes) {
  Context& context = *launch_->module->context;
  const std::size_t limit = context.limits[CU_LIMIT_MALLOC_HEAP_SIZE];
  context.heap_used = true;
  if (bytes == 0 || bytes > limit || taken_bytes(bytes) > limit - context.heap_bytes) return 0;
  const SiteScope site(sim_.scheduler(), launch_->label);
  const std::uint32_t index = sim_.memory().allocate(Origin::heap, bytes);
  if (index == 0) return 0;
  context.heap_bytes += taken_bytes(bytes);
  Block& block = sim_.memory().block(index);
  block.context = &context;
  block.process = launch_->launch.process;
  if (sim_.data_races().on()) sim_.data_races().allocated(index, launch_->at);
  sim_.provenance().has_begun(block.birth);
  return block.base;
}

void KernelHeap::free(std::uint64_t address, std::uintptr_t code) {
  if (address == 0) return;
  const std::uint32_t index = sim_.memory().installed(address);
  const Block& block = sim_.memory().block(index);
  const bool is_piece = index != 0 && block.origin == Origin::heap && block.base == address;
  if (!is_piece || block.dead) {
    if (is_piece)
      sim_.provenance().failed(FaultKind::double_free, {kHeapMemory, "", code}, block.birth);
    else
      sim_.provenance().failed(
          FaultKind::api_misuse,
          {"device memory", "freed by a kernel, and no malloc() of one returned it", code});
    access_state.abandon();
  }
  const SiteScope site(sim_.scheduler(), launch_->label);
  if (sim_.data_races().on()) sim_.data_races().freed(index, use_by(*launch_, launch_->label));
  block.context->heap_bytes -= taken_bytes(block.bytes);
  sim_.memory().retire(index);
  access_state.forget();
}

}  // namespace harness::devices
