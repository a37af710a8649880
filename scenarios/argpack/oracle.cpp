// SPDX-License-Identifier: Apache-2.0
// Judges that only this path has. The harness's own oracles judge all else: use-after-free,
// accesses to the wrong generation, leaks (objects alive after everything was dropped, collected
// and synchronised once, which gives deferred frees one synchronize()), and readings.
#include <fmt/format.h>

#include <array>

#include "harness/run/scenario/faults.h"
#include "scenarios/argpack/scenario.h"

namespace scenarios::argpack {
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
    if (counts[kind] > 1)
      scene.world().history.add(harness::retention_of(
          scene, *last[kind], fmt::format("{} alive, where the Program owns one", counts[kind])));
}

}  // namespace scenarios::argpack
