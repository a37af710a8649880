// SPDX-License-Identifier: Apache-2.0
// Stream wait: makes the host wait for a stream, as a repair of the program.
#pragma once

#include "harness/world.h"

namespace harness::entries {

/// Waits, on the calling thread, which has the driver, for all work of the stream of this name; for
/// all work of the context if no stream of the program has the name.
void wait_for_stream(World& world, Name stream);

}  // namespace harness::entries
