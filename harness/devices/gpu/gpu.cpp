// SPDX-License-Identifier: Apache-2.0
// The table of functions of the pass-through, and its entry in the list of devices.
#include "harness/devices/gpu/calls.h"

namespace harness::devices {

namespace {

CUresult admit(CallNeeds) {
  Callbacks::of_process().serve();
  return GpuDevice::current().switch_context();
}

DriverTable make_table() {
  DriverTable table{
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  gpu_calls::pass<&DriverTable::name>,
#include "harness/driver/cuda/cuda.def"
      admit,
      nullptr,
      nullptr,
  };
  gpu_calls::add_own_functions(table);
  return table;
}

}  // namespace

const DriverTable& GpuDevice::table() const {
  static const DriverTable table = make_table();
  return table;
}

extern const DeviceInfo gpu;
const DeviceInfo gpu{"gpu", "the real driver, watched; needs a GPU",
                     []() -> Device* { return new GpuDevice; }};

}  // namespace harness::devices
