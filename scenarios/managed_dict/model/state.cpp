// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/model/state.h"

namespace scenarios::managed_dict {

using targets::managed_dict::object_in;

void Instances::add(const targets::managed_dict::Birth& birth) {
  Instance* storage = nullptr;
  if (free_.empty()) {
    storage = std::pmr::polymorphic_allocator<>().allocate_object<Instance>();
  } else {
    storage = free_.back();
    free_.pop_back();
  }
  live_.push_back(std::construct_at(storage, birth));
}

void Instances::remove(Address object) {
  const auto found = std::ranges::find(live_, object, &Instance::object);
  if (found == live_.end()) return;
  free_.push_back(*found);
  live_.erase(found);
}

References::Count& References::in(const HeapView& heap, const Block& block) {
  return block.id != harness::BirthId::none ? of_life(block.id)
                                            : statics_[heap.static_index(block)];
}

// Most objects begin where their block does, in its own slot; others need a search.
void References::add(const HeapView& heap, Address object, std::int32_t by) {
  const Block* block = heap.slot_near(object);
  if (block == nullptr || !block->alive || block->begin != object || object != object_in(*block))
    block = heap.find(object);
  if (block != nullptr && object == object_in(*block)) in(heap, *block).taken += by;
}

}  // namespace scenarios::managed_dict
