// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/pedantic.h"

#include <array>

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::entries {
namespace {

/// A class of pedantic faults. The simulated driver marks them by a separate kind of object, which
/// it determines from their calls, streams and memory.
struct PedanticClass {
  FaultKind kind;
  Label object_kind;
  std::string_view reason;
};

constexpr std::array kClasses{
    PedanticClass{
        FaultKind::data_race, devices::kStagedCopy,
        "a copy from pageable memory may return before it is done, and nothing orders this after "
        "it; drivers of today have it done"},
    PedanticClass{FaultKind::wild_access, devices::kTaggedPointer,
                  "the kernel clears a parameter of a tag, and what is left leads to memory that "
                  "lives; a GPU goes on"},
    PedanticClass{FaultKind::wild_access, devices::kHostsPointer,
                  "the pointer was stored by the host since the launch, and leads to memory that "
                  "lives; a GPU goes on"}};

}  // namespace

void let_driver_be_late(World& world, bool as_documented) {
  auto& device = static_cast<devices::SimDevice&>(*world.device);
  device.data_races().staging().have_them_done(!as_documented);
  device.processes().leeway().give(as_documented);
}

std::string_view pedantic_reason(const Fault& fault) {
  for (const PedanticClass& one : kClasses)
    if (fault.kind == one.kind && fault.object_kind == one.object_kind) return one.reason;
  return {};
}

}  // namespace harness::entries
