#include "harness/devices/sim/memory/host_memory.h"

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

// Nobody saw which of the words are pointers, and whose. They count from when the device is about
// to look.
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
    if (!block.dead) adopt(block.base, block.bytes);
  }
}

}  // namespace harness::devices
