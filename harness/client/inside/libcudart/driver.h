// SPDX-License-Identifier: Apache-2.0
// Driver: the functions of libcuda.so.1 that the runtime calls.
//
// They are looked up at run time, because a program that links the runtime statically need not link
// the driver.
#pragma once

#include <cuda.h>

#include "harness/driver/cuda/outer_call.h"

namespace harness::cudart {

/// One member for each row of cuda.def, by its versioned name, and functions outside of the table.
struct Driver {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult(*name) parameters = nullptr;
#include "harness/driver/cuda/cuda.def"
  decltype(&::cuGetProcAddress_v2) cuGetProcAddress_v2 = nullptr;
  decltype(&::cuLinkCreate_v2) cuLinkCreate_v2 = nullptr;
  decltype(&::cuLinkAddData_v2) cuLinkAddData_v2 = nullptr;
  decltype(&::cuLinkComplete) cuLinkComplete = nullptr;
  decltype(&::cuLinkDestroy) cuLinkDestroy = nullptr;
  /// Null if the driver is not ours.
  OuterCall* (*outer_call)() = nullptr;
};

/// Lifetime: that of the process. Its functions may be called after open_driver() has returned
/// true.
extern Driver driver;

/// Returns whether a driver with all these functions is available. Threads: any.
bool open_driver();

}  // namespace harness::cudart
