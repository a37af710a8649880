// Stream wait: has the host wait for a stream of the program where the program does not.
#pragma once

#include "harness/world.h"

namespace harness::entries {

/// Waits, on the calling thread, which has the driver, for all work of the stream of this name; for
/// all work of the context where the name is not a stream's that the program made.
void wait_for_stream(World& world, Name stream);

}  // namespace harness::entries
