// SPDX-License-Identifier: Apache-2.0
// How it works. A mapping has addresses in this process's own range, like an allocation, and pages
// of the other process's file are mapped over them. All that is recorded by address thus works for
// these, too.
#include <unistd.h>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/memory/parts.h"

namespace harness::devices {

static constexpr std::uint64_t kPage = Memory::kPage;
static constexpr std::uint64_t kGranule = Memory::kGranule;
static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

ForeignBlocks Memory::foreign() { return ForeignBlocks(*this); }

SharedFile ForeignBlocks::share() {
  return {memory_.views_.file(memory_.cursor_), memory_.range_.low};
}

std::uint32_t ForeignBlocks::enter(BirthId birth, const ForeignMemory& foreign) {
  const std::uint32_t index = memory_.block_count();
  Block& block = memory_.blocks_.emplace_back();
  block.base = foreign.base;
  block.bytes = foreign.bytes;
  block.origin = Origin::foreign;
  block.birth = birth;
  block.process = memory_.ledger_->scheduler().process();
  block.is_shared = true;
  memory_.foreign_[index] = foreign;
  return index;
}

/// Returns the granule at which to map this many granules, starting on a page: fresh ones, or those
/// of a mapping that has ended if there are no fresh ones.
std::uint32_t ForeignBlocks::place_for(std::uint32_t granules) {
  std::uint64_t& cursor = memory_.cursor_;
  const std::uint64_t low = memory_.range_.low;
  cursor = (cursor + kPage - 1) / kPage * kPage;
  if (granules * kGranule <= low + Memory::kBytes - cursor) {
    const auto place = static_cast<std::uint32_t>((cursor - low) / kGranule);
    cursor += granules * kGranule;
    return place;
  }
  for (std::uint32_t index = 1; index < memory_.block_count(); ++index) {
    const Block& block = memory_.block(index);
    const std::uint64_t page = block.base / kPage * kPage;
    const bool was_mapping = block.origin == Origin::imported && block.dead &&
                             memory_.block(block.exported).origin == Origin::foreign;
    if (was_mapping && memory_.newest(block.base) == index &&
        block.granules + (block.base - page) / kGranule >= granules)
      return static_cast<std::uint32_t>((page - low) / kGranule);
  }
  return kNowhere;
}

std::uint32_t ForeignBlocks::map(std::uint32_t foreign) {
  const ForeignMemory memory = memory_.foreign_.at(foreign);
  const std::uint64_t before = memory.offset % kPage;  // The offset in the first page.
  const std::uint64_t bytes = (before + memory.bytes + kPage - 1) / kPage * kPage;
  const std::uint32_t place = place_for(static_cast<std::uint32_t>(bytes / kGranule));
  if (place == kNowhere) return 0;
  const std::uint64_t page = memory_.range_.low + place * kGranule;
  unpoison(reinterpret_cast<void*>(page), bytes);
  memory_.views_.lay_over(page, bytes, memory.file, memory.offset - before);
  const std::uint64_t base = page + before;
  const auto granules = static_cast<std::uint32_t>(storage_bytes(memory.bytes) / kGranule);
  const std::uint32_t index =
      memory_.give(Origin::imported, base, granules, memory.bytes, memory_.newest(base));
  memory_.block(index).exported = foreign;
  ++memory_.block(foreign).import_count;
  memory_.install(index);
  return index;
}

void ForeignBlocks::forget(std::uint32_t foreign) {
  const auto known = memory_.foreign_.find(foreign);
  if (known == memory_.foreign_.end()) return;
  close(known->second.file);
  memory_.foreign_.erase(known);
}

void Memory::end_foreign_mapping(const Block& mapping) {
  if (blocks_[mapping.exported].origin == Origin::foreign)
    views_.take_back(mapping.base / kPage * kPage);
}

}  // namespace harness::devices
