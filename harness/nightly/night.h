// SPDX-License-Identifier: Apache-2.0
// Night: the combined results of a night's shards, for reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/nightly/absent.h"
#include "harness/nightly/build_cells.h"
#include "harness/nightly/builds.h"
#include "harness/nightly/past.h"
#include "harness/nightly/plan.h"
#include "harness/nightly/state.h"
#include "harness/nightly/trend.h"

namespace harness::nightly {

struct NightWindow {
  std::string path;
  std::string window;
  std::uint64_t reached = 0;
  std::uint64_t caught = 0;
};

/// A canary that did not fail in this many runs of its search counts as *missed*. The canary that
/// is hardest to catch (alltoallv/hide_error) fails in one of 444 runs, according to the 1 800
/// searches of each canary in results/gate/effectiveness.txt.xz. So it is missed by chance once in
/// a million nights.
inline constexpr std::uint64_t kRunsToCatch = 6200;

/// The tapes that earlier nights kept for a variant.
struct NightTapes {
  std::uint64_t given = 0;
  std::uint64_t replayed = 0;
  std::uint64_t survived = 0;  ///< Tapes that still reach all their features.
  std::uint64_t runs = 0;      ///< Replays, and runs of the search around the tapes.
};

/// A variant, summed over the shards.
struct NightCell {
  std::string path;
  std::string variant;
  std::string claim;
  std::uint64_t runs = 0;
  std::uint64_t vacuous_runs = 0;
  std::uint64_t faulty_runs = 0;
  std::uint64_t caught_runs = 0;
  std::uint64_t least_runs = 0;
  double seconds = 0;                     ///< Time for running and minimizing.
  std::vector<NightWindow> windows = {};  ///< Its windows, ordered by name.
  NightTapes tapes = {};

  /// Returns whether it is expected to fail.
  bool is_canary() const;
  /// Returns whether it is a canary that did not fail, regardless of its number of runs.
  bool is_uncaught() const;
  /// Returns "held", "refuted", "caught", "missed", "vacuous" or "too few runs".
  std::string verdict() const;
};

/// One symptom of a finding.
struct NightSymptom {
  std::string cause;  ///< Its identity (cause.h).
  std::string kind;
  std::string variant;
  std::string hazard;
  std::string signature;
  std::string file;        ///< Name of its reproducer's file.
  std::uint64_t runs = 0;  ///< Runs of this night that showed it, including those around tapes.
};

/// A finding: all symptoms with one root cause (root.h), in the canaries of a path or in its sound
/// variants.
struct NightFinding {
  std::string cause;  ///< Its identity.
  // Those of its simplest symptom.
  std::string kind;
  std::string path;
  std::string variant;
  std::string hazard;
  std::string signature;
  std::string file;
  State state = State::fresh;
  std::uint64_t runs = 0;          ///< Summed over its symptoms.
  std::uint64_t first_number = 0;  ///< Number of the first night that saw it.
  std::string repair = {};         ///< The repair that removes it, in words; "" = none was found.
  std::string root = {};           ///< See findings.h.
  std::string owner = {};
  std::vector<NightSymptom> symptoms = {};  ///< The simplest first.
  /// The replay of a finding that this night did not see.
  std::optional<AbsentReplay> absent = {};

  /// Returns whether it needs attention today.
  bool is_news() const { return state == State::fresh || state == State::regressed; }
  /// Returns whether this variant has the finding.
  bool is_of(const NightCell& cell) const;
};

/// The times of a night, and work for which it had no time.
struct NightTimes {
  double seconds = 0;            ///< Time of all shards together; 0 if unknown.
  double sound_seconds = 0;      ///< Time for sound variants, in all builds.
  std::uint64_t untried = 0;     ///< Symptoms whose repairs were not tried.
  std::uint64_t unreplayed = 0;  ///< Findings that were not replayed in a new process.
  std::string machine = {};      ///< The kind of machine of a shard; "" if unknown.

  /// Returns the share of sound variants in the time of the night, at least the planned time; 0 if
  /// unknown.
  double sound_share(const Terms& terms) const;
};

struct Night {
  std::string id;
  Terms terms;
  std::size_t shards_here = 0;
  std::vector<NightCell> cells;        ///< By path and variant.
  std::vector<NightWindow> windows;    ///< By path and window.
  std::vector<NightFinding> findings;  ///< Seen in it; new ones first, then by path and variant.
  std::vector<NightFinding> absent;    ///< Open ones that it did not see, in the same order.
  std::vector<PastNight> past;         ///< The nights up to this one, which is the last.
  std::vector<BuildReplays> builds;    ///< Its findings in other builds; empty before the replays.
  std::vector<BuildSearches> build_searches = {};  ///< Ordered by build.
  std::uint64_t nights_missing = 0;                ///< Missing nights before it: see past.h.
  std::vector<Trend> trends = {};                  ///< Up to this night: see trend.h.
  NightTimes times = {};
  /// The commit of the night before; "" if it is the same or unknown to git.
  std::string commit_before = {};

  /// Returns the canaries that were not caught in at least kRunsToCatch runs.
  std::vector<const NightCell*> missed_canaries() const;
  /// Returns whether the variant of a finding is a canary.
  bool is_of_canary(const NightFinding& finding) const;
  /// Returns whether a finding makes the night red: a sound variant fails, or a recorded run does
  /// not replay. Ignored findings do not.
  bool is_red(const NightFinding& finding) const;
  /// Returns the sums over all variants.
  NightTapes tapes() const;
  /// Returns the number of findings in this state that it saw.
  std::size_t count(State state) const;
  /// Returns the total number of their signatures.
  std::size_t symptom_count() const;
  /// Returns the findings that it did not see, and found to be fixed.
  std::vector<const NightFinding*> fixed() const;
  /// Returns whether a sound variant failed, a recorded tape or finding does not replay any more,
  /// or a canary was missed.
  bool is_red() const;
};

/// Returns the times of a night whose shards are in the database.
NightTimes times_of(Database& database, const Night& night);

}  // namespace harness::nightly
