// SPDX-License-Identifier: Apache-2.0
// EdgeListener: receives the events that order tasks: transfers of locks, waits, counters, and
// spawns.
#pragma once

#include <cstdint>

namespace harness {

/// Threads: a listener receives the events of the tasks of its thread.
class EdgeListener {
 public:
  virtual ~EdgeListener() = default;
  /// The running task has released at `place`: later acquires there happen after its work.
  virtual void released(const void* place) = 0;
  /// The running task has acquired at `place`.
  virtual void acquired(const void* place) = 0;
  /// The running task has acquired at `place`, and will release there before any other task
  /// acquires.
  virtual void passed(const void* place) = 0;
  /// The running task has spawned the task with this number.
  virtual void spawned(std::uint16_t task) = 0;

  static inline constinit thread_local EdgeListener* current = nullptr;  ///< May be null.
};

}  // namespace harness
