// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/value_capacity.h"

#include <algorithm>
#include <utility>

namespace scenarios::managed_dict {

void ValueCapacity::made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) {
  const std::uint32_t before = std::exchange(capacity_[type], room);
  if (judges_ && before != 0 && room >= before && room > named + 1)
    scene_.expect("room", room, before - 1);
}

bool ValueCapacity::is_little() const {
  return std::any_of(capacity_.begin(), capacity_.end(),
                     [](std::uint32_t room) { return room != 0 && room < kAttributesDrawn; });
}

}  // namespace scenarios::managed_dict
