// SPDX-License-Identifier: Apache-2.0
// Special register: a register set by the machine (%tid, ...), as a C++ expression.
#pragma once

#include <string>

namespace harness::ptx {

/// Returns its value in a thread `t` of device/driver.h; "" if there is no such register.
std::string special_register(const std::string& name);

}  // namespace harness::ptx
