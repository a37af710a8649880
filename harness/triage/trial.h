// SPDX-License-Identifier: Apache-2.0
// Trial: whether a repair works for a finding: on the recorded schedule, and on others.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "harness/intervention.h"
#include "harness/triage/difference.h"
#include "harness/triage/rehearsal.h"
#include "harness/triage/ways.h"

namespace harness::triaging {

/// A case, and the fault that it is about.
struct Finding {
  std::size_t index = 0;  ///< Place of the case among those of the triage.
  Case the_case;
  Fault fault;
  Label used;  ///< The site of the use, or where a graph took what is used.
  std::vector<std::string> signatures;  ///< Those of all faults of the run.
  bool ended_early = false;             ///< By its fault, so that what comes later was not seen.
  bool vacuous = false;                 ///< The path was not really used, by the scenario.
  std::vector<Way> ways;                ///< Ways to put its acts in order.
};

/// A repair that may work, and the sites that it stands for here.
struct Candidate {
  Repair repair;
  Repair here;                 ///< The same with nothing left open.
  bool is_own = false;         ///< It is about the very thing that the fault is about.
  std::size_t step_count = 0;  ///< Number of equal steps before the one that would be undone.
};

/// Returns the site of the use that `fault` is about.
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
  /// Runs a case, minimized on request. Its subject is what goes wrong first. Returns nothing if
  /// there is no fault.
  std::optional<Look> look(std::size_t index, const Suspect& suspect);

  /// Returns the first difference between a run and that of a program that does not show the fault;
  /// nothing if there is none.
  std::optional<Difference> difference_of(const Finding& finding);
  /// Returns the run of a finding that has the difference, with the code that is running then.
  Followed follow_to(const Finding& finding, const Difference& difference);
  /// Keeps the repairs that work: those of the very object, and others only if none of these does.
  /// A repair that leaves more open than another that works is not tried on other schedules again.
  void keep_working(Look& look);
  /// Leaves the orders that work instead, for a finding that no other repair removes.
  void keep_orders(Look& look);
  /// Determines for which writers the reader of a finding waits, if that helps. Drops ways in which
  /// it would wait for none.
  void learn_writers(Finding& finding);

  /// Returns whether the run of the finding, repaired, gets past its fault, which is not there, and
  /// finds no new one until then. To hold things for a use that never comes repairs nothing.
  bool passes(const Repair& repair, const Finding& finding);
  /// Returns whether no other schedule of the repaired program shows the fault.
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
  bool is_needed_ = false;  ///< Whether the repair made a use of this finding succeed in the last
                            ///< run.
  Tick went_well_ = 0;      ///< When that use did, which the finding is about; 0: not known.
  Way way_;                 ///< The way to come by an order that is tried.
};

}  // namespace harness::triaging
