// The entry point for kernels whose body is a function of the program's. It is ours, so that
// cuda.def has no row of it.
#pragma once

#include "harness/cuda.h"
#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

CUresult launch_host_work(SimDevice& sim, CUstream on, const HostWorkLaunch& given);

}  // namespace harness::devices::calls
