// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/regions/regions.h"

#include <algorithm>

namespace harness::devices {

void Regions::begin() {
  regions_.clear();
  heaps_.clear();
  ranges_.begin();
  change_count_ = 0;
  seen_ = kNow;
}

std::uint32_t Regions::add_heap(Label kind) {
  heaps_.push_back(kind);
  return heap_count();
}

std::uint32_t Regions::add(std::uint64_t base, std::uint64_t bytes, std::uint32_t heap,
                           BirthId birth) {
  Region& region = regions_.emplace_back();
  region.base = base;
  region.bytes = bytes;
  region.birth = birth;
  region.heap = heap;
  region.previous = ranges_.find(base);
  region.begun = ++change_count_;
  ranges_.add(base, base + bytes, count());
  return count();
}

void Regions::resize(std::uint32_t number, std::uint64_t bytes) {
  Region& region = at(number);
  region.bytes = bytes;
  ranges_.add(region.base, region.base + bytes, number);
}

std::uint32_t Regions::find(std::uint64_t address, std::uint64_t seen) const {
  for (std::uint32_t number = ranges_.find(address); number != 0;
       number = regions_[number - 1].previous) {
    const Region& region = regions_[number - 1];
    const bool is_gone = region.is_forgotten && region.ended <= seen;
    if (!is_gone && region.begun <= seen && region.holds(address)) return number;
  }
  return 0;
}

AddressRange Regions::gap(std::uint64_t address, AddressRange within) const {
  ranges_.visit(within.low, within.high, [&](std::uint32_t number) {
    const Region& region = regions_[number - 1];
    if (region.is_forgotten) return false;
    if (region.base > address) within.high = std::min(within.high, region.base);
    if (region.base + region.bytes <= address)
      within.low = std::max(within.low, region.base + region.bytes);
    return false;
  });
  return within;
}

std::string_view Regions::name_of(BirthId birth) const {
  const auto found =
      std::ranges::find_if(regions_, [&](const Region& one) { return one.birth == birth; });
  return found != regions_.end() ? std::string_view(found->name) : std::string_view();
}

}  // namespace harness::devices
