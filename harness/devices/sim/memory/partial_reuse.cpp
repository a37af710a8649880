// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/partial_reuse.h"
#include "harness/devices/sim/memory/parts.h"

#include <algorithm>
#include <array>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

static constexpr std::size_t kOfferLimit = 4;
static constexpr Label kKind = "partial reuse";

/// The storage that is wanted, and the places that were found for it.
struct PartialReuse::Places {
  std::span<const std::uint32_t> usable;
  std::uint64_t bytes;  ///< The size of the storage.
  std::uint64_t alignment;
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<std::uint64_t, kOfferLimit + 1> bases{0};
  std::uint32_t count = 1;

  bool full() const { return count > kOfferLimit; }
  bool may_use(std::uint32_t index) const {
    return std::ranges::find(usable, index) != usable.end();
  }
};

std::uint64_t PartialReuse::pick(std::span<const std::uint32_t> usable, std::uint64_t bytes) {
  Places places{usable, storage_bytes(bytes), alignment_of(bytes)};
  for (const std::uint32_t index : usable)
    if (!places.full()) add_places(places, index);
  if (places.count == 1) return 0;
  return places.bases[ask(places)];
}

/// Adds places in the block: at its beginning (unless the choice of whole blocks offers that),
/// shortly after the beginning, and in the middle.
void PartialReuse::add_places(Places& places, std::uint32_t index) const {
  Memory& memory = sim_.memory();
  const Block& block = sim_.memory().block(index);
  const std::uint64_t block_bytes = block.granules * Memory::kGranule;
  const std::uint64_t first = own_storage(memory, index);
  const bool is_offered_whole = first == block.base && !block.is_cut && places.bytes <= block_bytes;
  std::uint64_t last = is_offered_whole ? first : 0;
  for (const std::uint64_t wanted : {first, first + 1, block.base + block_bytes / 2}) {
    const std::uint64_t base =
        (wanted + places.alignment - 1) / places.alignment * places.alignment;
    if (base <= last || base >= block.base + block_bytes || places.full()) continue;
    last = base;
    if (memory.newest(base) != index ||
        !visit_parts(memory, base, base + places.bytes,
                     [&](std::uint32_t part) { return places.may_use(part); }))
      continue;
    const auto offset = static_cast<std::uint64_t>(base - block.base);
    places.names[places.count] =
        static_cast<std::uint32_t>(mix(sim_.ledger().life(block.birth).name, offset)) | 1;
    places.bases[places.count++] = base;
  }
}

std::uint32_t PartialReuse::ask(const Places& places) {
  Picker& picker = sim_.world().picker;
  const Name allocating = picker.current().name;
  const Name name = derive_name(allocating, kKind.hash(), 0);
  Activation& asking = askings_.try_emplace(allocating, Activation{name, {}, {}}).first->second;
  Activation* const caller = picker.enter(asking);
  const std::uint32_t choice = picker.pick_value(Site::reuse, {places.names.data(), places.count});
  picker.leave_to(caller);
  if (choice != 0) sim_.world().history.add(ActivationRecord{name, allocating, kKind, 0});
  return choice;
}

}  // namespace harness::devices
