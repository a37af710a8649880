// SPDX-License-Identifier: Apache-2.0
// Special register: one that the machine fills (%tid, ...), as an expression of C++.
#pragma once

#include <string>

namespace harness::ptx {

/// Returns its value in a thread `t` of device/driver.h; "" where there is no such register.
std::string special_register(const std::string& name);

}  // namespace harness::ptx
