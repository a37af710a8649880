// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/night.h"

#include <algorithm>

#include "harness/nightly/cause.h"
#include "harness/nightly/deadline.h"
#include "harness/run/verdict.h"

namespace harness::nightly {

bool NightCell::is_canary() const { return claim == to_label(ClaimKind::unsound).view(); }

bool NightCell::is_uncaught() const { return is_canary() && caught_runs == 0; }

// A fault decides immediately. Holding requires enough runs in each config. The sum of the shards'
// least counts is at most the least count of their sum.
std::string NightCell::verdict() const {
  const bool failed = is_canary() ? caught_runs > 0 : faulty_runs > 0;
  if (failed) return is_canary() ? "caught" : "refuted";
  if (runs > 0 && vacuous_runs == runs && !is_canary()) return "vacuous";
  if (path == kPrograms) return runs > 0 ? "held" : "too few runs";
  if (is_canary()) return runs < kRunsToCatch ? "too few runs" : "missed";
  return least_runs < kEnoughRuns ? "too few runs" : "held";
}

std::vector<const NightCell*> Night::missed_canaries() const {
  std::vector<const NightCell*> missed;
  for (const NightCell& cell : cells)
    if (cell.is_uncaught() && cell.runs >= kRunsToCatch) missed.push_back(&cell);
  return missed;
}

bool Night::is_of_canary(const NightFinding& finding) const {
  return std::any_of(cells.begin(), cells.end(), [&](const NightCell& cell) {
    return cell.is_canary() && cell.path == finding.path && cell.variant == finding.variant;
  });
}

bool Night::is_red(const NightFinding& finding) const {
  if (finding.state == State::ignored) return false;
  if (finding.absent) return finding.absent->absence == Absence::unclear;
  return finding.kind == kNondeterminism || !is_of_canary(finding);
}

NightTapes Night::tapes() const {
  NightTapes all;
  for (const NightCell& cell : cells) {
    all.given += cell.tapes.given;
    all.replayed += cell.tapes.replayed;
    all.survived += cell.tapes.survived;
    all.runs += cell.tapes.runs;
  }
  return all;
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

double NightTimes::sound_share(const Terms& terms) const {
  const double all = std::max(seconds, terms.budget.seconds);
  return all > 0 ? sound_seconds / all : 0;
}

// Other builds search only sound variants.
NightTimes times_of(Database& database, const Night& night) {
  const Fields here{{"night", night.id}};
  const Row cells =
      database
          .query(
              "SELECT coalesce(sum(all_seconds), 0.0) AS seconds, coalesce(sum(iif(claim = "
              "'sound', seconds + minimize_seconds + tape_seconds, 0.0)), 0.0) AS sound_seconds, "
              "coalesce(sum(waiting), 0) AS untried FROM cells WHERE night = :night",
              here)
          .at(0);
  const Row builds = database
                         .query(
                             "SELECT coalesce(sum(seconds), 0.0) AS seconds FROM build_cells WHERE "
                             "night = :night",
                             here)
                         .at(0);
  const Row shards = database
                         .query(
                             "SELECT coalesce(max(machine), '') AS machine FROM shards WHERE night "
                             "= :night",
                             here)
                         .at(0);
  const Row late = database
                       .query(
                           "SELECT count(DISTINCT cause) AS unreplayed FROM sightings WHERE night "
                           "= :night AND difference = :difference",
                           {{"night", night.id}, {"difference", std::string(kOutOfTime)}})
                       .at(0);
  const double build_seconds = builds.real("seconds");
  return {.seconds = cells.real("seconds") + build_seconds,
          .sound_seconds = cells.real("sound_seconds") + build_seconds,
          .untried = cells.count("untried"),
          .unreplayed = late.count("unreplayed"),
          .machine = shards.text("machine")};
}

bool Night::is_red() const {
  const auto is_bad = [this](const NightFinding& finding) { return is_red(finding); };
  const NightTapes all = tapes();
  return !missed_canaries().empty() || all.survived < all.replayed ||
         std::any_of(findings.begin(), findings.end(), is_bad) ||
         std::any_of(absent.begin(), absent.end(), is_bad);
}

}  // namespace harness::nightly
