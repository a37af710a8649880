// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/ready_set.h"

#include <algorithm>

namespace harness::scheduling {

void ReadySet::make_ready(std::uint16_t index) {
  if (Task* task = runnables_[index].task; task != nullptr) task->state = Task::State::ready;
  ready_.insert(std::lower_bound(ready_.begin(), ready_.end(), index), index);
  ++version_;
}

void ReadySet::make_unready(std::uint16_t index) {
  const auto at = std::lower_bound(ready_.begin(), ready_.end(), index);
  if (at == ready_.end() || *at != index) return;
  ready_.erase(at);
  ++version_;
}

}  // namespace harness::scheduling
