// Judges that only this path has. Everything else is judged by the harness's own oracles: stale
// uses, owners of the wrong generation, what is alive after everything was dropped, collected and
// synchronised once (so a deferred free has one synchronize() to happen in), and readings.
#include <array>

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
  using targets::argpack::kProgramOwnedKinds;
  if (!scene.observed().quiescent) return;
  std::array<std::size_t, kProgramOwnedKinds.size()> counts{};
  std::array<const harness::Life*, kProgramOwnedKinds.size()> last{};
  for (const harness::Life& life : scene.world().ledger.lives()) {
    if (!life.alive) continue;
    for (std::size_t kind = 0; kind < kProgramOwnedKinds.size(); ++kind) {
      if (!(life.kind == kProgramOwnedKinds[kind])) continue;
      ++counts[kind];
      last[kind] = &life;
    }
  }
  for (std::size_t kind = 0; kind < kProgramOwnedKinds.size(); ++kind)
    if (counts[kind] > 1) scene.world().history.add(too_many(scene, *last[kind], counts[kind]));
}

}  // namespace scenarios::argpack
