// SPDX-License-Identifier: Apache-2.0
// Edges between rows: causes, orders, and the missing order.
#include "harness/core/fault/kinds.h"
#include "harness/core/history/causes.h"
#include "harness/report/timeline/links.h"

namespace harness::reports {
namespace {

constexpr std::size_t kNone = TimelineRows::kNone;

class Edges {
 public:
  explicit Edges(TimelineRows& rows) : rows_(rows), items_(rows.items()), lanes_(rows.lanes()) {}

  std::vector<Edge> take() {
    add_missing();
    add_ordered();
    add_submitted();
    add_caused();
    add_recycled();
    return std::move(edges_);
  }

 private:
  void add(EdgeKind kind, Point from, Point to) {
    if (from.row != kNone && to.row != kNone && from.row < to.row)
      edges_.push_back({kind, from, to});
  }

  void add_missing() {
    const Fault* fault = rows_.fault();
    if (fault == nullptr || fault->kind == FaultKind::retention) return;
    if (missing_in_words(rows_.telling(), rows_.teller(), *fault).empty()) return;
    const std::size_t row = rows_.row_of(rows_.sides().fault);
    const Point to{row, rows_.rows()[row].marks.front().lane};
    if (rows_.overwritten() != kNone)
      return add(EdgeKind::missing, {rows_.overwritten(), lanes_.of_object(fault->object)}, to);
    const std::size_t before = rows_.sides().before;
    if (before == kNone) return;
    const Event& event = *items_[before].event;
    const bool died = event.kind == EventKind::death;
    add(EdgeKind::missing,
        {rows_.row_of(before),
         died ? lanes_.of_object(rows_.sides().victim) : lanes_.of_actor(event)},
        to);
  }

  std::size_t row_of(const Event& event) const {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].event == &event) return rows_.row_of(i);
    return kNone;
  }

  /// Returns the lane of the call's stream, or else of its caller.
  std::size_t side(const Event& call) {
    return lanes_.is_stream(call.object) ? lanes_.of_stream(call.object) : lanes_.of_actor(call);
  }

  void add_ordered() {
    const History& history = rows_.telling().world.history;
    for (const Ordering& ordering : history.orderings()) {
      const Event& before = history.events()[ordering.before];
      const Event& after = history.events()[ordering.after];
      if (row_of(before) != kNone && row_of(after) != kNone)
        add(EdgeKind::ordered, {row_of(before), side(before)}, {row_of(after), side(after)});
    }
  }

  /// Pairs each start with the first submission of the same work in its stream that has no start
  /// yet.
  void add_submitted() {
    std::vector<bool> taken(items_.size());
    for (std::size_t start = 0; start < items_.size(); ++start) {
      const std::size_t submit = submission_of(start, taken);
      if (submit == kNone) continue;
      taken[submit] = true;
      if (rows_.row_of(submit) == kNone || rows_.row_of(start) == kNone) continue;
      add(EdgeKind::submitted, {rows_.row_of(submit), lanes_.of_actor(*items_[submit].event)},
          {rows_.row_of(start), lanes_.of_actor(*items_[start].event)});
    }
  }

  std::size_t submission_of(std::size_t start, const std::vector<bool>& taken) const {
    const Event* event = items_[start].event;
    if (event == nullptr || event->kind != EventKind::start) return kNone;
    for (std::size_t i = 0; i < start; ++i) {
      const Event* submit = items_[i].event;
      if (submit == nullptr || submit->kind != EventKind::submit || taken[i]) continue;
      if (submit->object == event->object && submit->what == event->what &&
          submit->activation == event->activation)
        return i;
    }
    return kNone;
  }

  /// Adds an edge from an op to a side of the fault that it caused in another task, such as by a
  /// finalizer.
  void add_caused() {
    const std::size_t side = rows_.sides().before;
    if (side == kNone || rows_.teller().names().activation(items_[side].event->activation).empty())
      return;
    const auto& records = rows_.telling().world.history.activations();
    const Name slot =
        Causes({records.data(), records.size()}).slot_of(items_[side].event->activation);
    for (std::size_t i = 0; i < side; ++i) {
      const Event* event = items_[i].event;
      if (event != nullptr && event->kind == EventKind::op &&
          event->task != items_[side].event->task && event->activation == slot &&
          rows_.row_of(i) != kNone)
        return add(EdgeKind::caused, {rows_.row_of(i), lanes_.of_actor(*event)},
                   {rows_.row_of(side), lanes_.of_actor(*items_[side].event)});
    }
  }

  void add_recycled() {
    const Fault* fault = rows_.fault();
    if (fault == nullptr || rows_.sides().before == kNone) return;
    for (const Name heir : {fault->object, fault->recycler}) add_recycled_as(heir);
  }

  void add_recycled_as(Name heir) {
    const Name victim = rows_.sides().victim;
    const Life* recycler = rows_.teller().names().life(heir);
    if (recycler == nullptr || recycler->recycled_from == BirthId::none) return;
    if (rows_.telling().world.ledger.life(recycler->recycled_from).name != victim) return;
    for (std::size_t i = rows_.sides().before; i < items_.size(); ++i) {
      const Event* event = items_[i].event;
      if (event != nullptr && event->kind == EventKind::birth && event->object == heir)
        return add(EdgeKind::recycled,
                   {rows_.row_of(rows_.sides().before), lanes_.of_object(victim)},
                   {rows_.row_of(i), lanes_.of_object(heir)});
    }
  }

  TimelineRows& rows_;
  const std::vector<StoryItem>& items_;
  TimelineLanes& lanes_;
  std::vector<Edge> edges_;
};

}  // namespace

std::vector<Edge> edges_of(TimelineRows& rows) { return Edges(rows).take(); }

}  // namespace harness::reports
