// SPDX-License-Identifier: Apache-2.0
#include "harness/report/story_lines.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace harness::reports {
namespace {

/// Returns " in delete_argpack", or "".
std::string in_site(Label site) { return site.empty() ? "" : fmt::format(" in {}", site.view()); }

std::string_view verb(FaultKind kind) {
  const std::string_view own = to_info(kind).verb;
  return own.empty() ? ", found by " : own;
}

constexpr std::uint64_t kNotReady = 600;  ///< CUDA_ERROR_NOT_READY: not a failure.

bool is_failed_call(const Event& event) {
  return event.kind == EventKind::call && event.value != 0 && event.value != kNotReady;
}

/// Returns whether the call only looks up a context, a module or a function.
bool is_looked_up(Label call) {
  static constexpr std::array<std::string_view, 8> kBegin{
      "cuInit",       "cuDeviceGet", "cuDevicePrimaryCtx", "cuCtxSet",
      "cuModuleLoad", "cuModuleGet", "cuLibraryLoad",      "cuLibraryGet"};
  return std::any_of(kBegin.begin(), kBegin.end(),
                     [&](std::string_view begin) { return call.view().starts_with(begin); });
}

bool is_work(EventKind kind) {
  return kind == EventKind::submit || kind == EventKind::start || kind == EventKind::finish;
}

// Work of the device is shown by the call that submitted it.
bool is_noise(const Event& event) {
  return is_work(event.kind) || event.kind == EventKind::step ||
         (event.kind == EventKind::call && is_looked_up(event.what));
}

/// Recognizes the events before a task's first op, which are the same in each run of its path.
class SetUp {
 public:
  explicit SetUp(const Records<Event>& events) {
    for (const Event& event : events)
      if (event.kind == EventKind::op) to_begin_.insert(event.task);
    if (!to_begin_.empty()) to_begin_.insert(kNoTask);
  }

  /// Returns whether the event belongs to the set-up. Call it for each event in order.
  bool has(const Event& event) {
    if (event.kind == EventKind::op) {
      to_begin_.erase(event.task);
      to_begin_.erase(kNoTask);
    }
    const bool is_shown =
        event.kind == EventKind::note || event.kind == EventKind::collect || is_failed_call(event);
    return to_begin_.contains(event.task) && !is_shown;
  }

 private:
  std::set<std::uint16_t> to_begin_;  ///< Tasks before their first op.
};

void add(std::vector<Line>& lines, Line line) {
  if (!lines.empty() && lines.back().text == line.text && lines.back().task == line.task &&
      !line.is_end)
    ++lines.back().count;
  else
    lines.push_back(std::move(line));
}

}  // namespace

const Fault* reported_fault(const Telling& telling) {
  const auto& faults = telling.outcome.faults;
  return faults.empty() ? nullptr : &faults[std::min(telling.fault, faults.size() - 1)];
}

const Fault* ending_fault(const Telling& telling) {
  const auto& faults = telling.outcome.faults;
  const auto last =
      std::find_if(faults.rbegin(), faults.rend(), [](const Fault& fault) { return fault.fatal; });
  return last == faults.rend() ? nullptr : &*last;
}

Teller::Teller(const Telling& telling)
    : telling_(telling), names_(telling.world), fault_(reported_fault(telling)) {
  if (fault_ == nullptr) return;
  const auto& records = telling.world.history.activations();
  causes_.assign({records.data(), records.size()});
  std::vector<Name> sides{fault_->activation, fault_->captured};
  if (const Life* life = names_.life(fault_->object))
    sides.insert(sides.end(), {life->birth_activation, life->death_activation});
  for (const Name side : sides) side_slots_.insert(causes_.slot_of(side));
}

