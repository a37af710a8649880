// SPDX-License-Identifier: Apache-2.0
// Image file: an image that was read from a file, so that its size is known.
#pragma once

#include <string>

#include "harness/devices/sim/objects.h"

namespace harness::devices {

/// Finds the kernels in the bytes of a file. If it is null, the bytes are treated like any image in
/// memory.
using ImageFileLookup = ImageFound (*)(const std::string& image);
void set_image_file_lookup(ImageFileLookup lookup);

namespace calls {

/// Finds the kernels in the bytes of a file.
ImageFound find_image(const std::string& file);

}  // namespace calls
}  // namespace harness::devices
