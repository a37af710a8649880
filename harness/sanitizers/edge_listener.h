// SPDX-License-Identifier: Apache-2.0
// EdgeListener: hears of what orders one task before another: locks that are handed over, waits,
// counts, and who was spawned by whom.
#pragma once

#include <cstdint>

namespace harness {

/// Threads: a listener hears of the tasks of its own thread.
class EdgeListener {
 public:
  virtual ~EdgeListener() = default;
  /// The running task has left at `place` what it knows, for code that comes there.
  virtual void released(const void* place) = 0;
  /// The running task has come there.
  virtual void acquired(const void* place) = 0;
  /// Both at once: the running task has come there, and nothing else will before it leaves.
  virtual void passed(const void* place) = 0;
  /// The running task has spawned one with that number.
  virtual void spawned(std::uint16_t task) = 0;

  static inline constinit thread_local EdgeListener* current = nullptr;  ///< Or nothing.
};

}  // namespace harness
