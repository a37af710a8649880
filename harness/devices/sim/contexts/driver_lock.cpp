// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/contexts/driver_lock.h"

namespace harness::devices {

void DriverLock::wait(Scheduler& scheduler) {
  const TaskId me = scheduler.current();
  if (me == TaskId::none || owner_ == TaskId::none || owner_ == me) return;
  scheduler.wait_until(
      {resource_, AccessKind::acquire}, label_, [this] { return owner_ == TaskId::none; }, &owner_);
}

// A nested Hold does nothing: the outer one releases the lock. A wait in here is not noted as
// LockWatch::wanted(), since the driver always takes its own locks in one order.
DriverLock::Hold::Hold(DriverLock& lock, Scheduler& scheduler, bool held)
    : lock_(lock),
      scheduler_(scheduler),
      held_(held && scheduler.in_task() && lock.owner_ != scheduler.current()) {
  if (!held_) return;
  lock_.wait(scheduler_);
  lock_.owner_ = scheduler_.current();
  LockWatch::taken(scheduler_, {lock_.resource_, lock_.label_});
}

DriverLock::Hold::~Hold() {
  if (!held_) return;
  lock_.owner_ = TaskId::none;
  LockWatch::given(scheduler_, lock_.resource_);
  scheduler_.touch(lock_.resource_);
}

}  // namespace harness::devices