std::vector<StoryItem> Teller::items() const {
  std::vector<StoryItem> items;
  const auto& faults = telling_.world.history.faults();
  std::size_t next_fault = 0;
  const auto add_faults_before = [&](std::uint64_t turn) {
    for (; next_fault < faults.size() && faults[next_fault].tick < turn; ++next_fault)
      items.push_back({nullptr, &faults[next_fault]});
  };
  const Fault* end = ending_fault(telling_);
  if (end == nullptr || (fault_ != nullptr && end->tick < fault_->tick)) end = fault_;
  for (const Event& event : telling_.world.history.events()) {
    add_faults_before(event.tick);
    if (end != nullptr && event.tick > end->tick) break;
    if (!is_set_up(event)) items.push_back({&event, nullptr});
  }
  add_faults_before(end != nullptr ? end->tick + 1 : ~std::uint64_t{0});
  return items;
}

std::vector<Line> Teller::lines() const {
  std::vector<Line> lines;
  SetUp set_up(telling_.world.history.events());
  std::size_t calls = 0;
  for (const Event& event : telling_.world.history.events())
    calls += is_set_up(event) && event.kind == EventKind::call;
  const Event* last = nullptr;
  for (const StoryItem& item : items()) {
    const bool folded =
        item.event != nullptr && set_up.has(*item.event) && !concerned(item.event->object);
    if (folded)
      calls += item.event->kind == EventKind::call;
    else if (last != nullptr && item.event != nullptr && is_result(*last, *item.event))
      add_result(lines.back(), *item.event);
    else
      add(lines, item.event != nullptr ? line_of(*item.event) : line_of(*item.fault));
    last = folded ? nullptr : item.event;
  }
  if (calls == 0) return lines;
  std::uint16_t first_task = kNoTask;
  for (const Line& line : lines) first_task = std::min(first_task, line.task);
  lines.insert(lines.begin(), {0, first_task, Weight::op,
                               fmt::format("set-up: {} call{}", calls, calls == 1 ? "" : "s")});
  return lines;
}

/// Returns whether the event is the birth of the call's result, which must be an object of the
/// driver.
bool Teller::is_result(const Event& call, const Event& birth) const {
  static constexpr std::array<Label, 6> kMade{"device memory", "graph node", "executable graph",
                                              "user object",   "stream",     "event"};
  const Life* life = birth.kind == EventKind::birth ? names_.life(birth.object) : nullptr;
  return life != nullptr && call.kind == EventKind::call && call.task == birth.task &&
         std::find(kMade.begin(), kMade.end(), life->kind) != kMade.end();
}

void Teller::add_result(Line& line, const Event& birth) const {
  line.text += " -> " + names_.object(birth.object) + former(*names_.life(birth.object));
  line.weight = std::max(line.weight, weight_of(birth));
}

std::string Teller::in_words(const Fault& fault) const {
  const Life* life = names_.life(fault.object);
  const std::string object = names_.object(fault.object);
  std::string text{to_label(fault.kind).view()};
  const std::string_view who = object.empty() ? fault.object_kind.view() : object;
  if (!who.empty()) text += fmt::format(": {}", who);
  const bool is_dead = life != nullptr && !life->alive && fault.death_site == life->death_site;
  if (is_dead)
    text += fmt::format(", dead since turn {}{}", life->death_tick, in_site(life->death_site));
  if (!fault.use_site.empty())
    text += fmt::format("{}{}{}", is_dead ? "," : "", verb(fault.kind), fault.use_site.view());
  if (fault.recycler != 0) text += fmt::format(", and it meets {}", names_.object(fault.recycler));
  return text;
}

// Returns whether the event is before the run of any task: the same in each story of the path.
bool Teller::is_set_up(const Event& event) const {
  return event.tick == 0 && event.task == kNoTask && !concerned(event.object);
}

bool Teller::concerned(Name object) const {
  return fault_ != nullptr && object != 0 &&
         (object == fault_->object || object == fault_->recycler);
}

