// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/parts.h"

#include <algorithm>

namespace harness::devices {

std::uint64_t storage_bytes(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + Memory::kGranule - 1) / Memory::kGranule *
         Memory::kGranule;
}

std::uint64_t alignment_of(std::uint64_t bytes) {
  return bytes >= Memory::kPagedBytes ? Memory::kPage : Memory::kGranule;
}

std::uint64_t part_end(Memory& memory, std::uint64_t address) {
  const std::uint32_t index = memory.newest(address);
  const Block& block = memory.block(index);
  const std::uint64_t end = block.base + block.granules * Memory::kGranule;
  if (index != 0 && !block.is_cut) return end;
  std::uint64_t next = address / Memory::kGranule * Memory::kGranule + Memory::kGranule;
  while (next < end && memory.newest(next) == index) next += Memory::kGranule;
  return next;
}

std::uint64_t own_storage(Memory& memory, std::uint32_t index) {
  const Block& block = memory.block(index);
  const std::uint64_t end = block.base + block.granules * Memory::kGranule;
  std::uint64_t address = block.base;
  while (address < end && memory.newest(address) != index) address += Memory::kGranule;
  return address;
}

bool storage_is_free(Memory& memory, std::uint32_t index) {
  const Block& block = memory.block(index);
  return memory.newest(block.base) == index && !block.is_cut;
}

}  // namespace harness::devices
