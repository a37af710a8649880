// SPDX-License-Identifier: Apache-2.0
// ReadySet: all tasks and engines, and which of them are ready.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/scheduler/engines.h"
#include "harness/core/scheduler/task.h"

namespace harness::scheduling {

/// A task or an engine; its index is its place in the order of options.
struct Runnable {
  Task* task;
  Engine* engine;
  std::uint32_t value;  ///< Its value on a tape.

  /// Returns its next step.
  Access pending() const { return task != nullptr ? task->pending : engine->pending(); }
};

/// Ownership: borrows tasks and engines for one run; its buffers are kept from run to run.
class ReadySet {
 public:
  void begin() {  // Forgets the previous run.
    runnables_.clear();
    ready_.clear();
    ++version_;
  }

  /// Adds a runnable that is not ready. Returns its index.
  std::uint16_t add(const Runnable& runnable) {
    runnables_.push_back(runnable);
    return static_cast<std::uint16_t>(runnables_.size() - 1);
  }
  const Runnable& operator[](std::uint16_t index) const { return runnables_[index]; }

  void make_ready(std::uint16_t index);    ///< Makes a runnable ready.
  void make_unready(std::uint16_t index);  ///< Makes a runnable not ready.

  /// Returns the indices of the ready runnables, ascending.
  const std::vector<std::uint16_t>& ready() const { return ready_; }
  bool empty() const { return ready_.empty(); }  ///< Returns whether none is ready.
  /// Differs from all earlier values if the set may have changed.
  std::uint64_t version() const { return version_; }

 private:
  std::vector<Runnable> runnables_;
  std::vector<std::uint16_t> ready_;
  std::uint64_t version_ = 0;
};

}  // namespace harness::scheduling
