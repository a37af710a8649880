// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/deferred.h"

namespace targets::graph_argument {

// The queue has its own lock, on which no task blocks.

void DeferredCleanup::push(Owners& owners) {
  {
    const harness::EdgePassage lock(this);
    owners_.push_back(&owners);
  }
  if (!abandoned_ && !scheduled_) schedule();
}

void DeferredCleanup::push(Garbage garbage) {
  {
    const harness::EdgePassage lock(this);
    garbage_.push_back(std::move(garbage));
  }
  if (!abandoned_ && !scheduled_) schedule();
}

// Sets the flag first: add_pending_call() has a preemption point, and two tasks might call it.
void DeferredCleanup::schedule() {
  scheduled_ = true;
  const bool accepted = core_.interpreter.add_pending_call(
      [](void* self) { static_cast<DeferredCleanup*>(self)->drain(); }, this);
  if (accepted) return;
  scheduled_ = false;
  core_.facts.tell(&Observer::pending_call_refused);
}

// A release may defer more releases. These wait for the next pending call.
void DeferredCleanup::drain() {
  std::pmr::vector<Owners*> owners;
  std::pmr::vector<Garbage> garbage;
  {
    const harness::EdgePassage lock(this);
    scheduled_ = false;
    std::swap(owners, owners_);
    std::swap(garbage, garbage_);
  }
  for (Owners* owner : owners) *owner = {};
  for (const Garbage& item : garbage) core_.policy->release(item);
  core_.facts.tell(&Observer::cleaned_up);
}

}  // namespace targets::graph_argument
