// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/registrations.h"

namespace harness::devices {

std::uint32_t Registrations::find(std::uint64_t address) const {
  const auto it = first_beyond(address);
  return it != ranges_.end() && it->second.low <= address ? it->second.block : 0;
}

/// Removes [low, high) from all registrations.
void Registrations::cut(std::uint64_t low, std::uint64_t high) {
  auto it = ranges_.upper_bound(low);
  while (it != ranges_.end() && it->second.low < high) {
    const auto [end, range] = *it;
    it = ranges_.erase(it);
    if (range.low < low) ranges_[low] = range;
    if (end > high) ranges_[end] = {high, range.block};
  }
}

void Registrations::add(std::uint64_t low, std::uint64_t high, std::uint32_t block) {
  cut(low, high);
  ranges_[high] = {low, block};
}

}  // namespace harness::devices
