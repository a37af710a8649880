// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/search/triage/candidates.h"
#include "harness/search/triage/trial.h"

namespace harness {

Remedy least_repair(Runner& runner, const Suspect& suspect, const TriageOptions& options) {
  triaging::Trial trial(runner, options);
  std::optional<triaging::Trial::Look> look = trial.look(0, suspect);
  Remedy remedy;
  if (!look) return remedy;
  std::vector<Repair> tried;
  const auto works = [&](const Repair& repair) {
    if (trial.is_stopped() || std::find(tried.begin(), tried.end(), repair) != tried.end())
      return false;
    tried.push_back(repair);
    if (!trial.passes(repair, look->finding)) return false;
    const std::uint64_t before = trial.run_count();
    if (!trial.stays_away(repair, look->finding)) return false;
    remedy = {true, repair, trial.run_count() - before, 0};
    return true;
  };
  for (const bool own : {true, false})
    for (const triaging::Candidate& one : look->candidates)
      if (!remedy.found && one.is_own == own && !works(one.here)) works(one.repair);
  if (!remedy.found) trial.learn_writers(look->finding);
  for (const triaging::Candidate& one : triaging::orders_of(look->finding.ways))
    if (!remedy.found) works(one.repair);
  remedy.tried_count = tried.size();
  return remedy;
}

}  // namespace harness
