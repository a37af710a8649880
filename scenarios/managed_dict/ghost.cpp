#include "scenarios/managed_dict/ghost.h"

#include <algorithm>

#include "scenarios/managed_dict/windows.h"

namespace scenarios::managed_dict {

using targets::managed_dict::Assignment;
using targets::managed_dict::Birth;
using targets::managed_dict::Version;

// ---- one instance -------------------------------------------------------------------------------

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

// ---- all of them --------------------------------------------------------------------------------

GhostInstance* Ghost::find(Address object) {
  for (GhostInstance* instance : live_)
    if (instance->object == object) return instance;
  return nullptr;
}

GhostInstance& Ghost::fresh() {
  if (free_.empty()) {
    std::pmr::polymorphic_allocator<> arena;
    return *arena.allocate_object<GhostInstance>();
  }
  GhostInstance& instance = *free_.back();
  free_.pop_back();
  return instance;
}

void Ghost::instance_born(const Birth& birth) {
  GhostInstance& instance = fresh();
  instance.id = birth.instance;
  instance.object = birth.object;
  instance.values = instance.given = birth.values;
  instance.values_id = birth.chunk;
  instance.dict = 0;
  instance.judged = false;
  instance.stored_count = 0;
  live_.push_back(&instance);
}

// From 3.13 on the values stay the instance's as well.
void Ghost::dict_published(Address object, Address dict) {
  sight_.reach(Window::dict_published);
  GhostInstance* instance = find(object);
  if (instance == nullptr) return;
  instance->dict = dict;
  if (sight_.version != Version::cpython313) instance->values = 0;
}

void Ghost::dict_replaced(Address object, Address dict) {
  if (GhostInstance* instance = find(object)) instance->dict = dict;
}

void Ghost::instance_emptied(Address object) {
  if (GhostInstance* instance = find(object)) instance->values = instance->dict = 0;
}

void Ghost::instance_died(Address object) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const GhostInstance* instance) {
    return instance->object == object;
  });
  if (found == live_.end()) return;
  free_.push_back(*found);
  live_.erase(found);
}

// ---- attributes ---------------------------------------------------------------------------------

void Ghost::attribute_set(const Assignment& assignment) {
  if (GhostInstance* instance = find(assignment.object))
    instance->set({assignment.attribute, assignment.value, assignment.number});
}

void Ghost::attribute_erased(Address object, Attribute attribute) {
  if (GhostInstance* instance = find(object)) instance->erase(attribute);
}

void Ghost::attributes_cleared(Address object) {
  if (GhostInstance* instance = find(object)) instance->stored_count = 0;
}

}  // namespace scenarios::managed_dict
