// SPDX-License-Identifier: Apache-2.0
// The driver's side of the interface in device/driver.h.
#pragma once

#include "harness/device_code/ptx/device/driver.h"

namespace harness::ptx {

/// Returns the functions that modules call: those of the simulated device's kernels.
::ptx::Driver driver_table();

}  // namespace harness::ptx
