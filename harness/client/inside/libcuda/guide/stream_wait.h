// SPDX-License-Identifier: Apache-2.0
// Stream wait: makes the host wait for a stream, as a repair of the program.
#pragma once

#include "harness/core/world.h"

namespace harness::entries {

/// Waits for all work of the stream with this name; for all work of the context if there is no such
/// stream. The calling thread has the driver.
void wait_for_stream(World& world, Name stream);

}  // namespace harness::entries
