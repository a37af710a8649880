// SPDX-License-Identifier: Apache-2.0
// Choice: the choice of the next task or engine among those that are ready.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/scheduler/ready_set.h"

namespace harness::scheduling {

/// Option 0 is to stay, if possible; the others follow in ascending order. Ownership: borrows the
/// set and the picker. Lifetime: the candidates must stay valid until the choice is made.
class Choice final : public Options {
 public:
  Choice(const ReadySet& ready, Picker& picker) : ready_(ready), picker_(picker) {}

  /// Chooses the next of `candidates`. `stay` is the running task if it may continue; null if it
  /// cannot.
  [[gnu::always_inline]] std::uint16_t ask(const std::vector<std::uint16_t>& candidates,
                                           const Task* stay) {
    candidates_ = &candidates;
    first_ = stay != nullptr ? stay->runnable : plainest();
    const std::uint32_t index =
        picker_.pick(Site::schedule, static_cast<std::uint32_t>(candidates.size()), this,
                     [this](std::uint32_t option) { return ready_[runnable_of(option)].value; });
    return runnable_of(index);
  }

  std::uint32_t value(std::uint32_t index) const override {
    return ready_[runnable_of(index)].value;
  }
  Access access(std::uint32_t index) const override { return ready_[runnable_of(index)].pending(); }

 private:
  std::uint16_t runnable_of(std::uint32_t index) const {
    if (index == 0) return first_;
    const std::uint16_t runnable = (*candidates_)[index - 1];
    return runnable < first_ ? runnable : (*candidates_)[index];
  }
  /// Returns the first task, or the first engine if there is no task.
  std::uint16_t plainest() const {
    for (const std::uint16_t index : *candidates_)
      if (ready_[index].task != nullptr) return index;
    return candidates_->front();
  }

  const ReadySet& ready_;
  Picker& picker_;
  const std::vector<std::uint16_t>* candidates_ = nullptr;
  std::uint16_t first_ = 0;  ///< Index of the runnable of option 0.
};

}  // namespace harness::scheduling
