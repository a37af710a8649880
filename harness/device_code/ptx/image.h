// SPDX-License-Identifier: Apache-2.0
// Image: a PTX module in the form that the simulated device loads: the kernels of a shared object,
// with their properties from the text.
#pragma once

#include <string>

#include "harness/device_code/kernel_image.h"
#include "harness/device_code/ptx/compiler.h"

namespace harness::ptx {

enum class Form : unsigned char {
  ptx,     ///< A text with a PTX version.
  text,    ///< Another text.
  binary,  ///< Contains unprintable bytes before its .version or its first zero.
};

/// Returns the form of an image.
Form form_of(const void* image);

/// Makes the kernels of a text. Each call makes separate variables. Lifetime: until the process
/// ends, because queued work and names in reports outlive modules. Errors: Refused.
const KernelImage* load(const std::string& text);

/// Returns the C++ translation of a text. Errors: Refused.
std::string source_of(const std::string& text);

}  // namespace harness::ptx
