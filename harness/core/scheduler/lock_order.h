// SPDX-License-Identifier: Apache-2.0
// LockOrder: the order in which tasks take locks. A lock cycle, taken by several tasks that
// could have run at the same time, is a fault of the kind `lock_cycle`, even if no task hung.
//
// Source: the lock graph of Goodlock (Havelund 2000). An edge means that a task that holds one lock
// waited for another, or would have. A cycle counts if its edges belong to different tasks that
// held no lock in common. Departure: if a task waited for other work before (a latch, a stream),
// edges of that work are not combined with its later edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/scheduler/task.h"

namespace harness {
class Scheduler;
}

namespace harness::scheduling {

/// Ownership: borrows the scheduler. Lifetime: edges belong to one run.
class LockOrder {
 public:
  explicit LockOrder(Scheduler& scheduler) : scheduler_(scheduler) {}
  void begin() {  // Forgets the edges of the previous run.
    edges_.clear();
    reported_.clear();
    begin_bits_ = 0;
    last_ = 0;
  }
  /// Notes that `task`, which holds at least one lock, waits for `lock`, or would have.
  void wanted(Task& task, const Lock& lock);

 private:
  /// The last time at which a task that held `from` wanted `to`.
  struct Edge {
    Lock from;
    Lock to;
    TaskId task;
    Tick last;
    Tick joined;     ///< The task had waited for everything that others did until this tick.
    HeldLocks held;  ///< All locks that it held.
    Label site;

    /// Returns whether this is the edge of this task and these locks.
    bool is(const Task& its_task, const Lock& its_from, const Lock& its_to) const {
      return from.resource == its_from.resource && to.resource == its_to.resource &&
             task == its_task.id;
    }
    /// Notes that the task wanted the lock again.
    void came_again(const Task& again, Tick now) {
      last = now;
      joined = again.joined;
      site = again.context.site;
    }
  };
  using Path = std::vector<const Edge*>;

  void compare(Task& task, const Lock& lock);
  void note(const Task& task, const Lock& from, const Lock& to);
  std::size_t find(const Task& task, const Lock& from, const Lock& to);
  bool any_begins_at(Resource lock) const;
  bool closes(Path& path);
  static bool together(const Edge& a, const Edge& b);
  void tell(const Path& circle);

  Scheduler& scheduler_;
  std::vector<Edge> edges_;
  std::uint64_t begin_bits_ = 0;  ///< Bit per hash of a lock at which an edge begins.
  std::size_t last_ = 0;          ///< The most recently noted edge, which is usually the next
                                  ///< one, too.
  Path path_;                     ///< A member to reuse its storage.
  std::vector<std::uint64_t> reported_;  ///< Hashes of the reported cycles.
};

}  // namespace harness::scheduling
