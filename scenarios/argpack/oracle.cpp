// What only this path can judge. Everything else is judged by the harness's own oracles: stale
// uses, owners of the wrong generation, what is alive after everything was dropped, collected and
// synchronised once (so a deferred free has one synchronize() to happen in), and readings.
#include <algorithm>

#include <fmt/format.h>

#include "scenarios/argpack/scenario.h"

namespace scenarios::argpack {
namespace {

harness::Fault too_many(const harness::Scene& scene, const harness::Life& last, std::size_t count) {
  harness::Fault fault;
  fault.kind = harness::FaultKind::retention;
  fault.object_kind = last.kind;
  fault.birth_site = last.birth_site;
  fault.object = last.name;
  fault.activation = last.birth_activation;
  fault.tick = scene.world().scheduler.now();
  fault.detail = fmt::format("{} alive, where the Program owns one", count);
  return fault;
}

}  // namespace

void judge(harness::Scene& scene) {
  if (!scene.quiescent()) return;
  const auto& lives = scene.world().ledger.lives();
  for (const harness::Label kind : targets::argpack::kProgramOwnedKinds) {
    const auto is_one = [&](const harness::Life& life) { return life.alive && life.kind == kind; };
    const auto count = static_cast<std::size_t>(std::count_if(lives.begin(), lives.end(), is_one));
    if (count < 2) continue;
    const auto last = std::find_if(lives.rbegin(), lives.rend(), is_one);
    scene.world().history.add(too_many(scene, *last, count));
  }
}

}  // namespace scenarios::argpack
