// SPDX-License-Identifier: Apache-2.0
#include "harness/report/fault_sides.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include "harness/core/history/causes.h"

namespace harness::reports {
namespace {

bool is_work(const Event& event) {
  return event.kind == EventKind::start || event.kind == EventKind::finish;
}

/// Returns the last event before `end` for which `fits` holds.
template <class Fits>
std::size_t last_event(std::span<const StoryItem> items, std::size_t end, Fits fits) {
  for (std::size_t i = std::min(end, items.size()); i > 0; --i)
    if (items[i - 1].event != nullptr && fits(*items[i - 1].event)) return i - 1;
  return FaultSides::kNone;
}

std::size_t index_of(std::span<const StoryItem> items, const Fault& fault) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].fault != nullptr && *items[i].fault == fault) return i;
  return FaultSides::kNone;
}

/// Returns the first use in a data race: the end of the work that the fault names, else the last
/// event that it names.
std::size_t first_use(std::span<const StoryItem> items, const Fault& fault, std::size_t end) {
  const std::size_t work = last_event(items, end, [&](const Event& event) {
    return event.kind == EventKind::finish && event.what == fault.use_site;
  });
  if (work != FaultSides::kNone) return work;
  return last_event(items, end, [&](const Event& event) { return event.what == fault.use_site; });
}

std::string in_parentheses(std::string_view site) {
  return site.empty() ? "" : fmt::format(" ({})", site);
}

}  // namespace

Name victim_of(const Telling& telling, const Fault& fault) {
  const Ledger& ledger = telling.world.ledger;
  const bool of_the_living = fault.kind == FaultKind::recycled_use && fault.death_site.empty();
  Name victim = fault.object;
  for (const Life& life : ledger.lives()) {
    const bool is_it = life.name == fault.object && fault.object != 0;
    if (is_it && of_the_living && life.recycled_from != BirthId::none)
      return ledger.life(life.recycled_from).name;
    if (is_it) return fault.object;
    const bool died_so = !fault.death_site.empty() && !life.alive &&
                         life.kind == fault.object_kind && life.death_site == fault.death_site &&
                         life.death_tick <= fault.tick;
    if (died_so) victim = life.name;
  }
  return victim;
}

FaultSides fault_sides(const Telling& telling, const Teller& teller,
                       std::span<const StoryItem> items) {
  FaultSides sides;
  const Fault* fault = teller.fault();
  if (fault == nullptr) return sides;
  sides.fault = index_of(items, *fault);
  sides.victim = victim_of(telling, *fault);
  const auto of_object = [&](EventKind kind) {
    return last_event(items, sides.fault, [&](const Event& event) {
      return event.kind == kind && event.object == sides.victim && sides.victim != 0;
    });
  };
  sides.birth = of_object(EventKind::birth);
  sides.before = of_object(EventKind::death);
  const bool order = fault->kind == FaultKind::data_race;
  const Label work = order ? Label("free") : fault->use_site;
  sides.work = last_event(items, sides.fault, [&](const Event& event) {
    return event.kind == EventKind::start && event.what == work &&
           event.activation == fault->activation;
  });
  if (!order) return sides;
  sides.before = first_use(items, *fault, sides.fault);
  if (sides.before == FaultSides::kNone || !is_work(*items[sides.before].event)) return sides;
  const Event& use = *items[sides.before].event;
  sides.first_work = last_event(items, sides.before, [&](const Event& event) {
    return event.kind == EventKind::start && event.what == use.what && event.object == use.object;
  });
  return sides;
}

namespace {

/// Side: an event in words, with its turn, op, task and stream: "turn 16, in ask of user".
class Side {
 public:
  Side(const Telling& telling, const Teller& teller) : telling_(telling), teller_(teller) {
    const auto& records = telling.world.history.activations();
    causes_.assign({records.data(), records.size()});
  }

  /// Shows work with its stream, and with the op and task that queued it.
  std::string in_words(const Event& event) const {
    const Event& by = is_work(event) ? queued(event) : event;
    std::string text = fmt::format("turn {}", event.tick);
    if (is_work(event)) text += fmt::format(" on {}", teller_.names().stream(event.object));
    const std::string op = op_of(by);
    if (!op.empty()) text += ", in " + op;
    return by.task == kNoTask ? text : text + " of " + teller_.names().task(by.task);
  }

  /// Returns the task of an event; for work, the task that queued it.
  std::uint16_t task_of(const Event& event) const {
    return is_work(event) ? queued(event).task : event.task;
  }

 private:
  const Event& queued(const Event& work) const {
    const Event* found = &work;
    for (const Event& event : telling_.world.history.events()) {
      if (&event == &work) break;
      if (event.kind == EventKind::submit && event.object == work.object &&
          event.activation == work.activation && event.what == work.what)
        found = &event;
    }
    return *found;
  }

  /// Returns the op that its task was in, which may not have caused it: a finalizer runs during any
  /// op. For work without a task, returns the op that caused it.
  std::string op_of(const Event& of) const {
    const Name slot = causes_.slot_of(of.activation);
    std::string op;
    for (const Event& event : telling_.world.history.events()) {
      if (&event == &of) break;
      if (event.kind != EventKind::op) continue;
      if (of.task == kNoTask ? event.activation == slot : event.task == of.task)
        op = event.what.view();
    }
    return op;
  }

