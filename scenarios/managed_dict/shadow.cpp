// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/shadow.h"

#include <algorithm>

#include "scenarios/managed_dict/windows.h"

namespace scenarios::managed_dict {

using targets::managed_dict::Assignment;
using targets::managed_dict::Birth;
using targets::managed_dict::Version;

// ---- one instance -------------------------------------------------------------------------------

const Stored* ShadowInstance::find(Attribute attribute) const {
  for (std::uint32_t i = 0; i < stored_count; ++i)
    if (stored[i].attribute == attribute) return &stored[i];
  return nullptr;
}

void ShadowInstance::set(const Stored& value) {
  for (std::uint32_t i = 0; i < stored_count; ++i)
    if (stored[i].attribute == value.attribute) {
      stored[i] = value;
      return;
    }
  stored[stored_count++] = value;
}

void ShadowInstance::erase(Attribute attribute) {
  for (std::uint32_t i = 0; i < stored_count; ++i)
    if (stored[i].attribute == attribute) {
      stored[i] = stored[--stored_count];
      return;
    }
}

// ---- all of them --------------------------------------------------------------------------------

ShadowInstance* Shadow::find(Address object) {
  for (ShadowInstance* instance : live_)
    if (instance->object == object) return instance;
  return nullptr;
}

ShadowInstance& Shadow::fresh() {
  if (free_.empty()) {
    std::pmr::polymorphic_allocator<> arena;
    return *arena.allocate_object<ShadowInstance>();
  }
  ShadowInstance& instance = *free_.back();
  free_.pop_back();
  return instance;
}

void Shadow::instance_born(const Birth& birth) {
  ShadowInstance& instance = fresh();
  instance.id = birth.instance;
  instance.object = birth.object;
  instance.values = instance.given = birth.values;
  instance.values_id = birth.chunk;
  instance.dict = 0;
  instance.judged = false;
  instance.stored_count = 0;
  live_.push_back(&instance);
}

// From 3.13 on the instance keeps the values, too.
void Shadow::dict_published(Address object, Address dict) {
  context_.reach(Window::dict_published);
  ShadowInstance* instance = find(object);
  if (instance == nullptr) return;
  instance->dict = dict;
  if (context_.version != Version::cpython313) instance->values = 0;
}

void Shadow::dict_replaced(Address object, Address dict) {
  if (ShadowInstance* instance = find(object)) instance->dict = dict;
}

void Shadow::instance_emptied(Address object) {
  if (ShadowInstance* instance = find(object)) instance->values = instance->dict = 0;
}

void Shadow::instance_died(Address object) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const ShadowInstance* instance) {
    return instance->object == object;
  });
  if (found == live_.end()) return;
  free_.push_back(*found);
  live_.erase(found);
}

// ---- attributes ---------------------------------------------------------------------------------

void Shadow::attribute_set(const Assignment& assignment) {
  if (ShadowInstance* instance = find(assignment.object))
    instance->set({assignment.attribute, assignment.value, assignment.number});
}

void Shadow::attribute_erased(Address object, Attribute attribute) {
  if (ShadowInstance* instance = find(object)) instance->erase(attribute);
}

void Shadow::attributes_cleared(Address object) {
  if (ShadowInstance* instance = find(object)) instance->stored_count = 0;
}

}  // namespace scenarios::managed_dict
