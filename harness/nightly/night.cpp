#include "harness/nightly/night.h"

#include <algorithm>

#include "harness/verdict.h"

namespace harness::nightly {

bool NightCell::is_canary() const { return claim == to_label(ClaimKind::unsound).view(); }

// A fault speaks for itself; that none was found takes enough runs in every config. A sum over
// shards of each one's poorest config is never more than what the poorest config had.
std::string NightCell::verdict() const {
  const bool failed = is_canary() ? caught_runs > 0 : faulty_runs > 0;
  if (failed) return is_canary() ? "caught" : "refuted";
  if (runs > 0 && vacuous_runs == runs && !is_canary()) return "vacuous";
  if (least_runs < kEnoughRuns) return "too few runs";
  return is_canary() ? "missed" : "held";
}

std::vector<const NightCell*> Night::missed_canaries() const {
  std::vector<const NightCell*> missed;
  for (const NightCell& cell : cells)
    if (cell.is_canary() && cell.caught_runs == 0) missed.push_back(&cell);
  return missed;
}

std::size_t Night::count(State state) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [state](const NightFinding& finding) { return finding.state == state; }));
}

bool NightFinding::is_of(const NightCell& cell) const {
  const auto is_its = [&](const NightSymptom& symptom) { return symptom.variant == cell.variant; };
  return path == cell.path && std::any_of(symptoms.begin(), symptoms.end(), is_its);
}

std::size_t Night::symptom_count() const {
  std::size_t count = 0;
  for (const NightFinding& finding : findings) count += finding.symptoms.size();
  return count;
}

std::vector<const NightFinding*> Night::fixed() const {
  std::vector<const NightFinding*> fixed;
  for (const NightFinding& finding : absent)
    if (finding.state == State::fixed) fixed.push_back(&finding);
  return fixed;
}

bool Night::is_red() const {
  return !missed_canaries().empty() ||
         std::any_of(findings.begin(), findings.end(),
                     [](const NightFinding& finding) { return finding.is_news(); });
}

}  // namespace harness::nightly
