// SPDX-License-Identifier: Apache-2.0
// Phase shown: what a night is doing, as the name of its process, which ps and top show.
#pragma once

#include "harness/nightly/shard/phase.h"

namespace harness::entries {

/// Names the process "night: merge", or likewise.
void show_phase(nightly::Phase phase);

}  // namespace harness::entries
