// SPDX-License-Identifier: Apache-2.0
// Trial: checks whether a repair works for a finding, on the recorded schedule and on others.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/intervention/intervention.h"
#include "harness/search/triage/difference.h"
#include "harness/search/triage/rehearsal.h"
#include "harness/search/triage/ways.h"

namespace harness::triaging {

/// A case, and the fault to explain.
struct Finding {
  std::size_t index = 0;  ///< Index of the case in the triage.
  Case the_case;
  Fault fault;
  Label used;  ///< The site of the use, or at which a graph captured the used object.
  std::vector<std::string> signatures;  ///< Signatures of all faults of the run.
  bool ended_early = false;             ///< Its fault ended the run, so later faults are unknown.
  bool vacuous = false;                 ///< The scenario says that the path was not really used.
  std::vector<Way> ways;                ///< Ways to order its acts.
};

/// A repair that may work, and the sites for which it stands here.
struct Candidate {
  Repair repair;
  Repair here;                 ///< The same without open parts.
  bool is_own = false;         ///< It concerns the fault's own object.
  std::size_t step_count = 0;  ///< Number of equal steps before the one to revert.
};

/// Returns the site of the fault's use.
Label use_of(const Fault& fault);

/// Ownership: borrows the runner. Threads: the runner's.
class Trial {
 public:
  Trial(Runner& runner, const TriageOptions& options) : runner_(runner), options_(options) {}

  /// A finding, and the repairs that may work for it.
  struct Look {
    Finding finding;
    std::vector<Candidate> candidates;
  };
  /// Runs a case, minimized on request. The finding is the first fault. Returns nothing if there is
  /// no fault.
  std::optional<Look> look(std::size_t index, const Suspect& suspect);

  /// Returns the first difference between the run and that of a program without the fault; nothing
  /// if there is none.
  std::optional<Difference> difference_of(const Finding& finding);
  /// Returns the run that has the difference, and the code that runs at that step.
  Followed follow_to(const Finding& finding, const Difference& difference);
  /// Keeps the repairs that work: those of the fault's own object, and others only if none of these
  /// works. A repair that is more general than another working one is not tried again on other
  /// schedules.
  void keep_working(Look& look);
  /// Replaces the candidates by the orders that work, for a finding that no other repair removes.
  void keep_orders(Look& look);
  /// Determines for which writers the reader of a finding waits, if that helps. Drops ways without
  /// a writer.
  void learn_writers(Finding& finding);

  /// Returns whether the repaired run gets past the finding's fault, without that fault and without
  /// a new one before. Keeping objects for a use that does not occur repairs nothing.
  bool passes(const Repair& repair, const Finding& finding);
  /// Returns whether other schedules of the repaired program do not show the fault.
  bool stays_away(const Repair& repair, const Finding& finding);
  /// Returns whether the repair works.
  bool removes(const Repair& repair, const Finding& finding) {
    return passes(repair, finding) && stays_away(repair, finding);
  }

  /// Returns whether a stop was requested.
  bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  std::uint64_t run_count() const { return run_count_; }

 private:
  std::optional<Look> look_at(std::size_t index, const Case& the_case);
  Label writer_of(const Finding& finding, Label reader);
  Fault root_of(const Finding& finding, const std::vector<Fault>& faults);
  const Outcome& run(const Finding& finding, Strategy& strategy, const Repair& repair);
  const Outcome& run_in_order(const Finding& finding, Strategy& strategy, const Repair& repair);
  bool gets_past(const Repair& repair, const Finding& finding);
  const Outcome& run(std::size_t index, const Case& the_case, Strategy& strategy);
  bool is_clean_elsewhere(const Repair& repair, const Finding& finding);
  bool is_clean(const Repair& repair, const Finding& finding, Strategy& strategy);
  bool survives_deviations(const Repair& repair, const Finding& finding, const Tape& base,
                           std::uint64_t run_limit);

  Runner& runner_;
  TriageOptions options_;
  std::uint64_t run_count_ = 0;
  bool is_needed_ = false;  ///< The repair made a use of this finding succeed in the last run.
  Tick went_well_ = 0;      ///< Time of the finding's first successful use; 0 if unknown.
  Way way_;                 ///< The way to achieve the order under trial.
};

}  // namespace harness::triaging
