#include "targets/managed_dict/ghost.h"

#include <algorithm>

namespace targets::managed_dict {

const Stored* GhostInstance::find(Attribute attribute) const {
  for (std::uint32_t i = 0; i < stored_count; ++i)
    if (stored[i].attribute == attribute) return &stored[i];
  return nullptr;
}

void GhostInstance::set(const Stored& value) {
  for (std::uint32_t i = 0; i < stored_count; ++i)
    if (stored[i].attribute == value.attribute) {
      stored[i] = value;
      return;
    }
  stored[stored_count++] = value;
}

void GhostInstance::erase(Attribute attribute) {
  for (std::uint32_t i = 0; i < stored_count; ++i)
    if (stored[i].attribute == attribute) {
      stored[i] = stored[--stored_count];
      return;
    }
}

GhostInstance& Ghost::born(harness::BirthId id, Address object) {
  GhostInstance* instance = nullptr;
  if (free_.empty()) {
    std::pmr::polymorphic_allocator<> arena;
    instance = arena.allocate_object<GhostInstance>();
  } else {
    instance = free_.back();
    free_.pop_back();
  }
  instance->id = id;
  instance->object = object;
  instance->values = 0;
  instance->values_id = harness::BirthId::none;
  instance->dict = 0;
  instance->judged = false;
  instance->stored_count = 0;
  live_.push_back(instance);
  return *instance;
}

void Ghost::died(Address object) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const GhostInstance* instance) {
    return instance->object == object;
  });
  if (found == live_.end()) return;
  free_.push_back(*found);
  live_.erase(found);
}

GhostInstance* Ghost::find(Address object) {
  for (GhostInstance* instance : live_)
    if (instance->object == object) return instance;
  return nullptr;
}

}  // namespace targets::managed_dict
