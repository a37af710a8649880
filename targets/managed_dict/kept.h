// SPDX-License-Identifier: Apache-2.0
// Kept: the blocks and objects that a repair of the run keeps beyond their end
// (harness/intervention.h). To the ledger they have died. They do not change, and their storage is
// not reused. In a run without a repair nothing is kept.
#pragma once

#include "targets/managed_dict/memory.h"

namespace targets::managed_dict {

/// Returns whether a block that would be freed now is kept.
bool keeps_block(Memory& memory, const Block& block);

/// The same for an object whose last reference went, in the block that begins at `begin`: the
/// repair holds one more.
bool keeps_object(Memory& memory, Address object, Address begin);

}  // namespace targets::managed_dict
