// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/references.h"

namespace scenarios::managed_dict {

using targets::managed_dict::object_in;

References::Count& References::in(const Block& block) {
  return block.id != harness::BirthId::none ? of_life(block.id)
                                            : statics_[context_.heap->static_index(block)];
}

// Most objects begin where their block does, in its own slot; others need a search.
void References::add(Address object, std::int32_t by) {
  const Block* block = context_.heap->slot_near(object);
  if (block == nullptr || !block->alive || block->begin != object || object != object_in(*block))
    block = context_.heap->find(object);
  if (block != nullptr && object == object_in(*block)) in(*block).taken += by;
}

}  // namespace scenarios::managed_dict
