// SPDX-License-Identifier: Apache-2.0
// PTX: modules that are PTX text, or contain it in a fatbin.
#pragma once

#include <string>

#include "harness/devices/sim/objects.h"

namespace harness::entries {

/// Translates an image that is or contains PTX. For other images, and if the translation fails,
/// prints the reason on stderr.
devices::ImageFound load_ptx(const void* image);
/// The same for the content of a file.
devices::ImageFound load_ptx(const std::string& file);

/// Returns the PTX of a fatbin in memory that fits the simulated device, or "".
std::string text_of_fatbin(const void* image);

}  // namespace harness::entries
