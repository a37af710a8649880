// Memory, of other processes of the run. How it works. A mapping has addresses in this process's own
// range, as an allocation would, and pages of the other process's file are laid over them. So
// everything that is kept for an address is kept for these, too.
#include <unistd.h>

#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/memory/parts.h"
#include "harness/sanitizers.h"

namespace harness::devices {

std::uint32_t Memory::enter_foreign(BirthId birth, const ForeignMemory& memory) {
  const auto index = static_cast<std::uint32_t>(blocks_.size());
  Block& block = blocks_.emplace_back();
  block.base = memory.base;
  block.bytes = memory.bytes;
  block.origin = Origin::foreign;
  block.birth = birth;
  block.process = ledger_->scheduler().process();
  block.is_shared = true;
  foreign_[index] = memory;
  return index;
}

/// Returns where so many granules begin on a page: fresh ones, or those of a mapping that has ended
/// where there are none. 0 for nowhere.
std::uint32_t Memory::place_for(std::uint32_t granules) {
  cursor_ = (cursor_ + kPage - 1) / kPage * kPage;
  if (granules * kGranule <= range_.low + kBytes - cursor_) {
    const auto place = static_cast<std::uint32_t>((cursor_ - range_.low) / kGranule);
    cursor_ += granules * kGranule;
    return place;
  }
  for (const Block& block : blocks_) {
    const std::uint64_t page = block.base / kPage * kPage;
    const bool is_ours = block.origin == Origin::imported && block.exported != 0 &&
                         blocks_[block.exported].origin == Origin::foreign;
    if (is_ours && block.dead && newest(block.base) == static_cast<std::uint32_t>(&block - blocks_.data()) &&
        block.granules + (block.base - page) / kGranule >= granules)
      return static_cast<std::uint32_t>((page - range_.low) / kGranule);
  }
  return ~0u;
}

std::uint32_t Memory::map_foreign(std::uint32_t foreign) {
  const ForeignMemory memory = foreign_.at(foreign);
  const std::uint64_t before = memory.offset % kPage;  // In its first page.
  const std::uint64_t bytes = (before + memory.bytes + kPage - 1) / kPage * kPage;
  const std::uint32_t place = place_for(static_cast<std::uint32_t>(bytes / kGranule));
  if (place == ~0u) return 0;
  const std::uint64_t page = range_.low + place * kGranule;
  unpoison(reinterpret_cast<void*>(page), bytes);
  views_.lay_over(page, bytes, memory.file, memory.offset - before);
  const std::uint64_t base = page + before;
  const auto granules = static_cast<std::uint32_t>(storage_bytes(memory.bytes) / kGranule);
  const std::uint32_t index = give(Origin::imported, base, granules, memory.bytes, newest(base));
  blocks_[index].exported = foreign;
  ++blocks_[foreign].import_count;
  install(index);
  return index;
}

void Memory::end_foreign_mapping(const Block& mapping) {
  if (blocks_[mapping.exported].origin == Origin::foreign)
    views_.take_back(mapping.base / kPage * kPage);
}

void Memory::forget_foreign(std::uint32_t foreign) {
  const auto known = foreign_.find(foreign);
  if (known == foreign_.end()) return;
  close(known->second.file);
  foreign_.erase(known);
}

}  // namespace harness::devices
