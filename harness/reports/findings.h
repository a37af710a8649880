// SPDX-License-Identifier: Apache-2.0
// Findings: the result of a search, as default values: the input of the matrix and of the JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/verdict.h"

namespace harness::reports {

struct ConfigRow {
  std::string config;
  Verdict verdict;
  std::uint64_t runs;
  std::uint64_t exercised;  ///< Runs that were not vacuous.
};

/// One bug: a signature in a window.
struct FindingRow {
  std::string signature;
  std::string hazard;  ///< Its window, or its kind where it has none.
  std::uint64_t runs;  ///< That showed it.
  bool minimized;      ///< Else the file is as found, or as far as time allowed.
  std::string file;    ///< Empty where none could be written.
};

/// One cell of the table variant x window.
struct WindowCell {
  std::string window;  ///< Or the kind of fault, if that has no window.
  std::string way;     ///< Empty where there is one way in.
  bool claimed = false;
  bool unexplained = false;
  Arrivals arrivals{};
  Standing standing = Standing::never_reached;
  std::string answer;  ///< The documented refusal; empty if none is.
};

/// One cell of the matrix: a variant of a path.
struct VariantRow {
  std::string path;
  std::string variant;
  Claim claim{};
  Verdict verdict = Verdict::too_few_runs;
  std::uint64_t runs = 0;
  std::uint64_t runs_to_first_fault = 0;  ///< 0 = no fault.
  double seconds = 0;
  std::vector<FindingRow> findings;  ///< In the order they were found.
  std::vector<ConfigRow> configs;
  std::uint64_t further_signatures = 0;  ///< Runs with a fault that found no place in `findings`.
  std::vector<std::string> unclaimed;    ///< Hazards that showed and that the claim does not name.
  /// Kinds of fault by which a run failed first, and of which no rule of the scenario tells the
  /// window: no claim can name it. The path's, and so in no claim's complaint.
  std::vector<std::string> unexplained_kinds;
  std::vector<std::string> missed;         ///< Hazards that it names, and that never showed there.
  std::vector<WindowCell> windows;         ///< In the scenario's order, then kinds of fault.
  std::uint64_t least_runs = kEnoughRuns;  ///< That count for the claim, in the config with fewest.
  bool stopped = false;                    ///< While it was searched.
  bool cut_short = false;  ///< Time ran out before all that was found was minimized.

  /// Returns whether the claim was borne out, no hazard showed that it does not name, and none is
  /// missing that it does.
  bool came_out() const {
    return as_claimed(claim, verdict) && unclaimed.empty() && missed.empty();
  }
  /// Returns how many runs got to a window by the word of their fault alone: the scenario's own
  /// account of arrivals lacks those.
  std::uint64_t strayed() const;
  /// Returns how many runs had a fault of which no rule tells the window.
  std::uint64_t unexplained() const;
  /// Had come out differently whatever followed the stop.
  bool is_refuted() const {
    return verdict == Verdict::refuted || !unclaimed.empty() || !unexplained_kinds.empty();
  }
  /// Returns how many runs are missing until the claim can be judged.
  std::uint64_t runs_needed() const {
    return least_runs < kEnoughRuns ? kEnoughRuns - least_runs : 0;
  }
  /// Distinct, in the order they were found.
  std::vector<std::string> signatures() const;
};

/// Over all variants of the path that were run.
struct WindowRow {
  std::string path;
  std::string window;
  std::string summary;
  std::uint64_t reached;     ///< Runs.
  std::uint64_t caught;      ///< Runs with a fault there.
  std::uint64_t least_runs;  ///< Not vacuous, in the config with fewest.
  bool is_callers = false;   ///< The caller's to avoid, by the contract.

  /// A window counts as protected when it was reached often, no config was left out, and nothing
  /// resulted from it.
  static constexpr std::uint64_t kProtectedRuns = kEnoughArrivals;
  /// Returns whether the window counts as protected.
  bool is_protected() const {
    return caught == 0 && !is_callers && reached >= kProtectedRuns && least_runs >= kEnoughRuns;
  }
};

struct OpRow {
  std::string path;
  std::string op;
  std::uint64_t reached;  ///< Runs.
};

struct Findings {
  std::vector<VariantRow> variants;
  std::vector<WindowRow> windows;
  std::vector<OpRow> ops;
  bool stopped = false;  ///< By the user, before all was searched.
  std::string window;    ///< The only one that counted; empty = all did.
};

}  // namespace harness::reports
