// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/called.h"

#include "harness/client/inside/libcuda/native_place.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {

/// This thread is in a host function that the driver calls.
static thread_local bool is_called = false;

bool Called::letting_go(World& world) {
  auto& device = static_cast<devices::SimDevice&>(*world.device);
  if (is_called || ProcessWorld::calling_thread() == ProcessWorld::kOwnThread ||
      device.threads().caller().callback != devices::Callback::host_function)
    return false;
  is_called = true;
  mark_.begin_function();
  if (!orders_.locates) return false;
  const devices::HostFunctions::Called& called = device.host_functions().last_called();
  askers_.index();
  client::Party party{.site = client::kHostFunction, .place = parties_.place_of(called.activation)};
  add_kernel_frame(party.place, called.code + 1, party.site);
  report_.called = {std::move(party)};
  return true;
}

void Called::taken() {
  if (!is_called) return;
  is_called = false;
  mark_.end_function();
  report_.called.clear();
}

}  // namespace harness::entries
