// SPDX-License-Identifier: Apache-2.0
#include "harness/core/host.h"

#include <array>

namespace harness {

// Offers fresh storage first, then the most recently freed storage of the kind. Each option is
// named after the last object in it, so that the choice does not depend on other objects.
void* Host::take_dead(Label kind) {
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<std::size_t, kOfferLimit + 1> places{};
  std::uint32_t count = 1;
  for (std::size_t i = dead_.size(); i-- > 0 && count <= kOfferLimit;) {
    if (!(dead_[i].kind == kind)) continue;
    names[count] = static_cast<std::uint32_t>(ledger_.life(dead_[i].last).name) | 1;
    places[count++] = i;
  }
  const std::uint32_t choice =
      ledger_.scheduler().picker().pick_value(Site::reuse, {names.data(), count});
  if (choice == 0) return nullptr;
  void* slot = dead_[places[choice]].slot;
  dead_.erase(dead_.begin() + static_cast<std::ptrdiff_t>(places[choice]));
  return slot;
}

}  // namespace harness
