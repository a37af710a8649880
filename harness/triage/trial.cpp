// How it works. A search of other schedules plays the finding's program, with the calls that fail
// on its tape, in three ways: its own decisions and one more, its plain schedule and one decision,
// and decisions drawn at random. It counts a fault against the repair only where it is the same
// one: reproducers of variants with several bugs would else never be repaired by one change.
#include "harness/triage/trial.h"

#include <algorithm>

#include "harness/fault/kinds.h"
#include "harness/minimize/tape.h"
#include "harness/pick/deviations.h"
#include "harness/pick/sample.h"

namespace harness::triaging {
namespace {

/// Questions whose answers another schedule may change.
constexpr Sites kScheduleSites = kAllSites & ~kProgramSites & ~site_bit(Site::failure);

/// Sites that a use may consist of.
constexpr std::size_t kUseLimit = 6;

bool is_listed(Label site, const std::vector<Label>& sites) {
  return std::find(sites.begin(), sites.end(), site) != sites.end();
}

/// Whether the fault is one that the run before had, or could not see: leaks come last.
bool was_there(const Fault& fault, const Finding& finding) {
  if (fault.kind == FaultKind::retention && finding.ended_early) return true;
  const auto& known = finding.signatures;
  return std::find(known.begin(), known.end(), fault.signature()) != known.end();
}

/// The same fault under another name counts, too: what was stale is recycled on other schedules.
bool is_same(const Fault& fault, const Finding& finding) {
  const Fault& known = finding.fault;
  if (fault.object_kind == known.object_kind && fault.birth_site == known.birth_site &&
      use_of(fault) == finding.used)
    return true;
  return fault.signature() == known.signature();
}

void add(std::vector<Candidate>& candidates, Candidate candidate, Label let_go) {
  const auto known =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const Candidate& other) { return other.repair == candidate.repair; });
  Candidate& one = known != candidates.end() ? *known : candidates.emplace_back(candidate);
  one.turns = std::max(one.turns, candidate.turns);
  if (!let_go.empty() && !is_listed(let_go, one.let_go)) one.let_go.push_back(let_go);
}

}  // namespace

Label use_of(const Fault& fault) {
  return fault.captured_at.empty() ? fault.use_site : fault.captured_at;
}

// ---- looking ------------------------------------------------------------------------------------

std::optional<Trial::Look> Trial::look(std::size_t index, const Suspect& suspect) {
  const Case& the_case = suspect.the_case;
  Replay replay(the_case.tape);
  Rehearsal rehearsal(replay, the_case.tape, nullptr, runner_.world());
  const Outcome& outcome = run(the_case, rehearsal);
  if (!outcome.failed()) return {};
  const auto meant =
      std::find_if(outcome.faults.begin(), outcome.faults.end(),
                   [&](const Fault& fault) { return fault.signature() == suspect.signature; });
  const Fault& fault = meant != outcome.faults.end() ? *meant : outcome.faults.front();
  Look look{{index, the_case, fault, use_of(fault), {}}, {}};
  for (const Fault& one : outcome.faults) look.finding.signatures.push_back(one.signature());
  look.finding.ended_early = outcome.ending != Ending::finished;
  look.finding.vacuous = outcome.vacuous;
  look.candidates = candidates(look.finding, rehearsal);
  return look;
}

/// Whatever had died by then may have died too early, and whatever failed may be what it follows
/// from. A leak has no use that anything is to be kept for.
std::vector<Candidate> Trial::candidates(const Finding& finding, const Rehearsal& rehearsal) const {
  std::vector<Candidate> found;
  const Fault& fault = finding.fault;
  const auto hold = [&](Label object, Label got) {
    return Repair{RepairKind::hold, object, got, {finding.used}};
  };
  const bool has_use = fault.kind != FaultKind::retention && !finding.used.empty();
  if (has_use && !fault.object_kind.empty() && !fault.birth_site.empty())
    add(found, {.repair = hold(fault.object_kind, fault.birth_site), .is_own = true},
        fault.death_site);
  for (const Life& life : runner_.world().ledger.lives()) {
    if (!has_use || life.alive || life.kind.empty() || life.death_tick > fault.tick) continue;
    add(found, {.repair = hold(life.kind, life.birth_site), .turns = fault.tick - life.death_tick},
        life.death_site);
  }
  for (const RefusedStep& step : rehearsal.refused())
    add(found, {.repair = {RepairKind::spare, step.call, {}, {step.site}}}, {});
  return found;
}

