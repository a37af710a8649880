// SPDX-License-Identifier: Apache-2.0
// Findings: the result of a search as plain values, from which the matrix and the JSON are made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/run/verdict.h"

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
  std::string hazard;  ///< Its window, or its kind if it has no window.
  std::uint64_t runs;  ///< Number of runs that showed it.
  bool minimized;      ///< If not, the file has the original run, or an intermediate result.
  std::string file;    ///< "" if it could not be written.
};

/// One cell of the table variant x window.
struct WindowCell {
  std::string window;  ///< Or the kind of a fault without a window.
  std::string way;     ///< "" if there is only one way in.
  bool claimed = false;
  bool unexplained = false;
  Arrivals arrivals{};
  Standing standing = Standing::never_reached;
  std::string answer;  ///< The documented refusal; "" if there is none.
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
  std::uint64_t further_signatures = 0;  ///< Runs with a fault for which `findings` had no room.
  std::vector<std::string> unclaimed;    ///< Hazards that occurred without being in the claim.
  /// Kinds of faults that occurred first in a run, and for which no rule of the scenario determines
  /// a window. No claim can name them, so this concerns the path and not the claim.
  std::vector<std::string> unexplained_kinds;
  std::vector<std::string> missed;         ///< Hazards in the claim that never occurred.
  std::vector<WindowCell> windows;         ///< In the scenario's order, then kinds of fault.
  std::uint64_t least_runs = kEnoughRuns;  ///< Runs that count, in the config with the fewest.
  bool stopped = false;                    ///< The search was stopped.
  bool cut_short = false;                  ///< Time ran out before all findings were minimized.

  /// Returns whether the claim holds, no hazard occurred that is not in the claim, and all hazards
  /// in the claim occurred.
  bool came_out() const {
    return as_claimed(claim, verdict) && unclaimed.empty() && missed.empty();
  }
  /// Returns the number of runs that reached a window only according to their fault: the scenario
  /// did not count their arrival.
  std::uint64_t strayed() const;
  /// Returns the number of runs with a fault whose window no rule determines.
  std::uint64_t unexplained() const;
  /// Returns whether the claim is refuted, even if the search was stopped.
  bool is_refuted() const {
    return verdict == Verdict::refuted || !unclaimed.empty() || !unexplained_kinds.empty();
  }
  /// Returns the number of further runs that are needed to judge the claim.
  std::uint64_t runs_needed() const {
    return least_runs < kEnoughRuns ? kEnoughRuns - least_runs : 0;
  }
  /// Returns the distinct signatures, in the order in which they were found.
  std::vector<std::string> signatures() const;
};

/// A window, over all variants of the path that were run.
struct WindowRow {
  std::string path;
  std::string window;
  std::string summary;
  std::uint64_t reached;     ///< Number of runs that reached it.
  std::uint64_t caught;      ///< Number of runs with a fault in it.
  std::uint64_t least_runs;  ///< Runs that are not vacuous, in the config with the fewest.
  bool is_callers = false;   ///< According to the contract, the caller must avoid it.

  /// A window counts as protected if it was reached often, all configs had enough runs, and no
  /// fault occurred in it.
  static constexpr std::uint64_t kProtectedRuns = kEnoughArrivals;
  /// Returns whether the window counts as protected.
  bool is_protected() const {
    return caught == 0 && !is_callers && reached >= kProtectedRuns && least_runs >= kEnoughRuns;
  }
};

struct OpRow {
  std::string path;
  std::string op;
  std::uint64_t reached;  ///< Number of runs that reached it.
};

struct Findings {
  std::vector<VariantRow> variants;
  std::vector<WindowRow> windows;
  std::vector<OpRow> ops;
  bool stopped = false;  ///< The user stopped it before all variants were searched.
  std::string window;    ///< The only window that counted; "" = all did.
};

}  // namespace harness::reports
