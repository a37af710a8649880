// SPDX-License-Identifier: Apache-2.0
// Image file: an image that was read from a file, and so has a size.
#pragma once

#include <string>

#include "harness/devices/sim/objects.h"

namespace harness::devices {

/// Finds the kernels that the bytes of a file stand for. Null unless set: then they are an image as
/// any other.
using ImageFileLookup = ImageFound (*)(const std::string& image);
void set_image_file_lookup(ImageFileLookup lookup);

namespace calls {

/// Finds the kernels that the bytes of a file stand for.
ImageFound find_image(const std::string& file);

}  // namespace calls
}  // namespace harness::devices
