// SPDX-License-Identifier: Apache-2.0
#include "harness/core/heap/interpreter.h"

namespace harness {

// In CPython's order: pending calls, the collector, the GIL.
void Interpreter::between_steps() {
  if (pending_count_ > 0 && !pending_running_ && scheduler_.current() == main_) run_pending_calls();
  heap_.eval_breaker();
  heap_.check_attached("GIL");
  if (attached()) gil_.checkpoint();
}

bool Interpreter::add_pending_call(void (*call)(void*), void* argument) {
  scheduler_.turn({pending_resource_, AccessKind::write});
  if (pending_count_ == kPendingLimit) return false;
  edge_release(&pending_);
  pending_[(pending_first_ + pending_count_++) % kPendingLimit] = {call, argument};
  return true;
}

// Only runs the calls that are queued now; calls that they add wait for the next step.
void Interpreter::run_pending_calls() {
  edge_acquire(&pending_);
  pending_running_ = true;
  const SiteScope site(scheduler_, "pending call");
  for (std::size_t left = pending_count_; left > 0; --left) {
    const PendingCall next = pending_[pending_first_];
    pending_first_ = (pending_first_ + 1) % kPendingLimit;
    --pending_count_;
    next.call(next.argument);
  }
  pending_running_ = false;
}

}  // namespace harness
