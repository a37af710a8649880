// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/host_work.h"

#include "harness/devices/sim/sim_device.h"
#include "harness/devices/sim/streams/work_steps.h"

namespace harness::devices {

/// Calls `act` for each row, with the work's target set to the row.
template <class Act>
static bool all_rows(Work& work, const HostWorkRange& range, Act act) {
  work.bytes = range.bytes;
  work.target = {range.address, range.birth};
  for (std::uint64_t row = 0; row < range.rows; ++row, work.target.address += range.pitch)
    if (!act()) return false;
  return true;
}

/// Checks all ranges before the first one is used, since the function uses all of them or none.
void WorkSteps::host_work(Work& work) {
  const SiteScope site(sim_.scheduler(), work.label);
  const HostWork& host = work.host_work;
  for (const HostWorkRange& range : host.ranges)
    if (!all_rows(work, range, [&] { return met(work, work.target); })) return;
  for (const HostWorkRange& range : host.ranges) {
    if ((range.use & AFTERLIFE_MAY) != 0) continue;
    const bool writes = (range.use & AFTERLIFE_WRITES) != 0;
    all_rows(work, range, [&] {
      used(work, work.target, writes ? AccessMode::write : AccessMode::read);
      return true;
    });
  }
  const CallbackScope scope(sim_.threads(), Callback::host_function);
  const int status = host.function(host.data);
  if (status != CUDA_SUCCESS) sim_.faults().die(static_cast<CUresult>(status));
}

void WorkSteps::release(Work& work) {
  HostWork& host = work.host_work;
  if (host.release == nullptr) return;
  const CallbackScope scope(sim_.threads(), Callback::destructor);
  host.release(host.data);
  host.clear();
}

}  // namespace harness::devices
