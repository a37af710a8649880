// SPDX-License-Identifier: Apache-2.0
// LockOrder: the order in which tasks take locks. A circle of locks, taken by several tasks that
// could have run at the same time, is a fault of the kind `lock_cycle`, even if no task hung.
//
// Source: the lock graph of Goodlock (Havelund 2000): an edge says that a task that holds one lock
// waited for another, or would have. A circle counts if its edges are of different tasks that held
// no lock in common. Departure: an edge is not compared with earlier waits of its task (a latch, a
// stream), since the other task was done by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/scheduler/task.h"

namespace harness {
class Scheduler;
}

namespace harness::scheduling {

/// Ownership: borrows the scheduler. Lifetime: edges are of one run.
class LockOrder {
 public:
  explicit LockOrder(Scheduler& scheduler) : scheduler_(scheduler) {}
  void begin() {  // Forgets the order of the previous run.
    edges_.clear();
    told_.clear();
    begin_bits_ = 0;
    last_ = 0;
  }
  /// Says that `task`, which holds some, waits for `lock`, or would have.
  void wanted(Task& task, const Lock& lock);

 private:
  /// The last time that a task which held `from` wanted `to`.
  struct Edge {
    Lock from;
    Lock to;
    TaskId task;
    Tick last;
    Tick joined;     ///< It came after all that others did until then.
    HeldLocks held;  ///< All that it held.
    Label site;

    /// Returns whether it says that of these.
    bool is(const Task& its_task, const Lock& its_from, const Lock& its_to) const {
      return from.resource == its_from.resource && to.resource == its_to.resource &&
             task == its_task.id;
    }
    /// The task wanted it once more.
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
  std::uint64_t begin_bits_ = 0;     ///< A bit for each lock that an edge begins at.
  std::size_t last_ = 0;             ///< The edge that was noted last: most are noted in a row.
  Path path_;                        ///< Kept for its storage.
  std::vector<std::uint64_t> told_;  ///< The circles that were reported, by name.
};

}  // namespace harness::scheduling
