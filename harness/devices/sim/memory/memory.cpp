// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/memory.h"

#include "harness/devices/sim/memory/parts.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/memory/host_memory.h"

namespace harness::devices {

// An address that is unlikely to collide with the program or a sanitizer's shadow, so that the
// addresses in a trace are the same in every run. Nothing depends on it.
static constexpr std::uintptr_t kAddressHint = kTsan ? 0x60'0000'0000 : 0x2000'0000'0000;
static constexpr int kFill = 0xa5;
static constexpr Label kDeviceKind = "device memory";
static constexpr Label kPinnedKind = "pinned memory";
static constexpr Label kGraphKind = "graph memory";
static constexpr Label kImportedKind = "IPC mapping";
static constexpr Label kRegisteredKind = "registered memory";
static constexpr Label kPhysicalKind = "physical memory";
static constexpr Label kMappedKind = "mapped memory";
static constexpr Label kArrayKind = "CUDA array";

/// The memory, a view of it for each process, and the addresses that programs reserve.
static constexpr std::uint64_t kVirtualBytes = 4 * Memory::kBytes;
static constexpr std::uint64_t kReservedBytes =
    (Memory::kProcessLimit + 1) * Memory::kBytes + kVirtualBytes;
static constexpr std::uint64_t kIndexBytes =
    kReservedBytes / Memory::kGranule * sizeof(std::uint32_t);

[[noreturn]] static void refuse() {
  throw std::runtime_error(
      "the simulated device cannot reserve its 336 GiB of addresses; raise the address space "
      "limit (ulimit -v unlimited, ulimit -d unlimited)");
}

static std::uint64_t reserve(std::uintptr_t hint, std::size_t bytes, int protection) {
  void* memory = mmap(reinterpret_cast<void*>(hint), bytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) refuse();
  return reinterpret_cast<std::uint64_t>(memory);
}

static AddressRange reserve_range() {
  const std::uint64_t low = reserve(kAddressHint, kReservedBytes, PROT_NONE);
  return {low, low + kReservedBytes};
}

Memory::Memory()
    : range_(reserve_range()),
      views_(range_.low, kBytes),
      reservations_({range_.high - kVirtualBytes, range_.high}) {
  const std::uint64_t low = range_.low;
  if (mprotect(reinterpret_cast<void*>(low), kBytes, PROT_READ | PROT_WRITE) != 0) refuse();
  granules_ = reinterpret_cast<std::uint32_t*>(reserve(0, kIndexBytes, PROT_READ | PROT_WRITE));
  cursor_ = low;
}

Memory::~Memory() {
  munmap(reinterpret_cast<void*>(range_.low), kReservedBytes);
  munmap(granules_, kIndexBytes);
}

void Memory::begin(Ledger& ledger) {
  ledger_ = &ledger;
  blocks_.clear();
  parts_.clear();
  blocks_.emplace_back();
  blocks_.back().dead = true;
  first_alive_ = reclaimed_ = 0;
  registrations_.begin();
  reservations_.begin(ledger);
  regions_.begin();
}

void Memory::end() {
  for (const Block& block : blocks_) {
    if (block.origin == Origin::foreign) continue;
    if (is_alias(block))
      forget_mapping(block);
    else if (!block.dead && block.bytes > kFilledBytes)
      forget_pages(block);
  }
  const std::uint64_t used = cursor_ - range_.low;
  unpoison(reinterpret_cast<void*>(range_.low), used);
  std::memset(granules_, 0, used / kGranule * sizeof(std::uint32_t));
  cursor_ = range_.low;
  used_bytes_ = 0;
  blocks_.clear();
}

// ---- blocks -----------------------------------------------------------------------------------

/// Returns how many bytes count as used. Reused storage may be larger than its new allocation.
static std::uint64_t counted_bytes(const Block& block) { return storage_bytes(block.bytes); }

std::uint32_t Memory::allocate(Origin origin, std::uint64_t bytes) {
  if (bytes > kBytes) return 0;
  const auto granules = static_cast<std::uint32_t>(storage_bytes(bytes) / kGranule);
  const std::uint64_t alignment = origin == Origin::physical ? kPage : alignment_of(bytes);
  cursor_ = (cursor_ + alignment - 1) / alignment * alignment;
  if (granules * kGranule > range_.low + kBytes - cursor_) {
    const std::uint32_t old = reclaim(granules, alignment);
    if (old == 0) return 0;
    const std::uint32_t index = recycle(blocks_[old].base, origin, bytes);
    install(index);
    return index;
  }
  const std::uint64_t base = cursor_;
  cursor_ += granules * kGranule;
  std::memset(reinterpret_cast<void*>(base), kFill, std::min(bytes, kFilledBytes));
  const std::uint32_t index = give(origin, base, granules, bytes, 0);
  install(index);
  return index;
}

std::uint32_t Memory::recycle(std::uint64_t base, Origin origin, std::uint64_t bytes) {
  const std::uint32_t old = newest(base);
  const Block& block = blocks_[old];
  const bool fits = block.base == base && storage_bytes(bytes) <= block.granules * kGranule;
  if (!fits || !storage_is_free(*this, old)) return recycle_parts(base, origin, bytes);
  return give(origin, base, block.granules, bytes, old);
}

std::uint32_t Memory::recycle_parts(std::uint64_t base, Origin origin, std::uint64_t bytes) {
  const auto granules = static_cast<std::uint32_t>(storage_bytes(bytes) / kGranule);
  const std::uint32_t block = block_count();
  const std::uint32_t first = newest(base);
  std::uint64_t low = base;
  visit_parts(*this, base, base + granules * kGranule, [&](std::uint32_t previous) {
    parts_.push_back({block, low, previous});
    blocks_[previous].is_cut = true;
    low = part_end(*this, low);
    return true;
  });
  const std::uint32_t index = give(origin, base, granules, bytes, first);
  blocks_[index].is_of_parts = true;
  return index;
}

std::uint32_t Memory::living_of_parts(std::uint64_t low, std::uint64_t high) {
  if (parts_.empty() || low < range_.low) return 0;
  for (std::uint64_t address = low; address < std::min(high, cursor_);
       address = part_end(*this, address)) {
    const std::uint32_t index = installed(address);
    if (blocks_[index].is_of_parts && !blocks_[index].dead) return index;
  }
  return 0;
}

const Memory::Part& Memory::part_at(std::uint32_t index, std::uint64_t address) const {
  const auto behind =
      std::ranges::upper_bound(parts_, std::pair(index, address), {},
                               [](const Part& part) { return std::pair(part.block, part.low); });
  return *(behind - 1);
}

std::uint32_t Memory::give(Origin origin, std::uint64_t base, std::uint32_t granules,
                           std::uint64_t bytes, std::uint32_t previous) {
  const auto index = static_cast<std::uint32_t>(blocks_.size());
  const BirthId from = blocks_[previous].birth;
  Block& block = blocks_.emplace_back();
  block.base = base;
  block.bytes = bytes;
  block.granules = granules;
  block.previous = previous;
  block.origin = origin;
  block.process = ledger_->scheduler().process();
  block.installed = false;
  const Label kind = origin == Origin::pinned     ? kPinnedKind
                     : origin == Origin::imported ? kImportedKind
                     : origin == Origin::graph    ? kGraphKind
                     : origin == Origin::physical ? kPhysicalKind
                     : origin == Origin::mapped   ? kMappedKind
                     : origin == Origin::array    ? kArrayKind
                     : origin == Origin::heap     ? kHeapMemory
                                                  : kDeviceKind;
  block.birth = ledger_->born(kind, base, bytes, from);
  std::uint32_t* first = granules_ + (base - range_.low) / kGranule;
  std::fill(first, first + granules, index);
  if (!is_alias(block)) used_bytes_ += counted_bytes(block);
  return index;
}

void Memory::install(std::uint32_t index) {
  Block& block = blocks_[index];
  block.installed = true;
  unpoison(reinterpret_cast<void*>(block.base), block.bytes);
  poison(reinterpret_cast<void*>(block.base + block.bytes),
         block.granules * kGranule - block.bytes);
}

[[gnu::noinline, gnu::cold]] static bool is_kept(const Ledger& ledger, const Block& block) {
  return block.graph == nullptr && ledger.keeps(block.birth);
}

void Memory::retire(std::uint32_t index) {
  Block& block = blocks_[index];
  HARNESS_CHECK(!block.dead && block.installed, "a life has begun before it ends, once");
  ledger_->died(block.story());
  block.dead = true;
  if (!regions_.empty()) [[unlikely]]
    end_regions(block);
  // For a graph that is launched again, the launch has already marked its memory as in use.
  if (block.graph == nullptr) block.freed = true;
  if (Intervention::current() != nullptr) [[unlikely]]
    if (is_kept(*ledger_, block)) {
      if (block.origin == Origin::imported) --blocks_[block.exported].import_count;
      return;
    }
  poison(reinterpret_cast<void*>(block.base), block.granules * kGranule);
  if (block.origin == Origin::imported) {
    --blocks_[block.exported].import_count;
    return end_foreign_mapping(block);
  }
  if (block.origin == Origin::mapped) return MemoryViews::unmap(block.base, block.bytes);
  used_bytes_ -= counted_bytes(block);
  if (block.bytes > kFilledBytes) forget_pages(block);
}

std::uint32_t Memory::set_apart(std::uint64_t bytes, std::uint32_t old) {
  const std::uint32_t index =
      old != 0 ? recycle(blocks_[old].base, Origin::graph, bytes) : allocate(Origin::graph, bytes);
  if (index == 0) return 0;
  Block& block = blocks_[index];
  block.installed = block.freed = block.dead = true;
  used_bytes_ -= counted_bytes(block);
  poison(reinterpret_cast<void*>(block.base), block.granules * kGranule);
  return index;
}

void Memory::begin_life(std::uint32_t index) {
  Block& block = blocks_[index];
  HARNESS_CHECK(block.dead, "one life at a time");
  block.life = ledger_->born(kGraphKind, block.base, block.bytes, block.life);
  block.dead = false;
  used_bytes_ += counted_bytes(block);
  install(index);
}

void Memory::give_up(std::uint32_t index) { ledger_->died(blocks_[index].birth); }

/// Returns a dead block with room for `granules`. The search continues after the last block that
/// was returned, so as not to pass the same blocks each time.
std::uint32_t Memory::reclaim(std::uint32_t granules, std::uint64_t alignment) {
  const std::uint32_t count = block_count();
  for (std::uint32_t step = 1; step <= count; ++step) {
    const std::uint32_t i = (reclaimed_ + step) % count;
    const Block& block = blocks_[i];
    const bool reserved = block.graph != nullptr && ledger_->alive(block.birth);
    if (i == 0 || !block.dead || reserved || block.granules < granules || is_alias(block) ||
        block.base % alignment != 0 || !storage_is_free(*this, i))
      continue;
    return reclaimed_ = i;
  }
  return 0;
}

void Memory::forget_pages(const Block& block) {
  const std::uint64_t low = (block.base + kFilledBytes + kPage - 1) / kPage * kPage;
  const std::uint64_t high = (block.base + block.granules * kGranule) / kPage * kPage;
  if (low < high)
    madvise(reinterpret_cast<void*>(low), high - low,
            views_.shared() ? MADV_REMOVE : MADV_DONTNEED);
}

// ---- mappings of other processes --------------------------------------------------------------

std::uint32_t Memory::map(std::uint32_t exported, ProcessId importer) {
  const std::uint64_t base = views_.base(importer) + (blocks_[exported].base - range_.low);
  const std::uint32_t granules = blocks_[exported].granules;
  const std::uint32_t* first = granules_ + (base - range_.low) / kGranule;
  if (std::any_of(first, first + granules,
                  [&](std::uint32_t index) { return !blocks_[index].dead; }))
    return 0;
  views_.open(importer, cursor_);
  const std::uint32_t index =
      give(Origin::imported, base, granules, blocks_[exported].bytes, *first);
  blocks_[index].exported = exported;
  ++blocks_[exported].import_count;
  install(index);
  return index;
}

void Memory::forget_mapping(const Block& mapping) {
  if (mapping.origin == Origin::mapped && !mapping.dead)
    MemoryViews::unmap(mapping.base, mapping.bytes);
  std::fill_n(granules_ + (mapping.base - range_.low) / kGranule, mapping.granules, 0);
  unpoison(reinterpret_cast<void*>(mapping.base), mapping.granules * kGranule);
}

std::uint32_t Memory::map_at(std::uint64_t address, std::uint32_t physical, std::uint64_t bytes) {
  if (blocks_[physical].origin == Origin::foreign) {
    const ForeignMemory& memory = foreign_.at(physical);
    MemoryViews::map_pages(address, bytes, memory.file, memory.offset);
  } else {
    views_.map(address, blocks_[physical].base, bytes, cursor_);
  }
  const auto granules = static_cast<std::uint32_t>(bytes / kGranule);
  const std::uint32_t index =
      give(Origin::mapped, address, granules, bytes, granules_[(address - range_.low) / kGranule]);
  blocks_[index].exported = physical;
  install(index);
  return index;
}

/// If the exporter frees early, a mapping that is still open refers to no memory, or to a later
/// allocation in the same storage.
void Memory::look_through(const Block& mapping, BlockRef& here) const {
  const Block& exported = blocks_[mapping.exported];
  if (!exported.dead) [[likely]]
    return;
  here.lost = exported.birth;
  if (exported.origin == Origin::foreign) return;
  const Block& resident = blocks_[newest(exported.base)];
  here.met = resident.dead ? BirthId::none : resident.birth;
  here.bytes = std::min(here.bytes, resident.bytes);
}

// ---- host memory ------------------------------------------------------------------------------

std::uint32_t Memory::register_host(std::uint64_t address, std::uint64_t bytes) {
  const auto index = static_cast<std::uint32_t>(blocks_.size());
  const BirthId from = blocks_[registrations_.find(address)].birth;
  Block& block = blocks_.emplace_back();
  block.base = address;
  block.bytes = bytes;
  block.origin = Origin::registered;
  block.process = ledger_->scheduler().process();
  block.birth = ledger_->born(kRegisteredKind, address, bytes, from);
  registrations_.add(address, address + bytes, index);
  return index;
}

std::uint32_t Memory::registered_in(std::uint64_t address, std::uint64_t bytes) const {
  std::uint32_t found = 0;
  registrations_.visit(address, address + bytes, [&](std::uint32_t index) {
    found = blocks_[index].dead ? 0 : index;
    return found != 0;
  });
  return found;
}

// ---- queries of provenance --------------------------------------------------------------------

BlockRef Memory::find(std::uint64_t address) const {
  const std::uint32_t index = call_view_ ? newest(address) : installed(address);
  if (index == 0) return {};
  const Block& block = blocks_[index];
  if (address - block.base >= block.bytes) return {};
  BlockRef here{block.birth, block.base, block.bytes, !block.dead, block.process};
  here.life = block.story();
  here.lost = block.lost;
  if (block.origin == Origin::imported && !block.dead) look_through(block, here);
  if (!regions_.empty()) [[unlikely]]
    narrow_to_region(address, here);
  return here;
}

/// Inside a region, the region is the allocation that an access refers to. Between regions, it is
/// the part of the block up to the next ones.
void Memory::narrow_to_region(std::uint64_t address, BlockRef& here) const {
  const std::uint64_t seen = call_view_ ? Regions::kNow : regions_.seen();
  const std::uint32_t number = regions_.find(address, seen);
  if (number == 0) {
    const AddressRange gap = regions_.gap(address, {here.base, here.base + here.bytes});
    here.base = gap.low;
    here.bytes = gap.high - gap.low;
    return;
  }
  const Region& region = regions_.at(number);
  here.id = here.life = region.birth;
  here.base = region.base;
  here.bytes = region.bytes;
  here.alive = here.alive && region.ended > seen;
}

void Memory::end_regions(const Block& block) {
  for (std::uint32_t number = 1; number <= regions_.count(); ++number) {
    const Region& region = regions_.at(number);
    if (region.base - block.base >= block.bytes || !ledger_->alive(region.birth)) continue;
    ledger_->died(region.birth);
    regions_.end(number);
  }
}

bool Memory::is_hosts(std::uint64_t address) const {
  return HostMemory::is_visible(blocks_[installed(address)]);
}

}  // namespace harness::devices
