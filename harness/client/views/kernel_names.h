// SPDX-License-Identifier: Apache-2.0
// Kernel names: demangles names of kernels for views. Records and signatures keep the names in
// modules.
#pragma once

#include <string>
#include <string_view>

namespace harness::reports {

/// Returns printable text in which each mangled name is replaced by the function's name, without
/// its return type and parameters: "reduce<float, 256>" for _Z6reduceIfLi256EEvPT_. Long names, and
/// names with extremely many back references, are shown without template arguments.
std::string with_plain_names(std::string_view text);

}  // namespace harness::reports
