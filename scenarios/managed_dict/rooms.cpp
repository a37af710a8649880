#include "scenarios/managed_dict/rooms.h"

#include <algorithm>
#include <utility>

namespace scenarios::managed_dict {

void Rooms::made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) {
  const std::uint32_t before = std::exchange(rooms_[type], room);
  if (judges_ && before != 0 && room >= before && room > named + 1)
    scene_.expect("room", room, before - 1);
}

bool Rooms::is_little() const {
  return std::any_of(rooms_.begin(), rooms_.end(),
                     [](std::uint32_t room) { return room != 0 && room < kAttributesDrawn; });
}

}  // namespace scenarios::managed_dict
