// SPDX-License-Identifier: Apache-2.0
// Phase shown: the current phase of a night as the name of its process, which ps and top show.
#pragma once

#include "harness/nightly/shard/phase.h"

namespace harness::entries {

/// Sets the process name, such as "night: merge".
void show_phase(nightly::Phase phase);

}  // namespace harness::entries
