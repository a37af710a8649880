#include "harness/reports/fault_sides.h"

#include "harness/fault/kinds.h"

#include <fmt/format.h>

namespace harness::reports {
namespace {

bool is_work(const Event& event) {
  return event.kind == EventKind::start || event.kind == EventKind::finish;
}

/// The last moment before `end` of which `fits` holds.
template <class Fits>
std::size_t last_event(std::span<const Told> told, std::size_t end, Fits fits) {
  for (std::size_t i = std::min(end, told.size()); i > 0; --i)
    if (told[i - 1].event != nullptr && fits(*told[i - 1].event)) return i - 1;
  return FaultSides::kNone;
}

std::size_t index_of(std::span<const Told> told, const Fault& fault) {
  for (std::size_t i = 0; i < told.size(); ++i)
    if (told[i].fault != nullptr && *told[i].fault == fault) return i;
  return FaultSides::kNone;
}

/// The use that an order fault is about: the end of the work that it names, else the last that it
/// names.
std::size_t first_use(std::span<const Told> told, const Fault& fault, std::size_t end) {
  const std::size_t work = last_event(told, end, [&](const Event& event) {
    return event.kind == EventKind::finish && event.what == fault.use_site;
  });
  if (work != FaultSides::kNone) return work;
  return last_event(told, end, [&](const Event& event) { return event.what == fault.use_site; });
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

FaultSides fault_sides(const Telling& telling, const Teller& teller, std::span<const Told> told) {
  FaultSides sides;
  const Fault* fault = teller.fault();
  if (fault == nullptr) return sides;
  sides.fault = index_of(told, *fault);
  sides.victim = victim_of(telling, *fault);
  const auto of_object = [&](EventKind kind) {
    return last_event(told, sides.fault, [&](const Event& event) {
      return event.kind == kind && event.object == sides.victim && sides.victim != 0;
    });
  };
  sides.birth = of_object(EventKind::birth);
  sides.before = of_object(EventKind::death);
  const bool order = fault->kind == FaultKind::data_race;
  const Label work = order ? Label("free") : fault->use_site;
  sides.work = last_event(told, sides.fault, [&](const Event& event) {
    return event.kind == EventKind::start && event.what == work &&
           event.activation == fault->activation;
  });
  if (!order) return sides;
  sides.before = first_use(told, *fault, sides.fault);
  if (sides.before == FaultSides::kNone || !is_work(*told[sides.before].event)) return sides;
  const Event& use = *told[sides.before].event;
  sides.first_work = last_event(told, sides.before, [&](const Event& event) {
    return event.kind == EventKind::start && event.what == use.what && event.object == use.object;
  });
  return sides;
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
    case FaultKind::use_after_death:
    case FaultKind::recycled_use:
      if (death.empty())
        return fmt::format("Nothing keeps {} as it is until {} has used it.", object, use);
      return fmt::format("Nothing makes {} wait until {} has used {}.", death, use, object);
    case FaultKind::data_race:
      if (death.empty())
        return fmt::format("Nothing orders {} with the other use of {}.", use, object);
      return fmt::format("Nothing orders {} after {}.", death, use);
    case FaultKind::double_free:
      return fmt::format("Nothing tells {} that {} is freed already.", use, object);
    case FaultKind::wrong_owner:
      return fmt::format("Nothing ties {} to the life that it ends: {}.", use, object);
    case FaultKind::ghost_generation:
      return fmt::format("Nothing makes {} wait until {} has read {}.", fault.writer.site.view(),
                         use, object);
    case FaultKind::retention:
      return fmt::format("A death: nothing ends {}.", object);
    case FaultKind::deadlock:
    case FaultKind::livelock:
      return "Somebody who ends the wait: all wait for each other.";
    default:
      return {};
  }
}

}  // namespace harness::reports
