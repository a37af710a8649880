// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/host_memory.h"

#include <sys/mman.h>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

bool is_mapped(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t low = address / Memory::kPage * Memory::kPage;
  return msync(reinterpret_cast<void*>(low), address - low + bytes, MS_ASYNC) == 0;
}

std::uint32_t HostMemory::enter(std::uint64_t address, std::uint64_t bytes) {
  const std::uint32_t index = sim_.memory().register_host(address, bytes);
  sim_.provenance().shadow().include({address, address + bytes});
  add(index);
  return index;
}

// The host's writes of pointers are not observed. Those that are in memory when the device is about
// to read it count.
void HostMemory::adopt(std::uint64_t address, std::uint64_t bytes) {
  Provenance& provenance = sim_.provenance();
  const std::uint64_t first = (address + 7) / 8 * 8;
  if (first + 8 > address + bytes) return;
  const auto known = [&](const CapturedWord& word) {
    const PointerShadow::Entry entry = provenance.shadow().get(first + word.offset);
    return entry.captured == word.id || entry.stored_by != AuthorityIndex::none;
  };
  words_.clear();
  {
    const Memory::CallView view(sim_.memory());
    provenance.capture(reinterpret_cast<const void*>(first), address + bytes - first, words_);
  }
  std::erase_if(words_, known);
  provenance.wrote(first, words_);
}

void HostMemory::adopt_all() {
  for (const std::uint32_t index : blocks_) {
    const Block& block = sim_.memory().block(index);
    if (block.dead) continue;
    // A program may have unmapped the memory.
    if (block.origin == Origin::registered && !is_mapped(block.base, block.bytes)) continue;
    adopt(block.base, block.bytes);
  }
}

}  // namespace harness::devices