Weight Teller::weight_of(const Event& event) const {
  if (event.kind == EventKind::op) return Weight::op;
  if (concerned(event.object) || is_failed_call(event) || is_used_in(event))
    return Weight::concerned;
  if (is_noise(event)) return Weight::noise;
  if (event.kind == EventKind::note || (event.kind == EventKind::collect && event.value > 0))
    return Weight::op;
  const Life* life = event.kind == EventKind::birth ? names_.life(event.object) : nullptr;
  const bool recycles = life != nullptr && life->recycled_from != BirthId::none;
  const bool is_life = event.kind == EventKind::birth || event.kind == EventKind::death;
  const bool is_beside =
      fault_ != nullptr && !side_slots_.contains(causes_.slot_of(event.activation));
  return is_beside || (is_life && !recycles) ? Weight::minor : Weight::light;
}

Line Teller::line_of(const Event& event) const {
  std::string text = (event.kind == EventKind::op ? "" : "  ") + words(event);
  const std::string cause = names_.activation(event.activation);
  if (!cause.empty()) text += fmt::format("  [{}]", cause);
  return {event.tick, event.task, weight_of(event), text};
}

Line Teller::line_of(const Fault& fault) const {
  const bool callers = is_callers(fault);
  std::string text = (callers ? "  an error of the caller, by contract: " : "! ") + in_words(fault);
  if (const std::string where = source_line(fault); !where.empty()) text += " at " + where;
  if (!fault.detail.empty()) text += ": " + fault.detail;
  const Fault* end = ending_fault(telling_);
  const bool is_end = (fault_ != nullptr && fault == *fault_) || (end != nullptr && fault == *end);
  return {fault.tick, task_of(fault), callers ? Weight::light : Weight::fault, text, 1, is_end};
}

bool Teller::is_callers(const Fault& fault) const {
  const auto& theirs = telling_.outcome.caller_errors;
  return std::find(theirs.begin(), theirs.end(), fault) != theirs.end();
}

// Returns whether the event starts the device work in which the fault was found.
bool Teller::is_used_in(const Event& event) const {
  return fault_ != nullptr && event.kind == EventKind::start &&
         event.activation == fault_->activation && event.what == fault_->use_site;
}

std::string Teller::source_line(const Fault& fault) const {
  const DeviceInfo* device = telling_.the_case.device;
  if (fault.code == 0 || device == nullptr || device->source_line == nullptr) return {};
  return device->source_line(fault.code);
}

// Returns the task of a fault: that of the last event of its activation.
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
  const std::string object =
      is_work(event.kind) ? names_.stream(event.object) : names_.object(event.object);
  const std::string with_object =
      object.empty() ? std::string(what) : fmt::format("{} {}", what, object);
  switch (event.kind) {
    case EventKind::op:
      return with_object + arguments(event);
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

// Returns the arguments that are not the default, as in the reproducer.
std::string Teller::arguments(const Event& op) const {
  std::string text;
  for (const Decision& decision : telling_.outcome.tape)
    if (decision.activation == op.activation && decision.site_tag == site_tag(Site::argument))
      text += fmt::format("{}argument[{}] {}", text.empty() ? "  " : ", ", decision.nth,
                          decision.value);
  return text;
}

std::string Teller::birth(const Event& event, const std::string& object) const {
  const Life* life = names_.life(event.object);
  if (life == nullptr) return fmt::format("{} is born", event.what.view());
  return fmt::format("{} is born{}{}", object, in_site(life->birth_site), former(*life));
}

// Returns the object whose memory was reused. The new address may be a few bytes before the freed
// one.
std::string Teller::former(const Life& life) const {
  if (life.recycled_from == BirthId::none) return {};
  const Life& last = telling_.world.ledger.life(life.recycled_from);
  const std::uint64_t early = last.address - life.address;
  const std::string beside = early != 0 && early < last.bytes
                                 ? fmt::format("{} byte{} before ", early, early == 1 ? "" : "s")
                                 : std::string();
  return fmt::format(", {}where {} was", beside, names_.object(last.name));
}

std::string Teller::death(const Event& event, const std::string& object) const {
  const Life* life = names_.life(event.object);
  if (life == nullptr) return fmt::format("{} dies", event.what.view());
  return fmt::format("{} dies{}", object, in_site(life->death_site));
}

}  // namespace harness::reports
