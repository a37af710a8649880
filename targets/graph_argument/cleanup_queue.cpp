// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/cleanup_queue.h"

namespace targets::graph_argument {

// cuda.core exchanges the head of a list atomically; so there is no preemption point.
void CleanupQueue::push(CleanupItem& item) {
  {
    const harness::EdgePassage passage(&items_);
    items_.push_back(&item);
  }
  schedule();
}

std::pmr::vector<CleanupItem*> CleanupQueue::take() {
  const harness::EdgePassage passage(&items_);
  std::pmr::vector<CleanupItem*> taken = std::exchange(items_, {});
  return {taken.rbegin(), taken.rend()};
}

// Sets the flag first: add_pending_call() has a preemption point, and two tasks might call it.
void CleanupQueue::schedule() {
  if (!accepts_ || items_.empty() || scheduled_) return;
  scheduled_ = true;
  if (core_.interpreter.add_pending_call(
          [](void* self) { static_cast<CleanupQueue*>(self)->drain(); }, this))
    return;
  scheduled_ = false;
  core_.facts.tell(&Observer::pending_call_refused);
}

// Clears the flag only at the end: a concurrent push relies on this loop.
void CleanupQueue::drain() {
  while (!items_.empty())
    for (CleanupItem* item : take()) item->drop();
  scheduled_ = false;
  core_.facts.tell(&Observer::cleaned_up);
}

}  // namespace targets::graph_argument
