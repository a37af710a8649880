// SPDX-License-Identifier: Apache-2.0
// A leak: at quiescence, everything born since the baseline must be gone, apart from growth that
// the scenario names. One fault per kind and birth site.
#include <algorithm>

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"

namespace harness::oracles {
namespace {

bool is_known_growth(const Scenario& scenario, Label kind) {
  return std::any_of(scenario.growth.begin(), scenario.growth.end(),
                     [&](const Growth& growth) { return growth.kind == kind; });
}

// A lifetime that ended after the mark was only cleaned up.
bool was_alive_at_mark(const Scene& scene, const Life& life) {
  if (life.alive) return true;
  const Records<Event>& events = scene.world().history.events();
  return std::any_of(events.begin() + scene.observed().quiescent->event_count, events.end(),
                     [&](const Event& event) {
                       return event.kind == EventKind::death && event.object == life.name;
                     });
}

bool is_reported(const History& history, const Life& life) {
  return std::any_of(history.faults().begin(), history.faults().end(), [&](const Fault& fault) {
    return fault.kind == FaultKind::retention && fault.object_kind == life.kind &&
           fault.birth_site == life.birth_site;
  });
}

void judge_retention(Scene& scene) {
  const Observed& observed = scene.observed();
  if (!observed.quiescent) return;
  const Records<Life>& lives = scene.world().ledger.lives();
  History& history = scene.world().history;
  for (std::size_t i = observed.baseline; i < observed.quiescent->life_count; ++i) {
    const Life& life = lives[i];
    if (!was_alive_at_mark(scene, life) || is_known_growth(scene.scenario(), life.kind)) continue;
    if (!is_reported(history, life))
      history.add(retention_of(scene, life, fmt::format("alive since turn {}", life.birth_tick)));
  }
}

}  // namespace

extern const OracleInfo retention;
const OracleInfo retention{"retention", "at quiescence everything is back to the baseline",
                           judge_retention};

}  // namespace harness::oracles
