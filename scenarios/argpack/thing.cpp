// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/thing.h"

namespace scenarios::argpack {

void Thing::assign(std::int64_t value) {
  values.push_back(value);
  on_the_way |= std::uint64_t{1} << (values.size() - 1) % 64;
}

// Assignments may overtake each other before they reach device memory.
void Thing::write(std::int64_t value) {
  const auto newest = std::find(values.rbegin(), values.rend(), value);
  if (newest == values.rend()) return;
  on_device = static_cast<std::size_t>(values.rend() - newest) - 1;
  on_the_way &= ~(std::uint64_t{1} << on_device % 64);
}

void Thing::make_uncertain(Thing* thing) {
  if (thing == nullptr || std::exchange(thing->uncertain, true)) return;
  for (Thing* member : thing->members) make_uncertain(member);
}

}  // namespace scenarios::argpack
