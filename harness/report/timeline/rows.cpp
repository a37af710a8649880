// SPDX-License-Identifier: Apache-2.0
#include "harness/report/timeline/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/report/timeline/choice.h"

namespace harness::reports {
namespace {

MarkKind object_mark(EventKind kind) {
  if (kind == EventKind::birth) return MarkKind::birth;
  return kind == EventKind::death ? MarkKind::death : MarkKind::meet;
}

/// Events without a task belong to the set-up, unless they are work of the device.
bool is_set_up(const Event& event) {
  return event.task == kNoTask && event.kind != EventKind::start &&
         event.kind != EventKind::finish && event.kind != EventKind::submit &&
         event.kind != EventKind::op;
}

bool acts(const std::vector<StoryItem>& items, std::size_t task) {
  return std::any_of(items.begin(), items.end(), [&](const StoryItem& one) {
    return one.event != nullptr && one.event->task == task;
  });
}

}  // namespace

TimelineRows::TimelineRows(const Telling& telling, Extent extent)
    : telling_(telling),
      teller_(telling),
      items_(teller_.items()),
      sides_(fault_sides(telling, teller_, items_)),
      lanes_(telling, teller_),
      rows_of_(items_.size(), kNone) {
  std::size_t next = 0;
  for (const std::size_t index : chosen(telling_, teller_, items_, sides_, extent)) {
    const std::size_t before = rows_.size();
    add(index);
    if (rows_.size() > before) rows_[before].left_out = index - next;
    next = index + 1;
  }
}

void TimelineRows::add(std::size_t index) {
  const StoryItem& item = items_[index];
  const bool is_reported = index == sides_.fault;
  add_overwriting_before(item.event != nullptr ? item.event->tick : item.fault->tick, is_reported);
  rows_of_[index] = item.event != nullptr ? add(*item.event) : add(*item.fault, is_reported);
}

std::size_t TimelineRows::add_row(std::uint64_t turn, Weight weight, std::string text,
                                  std::vector<Mark> marks) {
  text.erase(0, text.find_first_not_of(' '));
  rows_.push_back({turn, weight, std::move(text), std::move(marks)});
  return rows_.size() - 1;
}

std::size_t TimelineRows::add(const Event& event) {
  if (ends_last_row(event)) {
    rows_.back().text = fmt::format("{} runs", event.what.view());
    return rows_.size() - 1;
  }
  const Line line = teller_.line_of(event);
  std::vector<Mark> marks;
  if (!is_set_up(event))
    marks.push_back(
        {lanes_.of_actor(event), event.kind == EventKind::op ? MarkKind::op : MarkKind::event});
  if (matters(event.object))
    marks.push_back({lanes_.of_object(event.object), object_mark(event.kind)});
  if (event.kind == EventKind::call && lanes_.is_stream(event.object))
    marks.push_back({lanes_.of_stream(event.object), MarkKind::event});
  if (marks.empty()) marks.push_back({lanes_.of_actor(event), MarkKind::event});
  last_event_ = &event;
  return add_row(line.turn, line.weight, line.text, std::move(marks));
}

/// Returns whether the event ends the work that began in the last row: then both take one row.
bool TimelineRows::ends_last_row(const Event& event) const {
  return event.kind == EventKind::finish && last_event_ != nullptr &&
         last_event_->kind == EventKind::start && last_event_->object == event.object &&
         last_event_->what == event.what && last_event_->activation == event.activation;
}

std::size_t TimelineRows::add(const Fault& fault, bool is_reported) {
  last_event_ = nullptr;
  const Line line = teller_.line_of(fault);
  std::vector<Mark> marks = actors(fault, is_reported);
  if (is_reported) add_objects(fault, marks);
  constexpr std::size_t kBang = 2;  // "! ", which the mark replaces here.
  return add_row(line.turn, is_reported ? Weight::fault : Weight::concerned,
                 line.text.substr(kBang), std::move(marks));
}

std::vector<Mark> TimelineRows::actors(const Fault& fault, bool is_reported) {
  const MarkKind kind = is_reported ? MarkKind::fault : MarkKind::other;
  std::vector<Mark> marks;
  if (is_about_all(fault))
    for (std::size_t task = 0; task < telling_.world.scheduler.tasks().count(); ++task)
      if (acts(items_, task))
        marks.push_back({lanes_.of_task(static_cast<std::uint16_t>(task)), kind});
  if (!marks.empty()) return marks;
  const bool in_work = is_reported && sides_.work != kNone;
  return {{in_work ? lanes_.of_actor(*items_[sides_.work].event) : lanes_.of_actor(fault), kind}};
}

void TimelineRows::add_objects(const Fault& fault, std::vector<Mark>& marks) {
  const Names& names = teller_.names();
  if (sides_.victim != fault.object && names.life(sides_.victim) != nullptr)
    marks.push_back({lanes_.of_object(sides_.victim), MarkKind::meet});
  if (names.life(fault.object) != nullptr || is_overwritten(fault))
    marks.push_back({lanes_.of_object(fault.object),
                     fault.kind == FaultKind::retention ? MarkKind::undead : MarkKind::meet});
  if (names.life(fault.recycler) != nullptr)
    marks.push_back({lanes_.of_object(fault.recycler), MarkKind::meet});
}

/// Adds the write of an overwritten slot, which is not an event, at its turn.
void TimelineRows::add_overwriting_before(std::uint64_t turn, bool is_fault) {
  const Fault* fault = teller_.fault();
  if (overwritten_ != kNone || fault == nullptr || !is_overwritten(*fault)) return;
  if (turn <= fault->writer.tick && !is_fault) return;
  last_event_ = nullptr;
  const std::string text =
      fmt::format("{} gets another generation in {}", victim_in_words(telling_, teller_, *fault),
                  fault->writer.site.view());
  overwritten_ = add_row(fault->writer.tick, Weight::concerned, text,
                         {{lanes_.of_task(fault->writer.task), MarkKind::event},
                          {lanes_.of_object(fault->object), MarkKind::death}});
}

}  // namespace harness::reports
