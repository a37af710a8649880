// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/shadow/things.h"

#include "scenarios/graph_argument/contract.h"

namespace scenarios::graph_argument {

/// Returns the last object of that kind born in the current activation, which the path has just
/// made.
harness::BirthId ShadowThings::newest(ThingKind kind) const {
  static constexpr std::array<harness::Label, 3> kLives{"device memory", "library", "event"};
  if (kind == ThingKind::function) return harness::BirthId::none;
  const auto& lives = scene_.world().ledger.lives();
  const harness::Name activation = scene_.world().picker.current().name;
  const auto is_it = [&](const harness::Life& life) {
    return life.kind == kLives[harness::raw(kind)] && life.birth_activation == activation;
  };
  std::size_t i = lives.size() - 1;
  while (i > 0 && !is_it(lives[i])) --i;
  return static_cast<harness::BirthId>(i);
}

// The script keeps no reference to a function.
void ShadowThings::thing_made(ThingId, ThingKind kind) {
  ShadowThing& thing = records_.add_thing();
  thing.kind = kind;
  thing.life = newest(kind);
  thing.gone = kind == ThingKind::function;
}

void ShadowThings::reference_dropped(ThingId id) {
  ShadowThing& thing = records_.at(id);
  if (--thing.references == 0) lose(thing, thing.gone);
}

void ShadowThings::lose(const ShadowThing& thing, bool& flag) {
  if (!std::exchange(flag, true)) reach_in_flight(thing, users_.window_of(thing));
}

/// Reaches the window of a thing that is lost, if a launch may be using it.
void ShadowThings::reach_in_flight(const ShadowThing& thing, Window window) {
  for (const ShadowLaunch& launch : records_.launches())
    if (!launch.finished && works_on(launch.nodes, thing)) return passages_.reach(window);
}

void ShadowThings::thing_ends(ThingId id) {
  ShadowThing& thing = records_.at(id);
  thing.end = users_.window_of(thing);
  reach_in_flight(thing, *thing.end);
  if (thing.end != Window::captured_dropped) return;
  harness::Scheduler& scheduler = scene_.world().scheduler;
  // The path has its own scope for the site, which ends with the call.
  if (thing.kind == ThingKind::module) harness::SiteScope::rename(scheduler, kModuleCapturedSite);
  if (thing.kind == ThingKind::buffer && !thing.closed)
    harness::SiteScope::rename(scheduler, kBufferCapturedSite);
}

std::optional<Window> ShadowThings::window_of_end(harness::Name life) const {
  const harness::Ledger& ledger = scene_.world().ledger;
  for (const ShadowThing* thing : records_.things())
    if (thing->end && ledger.life(thing->life).name == life) return thing->end;
  return std::nullopt;
}

}  // namespace scenarios::graph_argument
