#include "scenarios/managed_dict/sight.h"

namespace scenarios::managed_dict {

harness::Fault Sight::fault_here(harness::FaultKind kind, harness::Label what,
                                 std::string detail) const {
  harness::Scheduler& scheduler = scene.world().scheduler;
  harness::Fault fault;
  fault.kind = kind;
  fault.object_kind = what;
  fault.use_site = scheduler.site();
  fault.activation = scheduler.picker().current().name;
  fault.tick = scheduler.now();
  fault.detail = std::move(detail);
  return fault;
}

}  // namespace scenarios::managed_dict
