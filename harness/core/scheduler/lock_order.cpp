// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/lock_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/core/scheduler/scheduler.h"

namespace harness::scheduling {

static bool are_same(const HeldLocks& a, const HeldLocks& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Lock& one, const Lock& other) {
    return one.resource == other.resource;
  });
}

/// Returns a bit that represents a lock, shared with few other locks.
static std::uint64_t bit_of(Resource lock) { return std::uint64_t{1} << (lock & 63); }

/// Usually the same task wanted the same lock before, while it held the same single lock.
void LockOrder::wanted(Task& task, const Lock& lock) {
  Edge* known = last_ < edges_.size() ? &edges_[last_] : nullptr;
  const bool usual = known != nullptr && known->is(task, *task.held.begin(), lock) &&
                     task.held.count() == 1 && known->held.count() == 1 &&
                     !any_begins_at(lock.resource);
  if (!usual) return compare(task, lock);
  known->came_again(task, scheduler_.now());
}

void LockOrder::compare(Task& task, const Lock& lock) {
  const bool again = std::any_of(task.held.begin(), task.held.end(),
                                 [&](const Lock& held) { return held.resource == lock.resource; });
  if (again) return;
  for (const Lock& held : task.held) note(task, held, lock);
  if (!any_begins_at(lock.resource)) return;
  for (const Lock& held : task.held) {
    path_.assign(1, &edges_[find(task, held, lock)]);
    if (closes(path_)) tell(path_);
  }
}

bool LockOrder::any_begins_at(Resource lock) const {
  return (begin_bits_ & bit_of(lock)) != 0 &&
         std::any_of(edges_.begin(), edges_.end(),
                     [&](const Edge& edge) { return edge.from.resource == lock; });
}

/// Returns the index of the edge, or the end if there is none.
std::size_t LockOrder::find(const Task& task, const Lock& from, const Lock& to) {
  const auto found = std::find_if(edges_.begin(), edges_.end(),
                                  [&](const Edge& edge) { return edge.is(task, from, to); });
  return static_cast<std::size_t>(found - edges_.begin());
}

void LockOrder::note(const Task& task, const Lock& from, const Lock& to) {
  last_ = find(task, from, to);
  if (last_ == edges_.size()) {
    begin_bits_ |= bit_of(from.resource);
    edges_.push_back(
        {from, to, task.id, scheduler_.now(), task.joined, task.held, task.context.site});
    return;
  }
  Edge& known = edges_[last_];
  known.came_again(task, scheduler_.now());
  if (!are_same(known.held, task.held)) known.held = task.held;
}

/// Returns whether the edges belong to different tasks that could have waited at the same time.
bool LockOrder::together(const Edge& a, const Edge& b) {
  if (a.task == b.task || a.last <= b.joined || b.last <= a.joined) return false;
  return std::none_of(a.held.begin(), a.held.end(), [&](const Lock& mine) {
    return std::any_of(b.held.begin(), b.held.end(),
                       [&](const Lock& other) { return other.resource == mine.resource; });
  });
}

/// Extends the path to a cycle, if edges lead from its end to its beginning.
bool LockOrder::closes(Path& path) {
  const Resource end = path.back()->to.resource;
  for (const Edge& next : edges_) {
    if (next.from.resource != end) continue;
    const bool fits = std::all_of(path.begin(), path.end(), [&](const Edge* edge) {
      return together(*edge, next) && edge->to.resource != next.to.resource;
    });
    if (!fits) continue;
    path.push_back(&next);
    if (next.to.resource == path.front()->from.resource || closes(path)) return true;
    path.pop_back();
  }
  return false;
}

// The report begins with the lock whose name is first, so that a cycle has the same name wherever
// it was closed.
void LockOrder::tell(const Path& circle) {
  const auto first = std::min_element(
      circle.begin(), circle.end(),
      [](const Edge* a, const Edge* b) { return a->from.label.view() < b->from.label.view(); });
  Path turned(first, circle.end());
  turned.insert(turned.end(), circle.begin(), first);
  Fault fault;
  fault.kind = FaultKind::lock_cycle;
  fault.object_kind = turned.front()->from.label;
  fault.use_site = turned.front()->to.label;
  fault.tick = scheduler_.now();
  fault.activation = scheduler_.picker().current().name;
  fault.captured_at = circle.front()->site;  // The edge that the running task has just added.
  fault.writer = {circle[1]->site, circle[1]->last, raw(circle[1]->task)};
  for (const Edge* edge : turned)
    fault.detail +=
        fmt::format("{}{} holds {} and waits for {} in {}", fault.detail.empty() ? "" : "; ",
                    scheduler_.tasks().label(edge->task).view(), edge->from.label.view(),
                    edge->to.label.view(), edge->site.view());
  const std::uint64_t name = mix(fault.object_kind.hash(), fault.use_site.hash());
  if (std::find(reported_.begin(), reported_.end(), name) != reported_.end()) return;
  reported_.push_back(name);
  scheduler_.history().add(std::move(fault));
}

}  // namespace harness::scheduling
