// Trial: whether a repair works for a finding: on the recorded schedule, and on others.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "harness/intervention.h"
#include "harness/triage/rehearsal.h"

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
};

/// A repair that may work, and what it takes.
struct Candidate {
  Repair repair;
  std::vector<Label> let_go;  ///< The sites at which what it holds was let go.
  std::size_t kept = 0;       ///< How many things it keeps, on the recorded schedule.
  Tick turns = 0;             ///< How long, from the first death to the fault.
  bool is_own = false;        ///< It is about the very thing that the fault is about.
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
  /// Runs a case as it is. Returns nothing where no fault is found.
  std::optional<Look> look(std::size_t index, const Suspect& suspect);

  /// Returns whether the run of the finding, repaired, goes to its end and finds nothing that it
  /// did not find before, and not this fault.
  bool passes(const Repair& repair, const Finding& finding);
  /// The same. Where what is held is used again before the use is over, that becomes part of the
  /// use. Fills in how many things are kept.
  bool passes_with_more(Candidate& candidate, const Finding& finding);
  /// Returns whether no other schedule of the repaired program shows the fault.
  bool stays_away(const Repair& repair, const Finding& finding);
  /// Returns whether the repair works.
  bool removes(const Repair& repair, const Finding& finding) {
    return passes(repair, finding) && stays_away(repair, finding);
  }
  /// Returns whether the repair of another finding works, and for the same reason: it is about the
  /// same things, or lets a use of them go well here, too. To keep things for a use that never
  /// comes repairs nothing, even where the fault is gone.
  bool explains(const Repair& repair, const Finding& finding);

  /// Returns whether to stop was asked.
  bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  std::uint64_t run_count() const { return run_count_; }

 private:
  const Outcome& run(const Finding& finding, Strategy& strategy, const Repair& repair);
  const Outcome& run(const Case& the_case, Strategy& strategy);
  bool is_clean(const Repair& repair, const Finding& finding, Strategy& strategy);
  bool survives_deviations(const Repair& repair, const Finding& finding, const Tape& base,
                           std::uint64_t run_limit);
  std::vector<Candidate> candidates(const Finding& finding, const Rehearsal& rehearsal) const;

  Runner& runner_;
  TriageOptions options_;
  std::uint64_t run_count_ = 0;
  std::size_t kept_count_ = 0;       ///< In the last repaired run.
  std::uint64_t served_count_ = 0;   ///< Uses in it that went well thanks to the repair.
  std::optional<Fault> used_again_;  ///< A fault of the last repaired run, about what it held.
};

}  // namespace harness::triaging