// ---- running ------------------------------------------------------------------------------------

const Outcome& Trial::run(const Case& the_case, Strategy& strategy) {
  ++run_count_;
  return runner_.run(*the_case.scenario, the_case.variant, the_case.config, *the_case.device,
                     strategy);
}

const Outcome& Trial::run(const Finding& finding, Strategy& strategy, const Repair& repair) {
  Rehearsal rehearsal(strategy, finding.the_case.tape, &repair, runner_.world());
  kept_count_ = 0;
  served_count_ = 0;
  if (repair.kind == RepairKind::spare) return run(finding.the_case, rehearsal);
  Intervention intervention({repair.object, repair.got, repair.used});
  const Intervention::Current current(intervention);
  const Outcome& outcome = run(finding.the_case, rehearsal);
  served_count_ = intervention.served_count();
  kept_count_ = intervention.kept_count();
  return outcome;
}

bool Trial::passes(const Repair& repair, const Finding& finding) {
  Replay replay(finding.the_case.tape);
  used_again_.reset();
  const Outcome& outcome = run(finding, replay, repair);
  for (const Fault& fault : outcome.faults) {
    const bool is_held = fault.object_kind == repair.object && fault.birth_site == repair.got;
    if (is_held && !is_listed(use_of(fault), repair.used)) used_again_ = fault;
    if (is_held || is_same(fault, finding) || !was_there(fault, finding)) return false;
  }
  return outcome.ending == Ending::finished && (!outcome.vacuous || finding.vacuous);
}

bool Trial::passes_with_more(Candidate& candidate, const Finding& finding) {
  bool passed = passes(candidate.repair, finding);
  while (!passed && used_again_ && candidate.repair.used.size() < kUseLimit) {
    candidate.repair.used.push_back(use_of(*used_again_));
    passed = passes(candidate.repair, finding);
  }
  candidate.kept = kept_count_;
  return passed;
}

bool Trial::explains(const Repair& repair, const Finding& finding) {
  if (!passes(repair, finding)) return false;
  const Fault& fault = finding.fault;
  const bool is_same_thing = fault.object_kind == repair.object && fault.birth_site == repair.got;
  if (repair.kind == RepairKind::hold && !is_same_thing && served_count_ == 0) return false;
  return stays_away(repair, finding);
}

bool Trial::is_clean(const Repair& repair, const Finding& finding, Strategy& strategy) {
  const Outcome& outcome = run(finding, strategy, repair);
  return std::none_of(outcome.faults.begin(), outcome.faults.end(),
                      [&](const Fault& fault) { return is_same(fault, finding); });
}

bool Trial::survives_deviations(const Repair& repair, const Finding& finding, const Tape& base,
                                std::uint64_t run_limit) {
  Deviations deviations;
  deviations.assign(base, 1, kScheduleSites);
  for (std::uint64_t runs = 0; runs < run_limit; ++runs) {
    if (!is_clean(repair, finding, deviations)) return false;
    if (!deviations.advance()) break;
  }
  return true;
}

bool Trial::stays_away(const Repair& repair, const Finding& finding) {
  const Tape& tape = finding.the_case.tape;
  const std::uint64_t share = options_.search_runs / 3;
  const Tape program = minimizing::program_of(tape);
  if (!survives_deviations(repair, finding, tape, share)) return false;
  if (!survives_deviations(repair, finding, program, share)) return false;
  Sample sample;
  for (std::uint64_t seed = 0; seed < options_.search_runs - 2 * share; ++seed) {
    sample.assign(program, seed);
    if (!is_clean(repair, finding, sample)) return false;
  }
  return true;
}

}  // namespace harness::triaging
