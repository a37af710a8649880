// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/cleanup_queue.h"

namespace targets::graph_argument {

// An atomic exchange on the head of a list in cuda.core: no turn is offered under it.
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

// Set before the turn that asking takes, or two would ask.
void CleanupQueue::schedule() {
  if (!accepts_ || items_.empty() || scheduled_) return;
  scheduled_ = true;
  if (core_.interpreter.add_pending_call(
          [](void* self) { static_cast<CleanupQueue*>(self)->drain(); }, this))
    return;
  scheduled_ = false;
  core_.facts.tell(&Observer::pending_call_refused);
}

// It counts as scheduled to the end: who pushes meanwhile relies on the loop.
void CleanupQueue::drain() {
  while (!items_.empty())
    for (CleanupItem* item : take()) item->drop();
  scheduled_ = false;
  core_.facts.tell(&Observer::cleaned_up);
}

}  // namespace targets::graph_argument
