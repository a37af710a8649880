#include "harness/reports/story_lines.h"

#include "harness/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace harness::reports {
namespace {

/// " in delete_argpack", or nothing.
std::string in_site(Label site) { return site.empty() ? "" : fmt::format(" in {}", site.view()); }

std::string_view verb(FaultKind kind) {
  const std::string_view own = to_info(kind).verb;
  return own.empty() ? ", found by " : own;
}

// The device's dealings with work are told by the call that gave it the work.
bool is_noise(EventKind kind) {
  return kind == EventKind::submit || kind == EventKind::start || kind == EventKind::finish ||
         kind == EventKind::step;
}

void add(std::vector<Line>& lines, Line line) {
  if (!lines.empty() && lines.back().text == line.text && lines.back().task == line.task)
    ++lines.back().count;
  else
    lines.push_back(std::move(line));
}

}  // namespace

const Fault* told_fault(const Telling& telling) {
  const auto& faults = telling.outcome.faults;
  return faults.empty() ? nullptr : &faults[std::min(telling.fault, faults.size() - 1)];
}

Teller::Teller(const Telling& telling)
    : telling_(telling), names_(telling.world), fault_(told_fault(telling)) {}

std::vector<Told> Teller::told() const {
  std::vector<Told> told;
  const auto& faults = telling_.world.history.faults();
  std::size_t next_fault = 0;
  const auto add_faults_before = [&](std::uint64_t turn) {
    for (; next_fault < faults.size() && faults[next_fault].tick < turn; ++next_fault)
      told.push_back({nullptr, &faults[next_fault]});
  };
  for (const Event& event : telling_.world.history.events()) {
    add_faults_before(event.tick);
    if (fault_ != nullptr && event.tick > fault_->tick) break;
    if (!is_set_up(event)) told.push_back({&event, nullptr});
  }
  add_faults_before(fault_ != nullptr ? fault_->tick + 1 : ~std::uint64_t{0});
  return told;
}

std::vector<Line> Teller::lines() const {
  std::vector<Line> lines;
  for (const Told& told : told())
    add(lines, told.event != nullptr ? line_of(*told.event) : line_of(*told.fault));
  return lines;
}

std::string Teller::in_words(const Fault& fault) const {
  const Life* life = names_.life(fault.object);
  const std::string object = names_.object(fault.object);
  std::string text{to_label(fault.kind).view()};
  const std::string_view who = object.empty() ? fault.object_kind.view() : object;
  if (!who.empty()) text += fmt::format(": {}", who);
  if (life != nullptr && !life->alive && fault.death_site == life->death_site)
    text += fmt::format(", dead since turn {}{},", life->death_tick, in_site(life->death_site));
  if (!fault.use_site.empty()) text += fmt::format("{}{}", verb(fault.kind), fault.use_site.view());
  if (fault.recycler != 0) text += fmt::format(", and it meets {}", names_.object(fault.recycler));
  return text;
}

// Tells an event before any task has run: the same in every story of the path.
bool Teller::is_set_up(const Event& event) const {
  return event.tick == 0 && event.task == kNoTask && !concerned(event.object);
}

bool Teller::concerned(Name object) const {
  return fault_ != nullptr && object != 0 &&
         (object == fault_->object || object == fault_->recycler);
}

Line Teller::line_of(const Event& event) const {
  const bool op = event.kind == EventKind::op;
  const Weight weight = op                        ? Weight::op
                        : concerned(event.object) ? Weight::concerned
                        : is_noise(event.kind)    ? Weight::noise
                                                  : Weight::light;
  std::string text = (op ? "" : "  ") + words(event);
  const std::string cause = names_.activation(event.activation);
  if (!cause.empty()) text += fmt::format("  [{}]", cause);
  return {event.tick, event.task, weight, text};
}

Line Teller::line_of(const Fault& fault) const {
  std::string text = "! " + in_words(fault);
  if (const std::string where = source_line(fault); !where.empty()) text += " at " + where;
  if (!fault.detail.empty()) text += ": " + fault.detail;
  return {fault.tick, task_of(fault), Weight::fault, text};
}

std::string Teller::source_line(const Fault& fault) const {
  const DeviceInfo* device = telling_.the_case.device;
  if (fault.code == 0 || device == nullptr || device->source_line == nullptr) return {};
  return device->source_line(fault.code);
}

// A fault knows its activation; the task is that of the last event there.
std::uint16_t Teller::task_of(const Fault& fault) const {
  std::uint16_t task = kNoTask;
  for (const Event& event : telling_.world.history.events()) {
    if (event.tick > fault.tick) break;
    if (event.activation == fault.activation) task = event.task;
  }
  return task;
}

std::string Teller::words(const Event& event) const {
  const std::string_view what = event.what.view();
  const std::string object = names_.object(event.object);
  const std::string with_object =
      object.empty() ? std::string(what) : fmt::format("{} {}", what, object);
  switch (event.kind) {
    case EventKind::op:
    case EventKind::step:
    case EventKind::note:
      return with_object;
    case EventKind::birth:
      return birth(event, object);
    case EventKind::death:
      return death(event, object);
    case EventKind::call:
      return event.value == 0 ? with_object
                              : fmt::format("{} -> error {}", with_object, event.value);
    case EventKind::submit:
      return fmt::format("queues {}", with_object);
    case EventKind::start:
      return fmt::format("{} begins", with_object);
    case EventKind::finish:
      return fmt::format("{} ends", with_object);
    case EventKind::observe:
      return fmt::format("sees {} = {}", with_object, event.value);
    case EventKind::use:
      return object.empty() ? fmt::format("uses {}", what)
                            : fmt::format("{} uses {}", what, object);
    case EventKind::collect:
      return fmt::format("the collector runs and frees {}", event.value);
  }
  return with_object;
}

std::string Teller::birth(const Event& event, const std::string& object) const {
  const Life* life = names_.life(event.object);
  if (life == nullptr) return fmt::format("{} is born", event.what.view());
  std::string text = fmt::format("{} is born{}", object, in_site(life->birth_site));
  if (life->recycled_from == BirthId::none) return text;
  const Life& last = telling_.world.ledger.life(life->recycled_from);
  return text + fmt::format(", where {} was", names_.object(last.name));
}

std::string Teller::death(const Event& event, const std::string& object) const {
  const Life* life = names_.life(event.object);
  if (life == nullptr) return fmt::format("{} dies", event.what.view());
  return fmt::format("{} dies{}", object, in_site(life->death_site));
}

}  // namespace harness::reports
