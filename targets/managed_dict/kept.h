// SPDX-License-Identifier: Apache-2.0
// Kept: blocks and objects that an intervention of the run keeps beyond their end
// (harness/core/intervention/intervention.h). For the ledger they are dead. They do not change, and
// their storage is not reused. A run without an intervention keeps nothing.
#pragma once

#include "targets/managed_dict/memory.h"

namespace targets::managed_dict {

/// Returns whether the intervention keeps a block that is about to be freed.
bool keeps_block(Memory& memory, const Block& block);

/// The same for an object whose last reference was dropped, in the block that begins at `begin`.
/// The intervention then holds a reference.
bool keeps_object(Memory& memory, Address object, Address begin);

}  // namespace targets::managed_dict
