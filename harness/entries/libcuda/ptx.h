// SPDX-License-Identifier: Apache-2.0
// PTX: modules that come as text, by itself or in a fatbin.
#pragma once

#include <string>

#include "harness/devices/sim/objects.h"

namespace harness::entries {

/// Translates an image that is PTX, or has some in it. For any other, and where that fails, it says
/// why in a line on stderr.
devices::ImageFound load_ptx(const void* image);
/// The same of the bytes of a file.
devices::ImageFound load_ptx(const std::string& file);

/// Returns the text of a fatbin in memory that is for the simulated device, "" where there is none.
std::string text_of_fatbin(const void* image);

}  // namespace harness::entries
