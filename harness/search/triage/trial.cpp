// SPDX-License-Identifier: Apache-2.0
// How it works. A search of other schedules runs the finding's program, with the injected errors of
// its tape, in three ways: its recorded choices and one more, its default schedule and one choice,
// and random choices. Only the same fault counts against a repair: otherwise variants with several
// bugs could never be repaired by one change.
//
// An order can be achieved in several ways. The search uses the first one that gets past the fault.
#include "harness/search/triage/trial.h"

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/core/intervention/order.h"
#include "harness/core/pick/deviations.h"
#include "harness/core/pick/sample.h"
#include "harness/search/minimize/minimize.h"
#include "harness/search/minimize/tape.h"
#include "harness/search/triage/candidates.h"
#include "harness/search/triage/difference.h"
#include "harness/search/triage/held_up.h"

namespace harness::triaging {
namespace {

/// Choices that differ between schedules of a program.
constexpr Sites kScheduleSites = kAllSites & ~kProgramSites & ~site_bit(Site::failure);

/// Returns whether the original run had the fault, or ended before it could occur: leaks come last.
bool was_there(const Fault& fault, const Finding& finding) {
  if (fault.kind == FaultKind::retention && finding.ended_early) return true;
  const auto& known = finding.signatures;
  return std::find(known.begin(), known.end(), fault.signature()) != known.end();
}

/// Returns whether it is the finding's fault. The signature may differ, because a stale object may
/// be recycled in other schedules.
bool is_same(const Fault& fault, const Finding& finding) {
  const Fault& known = finding.fault;
  if (fault.object_kind == known.object_kind && fault.birth_site == known.birth_site &&
      use_of(fault) == finding.used)
    return true;
  return fault.signature() == known.signature();
}

/// Returns whether an object is ended twice, or another one in its place. A hold for all uses
/// repairs this only by accident, because the address is not reused then.
bool is_second_end(const Fault& fault) {
  return (fault.kind == FaultKind::double_free || fault.kind == FaultKind::wrong_owner) &&
         !fault.use_site.empty();
}

/// Returns whether the fault is a second end of an object of this kind.
bool ends_again(const Fault& fault, Label object) {
  return is_second_end(fault) && fault.object_kind == object;
}

/// Returns whether the fault is about an object that the repair keeps. A leak of such an object
/// does not count: it would occur without the repair, too, if the run got that far. Nor does a
/// second end that the repair does not name.
bool is_held(const Fault& fault, const Repair& repair) {
  if (repair.used.empty() && is_second_end(fault)) return false;
  return repair.kind == RepairKind::hold && fault.kind != FaultKind::retention &&
         includes(repair, {repair.kind, fault.object_kind, fault.birth_site, fault.death_site,
                           use_of(fault)});
}

/// Returns whether it is a leak that was found at the end. All of these are equally late.
bool is_left_over(const Fault& fault) {
  return fault.kind == FaultKind::retention && fault.use_site.empty();
}

/// Returns whether the repair's release at the end explains the fault: a bound is exceeded, or an
/// owner outlived, during the run.
bool is_released(const Fault& fault, const Repair& repair) {
  return is_too_late(fault) && !is_left_over(fault) &&
         includes(repair, {RepairKind::release, fault.object_kind, fault.birth_site, {}, {}});
}

/// Returns whether a fault comes after the finding's. A fatal one hides other faults of its turn.
bool is_after(const Fault& fault, const Fault& known) {
  return fault.tick > known.tick || (known.fatal && fault.tick == known.tick);
}

/// Returns the time of the first successful use that the finding is about; 0 if there is none. A
/// run that keeps objects makes fewer calls, so its events come earlier.
Tick tick_of_use(const Finding& finding, const Intervention& intervention, const Ledger& ledger) {
  for (const Intervention::Served& served : intervention.served()) {
    const Life& life = ledger.life(served.id);
    if (served.use == finding.used && life.kind == finding.fault.object_kind &&
        life.birth_site == finding.fault.birth_site)
      return served.tick;
  }
  return 0;
}

/// Returns whether the repair released anything. Objects may outlive their owner and still end in
/// time.
bool has_released(const Intervention& intervention, const Ledger& ledger) {
  for (std::size_t i = 0; i < ledger.lives().size(); ++i)
    if (intervention.has_released(static_cast<BirthId>(i))) return true;
  return false;
}

bool is_progress(const Fault& fault) {
  return fault.kind == FaultKind::deadlock || fault.kind == FaultKind::livelock ||
         fault.kind == FaultKind::step_limit;
}

}  // namespace

Label use_of(const Fault& fault) {
  const bool is_capture = !fault.captured_at.empty() && fault.kind != FaultKind::lock_cycle;
  return is_capture ? fault.captured_at : fault.use_site;
}

// ---- examining ----------------------------------------------------------------------------------

std::optional<Trial::Look> Trial::look(std::size_t index, const Suspect& suspect) {
  std::optional<Look> look = look_at(index, suspect.the_case);
  if (!look || options_.minimize_runs == 0) return look;
  if (options_.prepare) options_.prepare(index);
  const auto& found = look->finding.signatures;
  const bool is_there = std::find(found.begin(), found.end(), suspect.signature) != found.end();
  const Limits limits{
      .run_limit = options_.minimize_runs, .thorough = false, .stop = options_.stop};
  const Minimized smaller =
      minimize(runner_, suspect.the_case, is_there ? suspect.signature : found.front(), limits);
  run_count_ += smaller.run_count;
  return smaller.reproduced ? look_at(index, smaller.the_case) : look;
}

std::optional<Trial::Look> Trial::look_at(std::size_t index, const Case& the_case) {
  Replay replay(the_case.tape);
  Rehearsal rehearsal(replay, the_case.tape, nullptr, runner_.world());
  const Outcome& outcome = run(index, the_case, rehearsal);
  if (!outcome.failed()) return {};
  const std::vector<Fault> faults = outcome.faults;
  Look look{{.index = index, .the_case = the_case, .fault = faults.front()}, {}};
  Finding& finding = look.finding;
  for (const Fault& one : faults) finding.signatures.push_back(one.signature());
  finding.ended_early = outcome.ending != Ending::finished;
  finding.vacuous = outcome.vacuous;
  if (is_left_over(finding.fault)) finding.fault = root_of(finding, faults);
  finding.used = use_of(finding.fault);
  look.candidates = candidates_of(finding, runner_.world(), faults, rehearsal.refused());
  finding.ways = ways_of(finding.fault, runner_.world());
  return look;
}

/// Returns the oldest leak, or the one whose release also removes it and leaves the fewest others.
Fault Trial::root_of(const Finding& finding, const std::vector<Fault>& faults) {
  const Fault& oldest = faults.front();
  const Fault* root = &oldest;
  std::size_t fewest = faults.size();
  for (const Fault& one : faults) {
    if (!is_left_over(one) || one.object_kind == oldest.object_kind) continue;
    Replay replay(finding.the_case.tape);
    const Repair release{RepairKind::release, one.object_kind, {}, {}, {}};
    const std::vector<Fault>& left = run(finding, replay, release).faults;
    const bool is_there = std::any_of(left.begin(), left.end(), [&](const Fault& fault) {
      return fault.signature() == oldest.signature();
    });
    if (is_there || left.size() >= fewest) continue;
    fewest = left.size();
    root = &one;
  }
  return *root;
}

std::optional<Difference> Trial::difference_of(const Finding& finding) {
  if (!options_.good) return std::nullopt;
  const Followed good = options_.good(finding.index, finding.the_case, {});
  const auto& known = good.signatures;
  if (std::find(known.begin(), known.end(), finding.fault.signature()) != known.end())
    return std::nullopt;
  if (options_.prepare) options_.prepare(finding.index);
  const Followed bad = follow(runner_, finding.the_case);
  run_count_ += 2;
  return triaging::difference_of(good.trail, bad.trail);
}

Followed Trial::follow_to(const Finding& finding, const Difference& difference) {
  ++run_count_;
  if (difference.is_good) return options_.good(finding.index, finding.the_case, difference.index);
  if (options_.prepare) options_.prepare(finding.index);
  return harness::follow(runner_, finding.the_case, difference.index);
}

void Trial::keep_working(Look& look) {
  std::vector<Candidate> working;
  const auto works = [&](const Candidate& one) {
    const auto is_wider = [&](const Candidate& known) {
      return includes(one.repair, known.repair);
    };
    return passes(one.repair, look.finding) &&
           (std::any_of(working.begin(), working.end(), is_wider) ||
            stays_away(one.repair, look.finding));
  };
  for (const bool own : {true, false}) {
    if (!working.empty()) break;
    for (const Candidate& one : look.candidates)
      if (one.is_own == own && works(one)) working.push_back(one);
  }
  look.candidates = std::move(working);
}

void Trial::keep_orders(Look& look) {
  learn_writers(look.finding);
  look.candidates = orders_of(look.finding.ways);
  keep_working(look);
}

void Trial::learn_writers(Finding& finding) {
  std::vector<Way> learnt;
  for (Way way : finding.ways) {
    if (way.repair.used.empty()) way.repair.used = writer_of(finding, way.repair.let_go);
    if (way.repair.used.empty()) way.repair.used = writer_of(finding, {});
    if (!way.repair.used.empty() || !way.turns.empty()) learnt.push_back(way);
  }
  finding.ways = std::move(learnt);
}

/// Returns the writer of the word for which the reader at this site waits; at any site if `reader`
/// is empty: a reader that is too late has nothing to wait for, and its word was overwritten by
/// that writer.
Label Trial::writer_of(const Finding& finding, Label reader) {
  Order order(finding.fault.object_kind, reader, {});
  const Order::Current current(order);
  Replay replay(finding.the_case.tape);
  Rehearsal rehearsal(replay, finding.the_case.tape, nullptr, runner_.world());
  run(finding.index, finding.the_case, rehearsal);
  return order.by();
}

// ---- running ------------------------------------------------------------------------------------

const Outcome& Trial::run(std::size_t index, const Case& the_case, Strategy& strategy) {
  ++run_count_;
  if (options_.prepare) options_.prepare(index);
  return runner_.run(the_case, strategy);
}

const Outcome& Trial::run(const Finding& finding, Strategy& strategy, const Repair& repair) {
  Rehearsal rehearsal(strategy, finding.the_case.tape, &repair, runner_.world());
  is_needed_ = true;
  went_well_ = 0;
  if (repair.kind == RepairKind::order) return run_in_order(finding, rehearsal, repair);
  if (repair.kind == RepairKind::spare) return run(finding.index, finding.the_case, rehearsal);
  Intervention intervention(
      {repair.object, repair.got, repair.let_go, repair.used, repair.kind == RepairKind::release});
  const Intervention::Current current(intervention);
  const Outcome& outcome = run(finding.index, finding.the_case, rehearsal);
  const bool is_for_all = repair.used.empty();
  const bool is_its_use = is_for_all || repair.used == finding.used;
  went_well_ = tick_of_use(finding, intervention, runner_.world().ledger);
  if (repair.kind == RepairKind::hold)
    is_needed_ = !(is_for_all && ends_again(finding.fault, repair.object)) &&
                 (intervention.served_count() > 0 || (is_its_use && intervention.kept_count() > 0));
  else if (finding.fault.kind == FaultKind::wrong_owner)
    is_needed_ = has_released(intervention, runner_.world().ledger);
  return outcome;
}

/// Uses the current way.
const Outcome& Trial::run_in_order(const Finding& finding, Strategy& strategy,
                                   const Repair& repair) {
  if (!way_.turns.empty()) {
    HeldUp held(strategy, way_.turns, runner_.world());
    const Outcome& outcome = run(finding.index, finding.the_case, held);
    is_needed_ = held.was_kept();
    return outcome;
  }
  Order order(repair.object, repair.let_go, repair.used);
  const Order::Current current(order);
  const Outcome& outcome = run(finding.index, finding.the_case, strategy);
  is_needed_ = order.kept_count() > 0;
  return outcome;
}

bool Trial::passes(const Repair& repair, const Finding& finding) {
  if (repair.kind != RepairKind::order) return gets_past(repair, finding);
  return std::any_of(finding.ways.begin(), finding.ways.end(), [&](const Way& way) {
    if (!includes(repair, way.repair)) return false;
    way_ = way;
    return gets_past(repair, finding);
  });
}

bool Trial::gets_past(const Repair& repair, const Finding& finding) {
  Replay replay(finding.the_case.tape);
  const Outcome& outcome = run(finding, replay, repair);
  bool is_past = outcome.ending == Ending::finished;
  for (const Fault& fault : outcome.faults) {
    if (is_released(fault, repair)) continue;
    const bool is_later =
        is_after(fault, finding.fault) || (went_well_ != 0 && fault.tick >= went_well_);
    if (is_held(fault, repair) || is_same(fault, finding)) return false;
    if (repair.kind == RepairKind::order && is_progress(fault)) return false;  // Not achievable.
    if (!is_later && !was_there(fault, finding)) return false;
    is_past |= is_later;
  }
  // The absence of a second end may be the only visible effect.
  const bool shows = !outcome.vacuous || finding.vacuous || is_second_end(finding.fault);
  return is_past && is_needed_ && shows;
}

bool Trial::is_clean(const Repair& repair, const Finding& finding, Strategy& strategy) {
  const Outcome& outcome = run(finding, strategy, repair);
  return std::none_of(outcome.faults.begin(), outcome.faults.end(), [&](const Fault& fault) {
    return is_same(fault, finding) && !is_released(fault, repair);
  });
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
  if (repair.kind != RepairKind::order) return is_clean_elsewhere(repair, finding);
  return std::any_of(finding.ways.begin(), finding.ways.end(), [&](const Way& way) {
    if (!includes(repair, way.repair)) return false;
    way_ = way;
    return gets_past(repair, finding) && is_clean_elsewhere(repair, finding);
  });
}

bool Trial::is_clean_elsewhere(const Repair& repair, const Finding& finding) {
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