  const Telling& telling_;
  const Teller& teller_;
  Causes causes_;
};

}  // namespace

std::string sides_in_words(const Telling& telling, const Teller& teller) {
  const std::vector<StoryItem> items = teller.items();
  const FaultSides sides = fault_sides(telling, teller, items);
  const Fault* fault = teller.fault();
  const Life* life = teller.names().life(sides.victim);
  if (fault != nullptr && is_overwritten(*fault))
    return fmt::format("{} is overwritten by {} (turn {}, of {}); read by {} (turn {}, of {})",
                       victim_in_words(telling, teller, *fault), fault->writer.site.view(),
                       fault->writer.tick, teller.names().task(fault->writer.task),
                       fault->use_site.view(), fault->tick,
                       teller.names().task(teller.line_of(*fault).task));
  if (fault == nullptr || life == nullptr || sides.before == FaultSides::kNone) return {};
  const bool race = fault->kind == FaultKind::data_race;
  if (race && fault->death_site.empty()) return {};  // Its detail has both sides.
  const Side side(telling, teller);
  const Event& before = *items[sides.before].event;
  const std::string object = teller.names().object(sides.victim);
  std::string text = fmt::format("{} is alive since turn {}{}", object, life->birth_tick,
                                 in_parentheses(life->birth_site.view()));
  text += fmt::format("; {} {} ({})", race ? "used by" : "ended by",
                      race ? before.what.view() : life->death_site.view(), side.in_words(before));
  if (sides.work != FaultSides::kNone)
    return text + fmt::format("; {} by {} ({})", race ? "ended" : "used",
                              items[sides.work].event->what.view(),
                              side.in_words(*items[sides.work].event));
  const std::uint16_t task = teller.line_of(*fault).task;
  return text + fmt::format("; used by {} (turn {}{})", fault->use_site.view(), fault->tick,
                            task == kNoTask ? "" : ", of " + teller.names().task(task));
}

std::string advice_in_words(const Telling& telling, const Teller& teller) {
  const Fault* fault = teller.fault();
  if (fault == nullptr || fault->kind != FaultKind::data_race) return {};
  const std::vector<StoryItem> items = teller.items();
  const FaultSides sides = fault_sides(telling, teller, items);
  if (sides.before == FaultSides::kNone) return {};
  const Side side(telling, teller);
  const std::uint16_t first = side.task_of(*items[sides.before].event);
  const std::uint16_t second = sides.work != FaultSides::kNone
                                   ? side.task_of(*items[sides.work].event)
                                   : teller.line_of(*fault).task;
  if (first == second || first == kNoTask || second == kNoTask) return {};
  return fmt::format(
      "No lock, wait or stream that is known here orders {} and {}. If atomics of the path do, "
      "state it by harness::edge_release() and edge_acquire() (harness/docs/how-to/recipes.md).",
      teller.names().task(first), teller.names().task(second));
}

bool is_overwritten(const Fault& fault) {
  return fault.kind == FaultKind::ghost_generation && fault.writer.tick != 0;
}

bool is_about_all(const Fault& fault) {
  return fault.kind == FaultKind::deadlock || fault.kind == FaultKind::livelock ||
         fault.kind == FaultKind::step_limit;
}

std::string victim_in_words(const Telling& telling, const Teller& teller, const Fault& fault) {
  if (is_about_all(fault)) return {};
  std::string name = teller.names().object(victim_of(telling, fault));
  return name.empty() ? std::string(fault.object_kind.view()) : name;
}

std::string missing_in_words(const Telling& telling, const Teller& teller, const Fault& fault) {
  const std::string object = victim_in_words(telling, teller, fault);
  const Life* former =
      fault.death_site.empty() ? teller.names().life(victim_of(telling, fault)) : nullptr;
  const Label killer = former != nullptr && !former->alive && former->death_tick <= fault.tick
                           ? former->death_site
                           : fault.death_site;
  const std::string_view use = fault.use_site.view(), death = killer.view();
  switch (fault.kind) {
    case FaultKind::use_after_free:
    case FaultKind::recycled_use:
      if (death.empty())
        return fmt::format("Nothing keeps {} as it is until {} has used it.", object, use);
      return fmt::format("Nothing makes {} wait until {} has used {}.", death, use, object);
    case FaultKind::data_race:
      if (death.empty())
        return fmt::format("Nothing orders {} with the other use of {}.", use, object);
      return fmt::format("Nothing orders {} after {}.", death, use);
    case FaultKind::double_free:
      return fmt::format("{} does not know that {} is already freed.", use, object);
    case FaultKind::wrong_owner:
      return fmt::format("Nothing ties {} to the lifetime that it ends: {}.", use, object);
    case FaultKind::ghost_generation:
      return fmt::format("Nothing makes {} wait until {} has read {}.", fault.writer.site.view(),
                         use, object);
    case FaultKind::retention:
      return fmt::format("Nothing ends {}.", object);
    case FaultKind::deadlock:
    case FaultKind::livelock:
      return "Nothing ends the wait: all tasks wait for each other.";
    case FaultKind::lock_cycle:
      return fmt::format("Nothing makes all take {} and {} in the same order.", object, use);
    case FaultKind::blocked_callback:
      return fmt::format("Nothing releases {} for the {}.", object, use);
    default:
      return {};
  }
}

}  // namespace harness::reports
