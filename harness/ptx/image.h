// SPDX-License-Identifier: Apache-2.0
// Image: a module in PTX as the simulated device takes it: the kernels of a shared object, with
// what the text says of them.
#pragma once

#include <string>

#include "harness/kernel_image.h"
#include "harness/ptx/compiler.h"

namespace harness::ptx {

enum class Form : unsigned char {
  ptx,     ///< A text that says its version of PTX.
  text,    ///< Another one.
  binary,  ///< Not printable up to its .version, or its first zero.
};

/// Returns the form of an image.
Form form_of(const void* image);

/// Makes the kernels of a text. Each call makes their own variables. Lifetime: until the process
/// ends, for work in flight and names in reports outlive modules. Errors: Refused.
const KernelImage* load(const std::string& text);

/// Returns the C++ that a text is compiled as. Errors: Refused.
std::string source_of(const std::string& text);

}  // namespace harness::ptx
