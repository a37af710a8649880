// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/scopes.h"

namespace harness {

ActivationScope::ActivationScope(Scheduler& scheduler, std::uint32_t task, std::uint32_t slot)
    : picker_(scheduler.picker()),
      activation_{slot_name(task, slot), {}, {}},
      previous_(picker_.enter(activation_)) {}

ActivationScope::ActivationScope(Scheduler& scheduler, Name parent, Label kind, std::uint32_t nth)
    : picker_(scheduler.picker()),
      activation_{derive_name(parent, kind.hash(), nth), {}, {}},
      previous_(picker_.enter(activation_)) {
  scheduler.history().add(ActivationRecord{activation_.name, parent, kind, nth});
}

}  // namespace harness
