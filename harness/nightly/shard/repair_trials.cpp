// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/repair_trials.h"

#include "harness/nightly/cause.h"
#include "harness/nightly/root.h"
#include "harness/search/triage/triage.h"

namespace harness::nightly {
namespace {

/// Limit of runs to minimize a finding that the search had no time to minimize.
constexpr std::uint64_t kMinimizeRuns = 300;

RepairRecord as_record(const WorkingRepair& one) {
  return {in_words(one.repair), one.cost, one.is_own};
}

/// Thrown between two runs of a trial.
struct OutOfTime {};

}  // namespace

RepairTrials::RepairTrials(Runner& runner, const Plan& plan, const ShardOptions& options)
    : runner_(runner), options_(options) {
  for (const KnownRepair& one : plan.known)
    for (const std::string& cause : one.causes) known_[cause] = one.words;
}

bool RepairTrials::note(FindingRecord& finding, const Case& the_case, const Deadline& deadline) {
  if (finding.kind != kFault || options_.is_stopped()) return true;
  try {
    finding.repairs = repairs_of(finding, the_case, deadline);
    return true;
  } catch (const OutOfTime&) {
    return known_.contains(finding.cause);  // If known, it already has a root.
  }
}

std::string RepairTrials::repairs_of(const FindingRecord& finding, const Case& the_case,
                                     const Deadline& deadline) {
  const Suspect suspect{the_case, finding.signature};
  if (const auto known = known_.find(finding.cause); known != known_.end()) {
    if (known->second.empty()) return to_text(Sorted{});
    if (deadline.has_passed()) throw OutOfTime();
    if (const auto one = repair_that_still_works(runner_, suspect, known->second))
      return to_text(Sorted{{as_record(*one)}, {}});
  }
  if (deadline.has_passed()) throw OutOfTime();
  TriageOptions options;
  options.search_runs = options_.repair_runs;
  options.minimize_runs = finding.minimized ? 0 : kMinimizeRuns;
  options.stop = options_.stop;
  options.prepare = [&](std::size_t) {
    if (deadline.has_passed()) throw OutOfTime();
  };
  const Explanation found = explain(runner_, suspect, options);
  Sorted sorted{{}, found.first};
  for (const WorkingRepair& one : found.repairs) sorted.repairs.push_back(as_record(one));
  return to_text(sorted);
}

}  // namespace harness::nightly
