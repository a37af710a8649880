// PTX: modules that come as text.
#pragma once

#include "harness/devices/sim/objects.h"

namespace harness::entries {

/// Translates an image that is PTX. For any other, and where that fails, it says why in a line on
/// stderr.
devices::ImageFound load_ptx(const void* image);

}  // namespace harness::entries
