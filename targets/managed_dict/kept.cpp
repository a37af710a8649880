// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/kept.h"

namespace targets::managed_dict {

bool keeps_block(Memory& memory, const Block& block) {
  harness::Ledger& ledger = memory.ledger();
  if (!block.alive || !ledger.keeps(block.id)) return false;
  if (ledger.alive(block.id)) ledger.died(block.id);
  return true;
}

bool keeps_object(Memory& memory, Address object, Address begin) {
  const Block* block = memory.blocks().slot_near(begin);
  if (block == nullptr || !keeps_block(memory, *block)) return false;
  memory.store<std::uint64_t>(object + kRefcountOffset, 1);
  return true;
}

}  // namespace targets::managed_dict
