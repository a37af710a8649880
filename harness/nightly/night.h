// SPDX-License-Identifier: Apache-2.0
// Night: what the shards of one night came to together, and what a person must know of it.
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

/// Runs of its own search after which a canary that did not fail as it claims was *missed*. The
/// canary that is hardest to catch (alltoallv/hide_error) fails in one of 444 runs, by the 1 800
/// searches of each canary in results/gate/effectiveness.txt.xz: in this many runs it is missed by
/// chance once in a million nights.
inline constexpr std::uint64_t kRunsToCatch = 6200;

/// The tapes that earlier nights kept for a variant.
struct NightTapes {
  std::uint64_t given = 0;
  std::uint64_t replayed = 0;
  std::uint64_t survived = 0;  ///< They get to all that they were kept for.
  std::uint64_t runs = 0;      ///< Replays, and runs that were searched around them.
};

/// One variant, summed over the shards.
struct NightCell {
  std::string path;
  std::string variant;
  std::string claim;
  std::uint64_t runs = 0;
  std::uint64_t vacuous_runs = 0;
  std::uint64_t faulty_runs = 0;
  std::uint64_t caught_runs = 0;
  std::uint64_t least_runs = 0;
  double seconds = 0;                     ///< Time of running and minimizing.
  std::vector<NightWindow> windows = {};  ///< Its own, by name.
  NightTapes tapes = {};

  /// Returns whether it is there to be caught.
  bool is_canary() const;
  /// Returns whether it is a canary that did not fail as it claims, in whatever number of runs.
  bool is_uncaught() const;
  /// Returns "held", "refuted", "caught", "missed", "vacuous" or "too few runs".
  std::string verdict() const;
};

/// One way in which a finding shows.
struct NightSymptom {
  std::string cause;  ///< Its name: see cause.h.
  std::string kind;
  std::string variant;
  std::string hazard;
  std::string signature;
  std::string file;        ///< Name that its reproducer goes by.
  std::uint64_t runs = 0;  ///< Runs of this night that showed it, around tapes as well.
};

/// All that has one root cause (root.h), in the canaries of a path or in its sound variants.
struct NightFinding {
  std::string cause;  ///< Its name.
  // The simplest of its symptoms.
  std::string kind;
  std::string path;
  std::string variant;
  std::string hazard;
  std::string signature;
  std::string file;
  State state = State::fresh;
  std::uint64_t runs = 0;          ///< Summed over the ways in which it shows.
  std::uint64_t first_number = 0;  ///< Number of the night that saw it first.
  std::string repair = {};         ///< In words, what removes it; "" = nothing that was tried.
  std::string root = {};           ///< See findings.h.
  std::string owner = {};
  std::vector<NightSymptom> symptoms = {};  ///< The simplest first.
  /// The replay of one that this night did not see.
  std::optional<AbsentReplay> absent = {};

  /// Returns whether another should look at it today.
  bool is_news() const { return state == State::fresh || state == State::regressed; }
  /// Returns whether this variant shows it.
  bool is_of(const NightCell& cell) const;
};

/// The times of a night, and the work that it had no time for.
struct NightTimes {
  double seconds = 0;            ///< Time of all shards together; 0 = not known.
  double sound_seconds = 0;      ///< The part that searched sound variants, in all builds.
  std::uint64_t untried = 0;     ///< Ways to fail whose repairs were not tried.
  std::uint64_t unreplayed = 0;  ///< Findings that no fresh process replayed.
  std::string machine = {};      ///< Class of the machine of a shard; "" = not known.

  /// Returns the part of the night that sound variants had, of the time planned at least; 0 if that
  /// is not known.
  double sound_share(const Terms& terms) const;
};

struct Night {
  std::string id;
  Terms terms;
  std::size_t shards_here = 0;
  std::vector<NightCell> cells;        ///< By path and variant.
  std::vector<NightWindow> windows;    ///< By path and window.
  std::vector<NightFinding> findings;  ///< Those seen in it; news first, then by path and variant.
  std::vector<NightFinding> absent;    ///< Open ones that it did not see, in the same order.
  std::vector<PastNight> past;         ///< The nights up to this one, which is the last.
  std::vector<BuildReplays> builds;    ///< Its findings in other builds; empty = not replayed yet.
  std::vector<BuildSearches> build_searches = {};  ///< By name of the build.
  std::uint64_t nights_missing = 0;  ///< Nights before it that did not happen: see past.h.
  std::vector<Trend> trends = {};    ///< Up to this night: see trend.h.
  NightTimes times = {};
  /// The commit that the night before searched; "" = it is this one, or none that git could find.
  std::string commit_before = {};

  /// Returns the canaries that were not caught in kRunsToCatch runs or more.
  std::vector<const NightCell*> missed_canaries() const;
  /// Returns whether the variant of a finding is a canary.
  bool is_of_canary(const NightFinding& finding) const;
  /// Returns whether a finding makes the night red: a sound variant fails, or a recorded run does
  /// not replay. What is ignored does not.
  bool is_red(const NightFinding& finding) const;
  /// Returns the sums over all variants.
  NightTapes tapes() const;
  /// Returns how many of the findings that it saw are in this state.
  std::size_t count(State state) const;
  /// Returns how many signatures they show all together.
  std::size_t symptom_count() const;
  /// Returns those that it did not see, and that it found to be fixed.
  std::vector<const NightFinding*> fixed() const;
  /// Returns whether a sound variant failed, a recorded tape or finding no longer replays, or a
  /// canary was missed.
  bool is_red() const;
};

/// Returns the times of a night whose shards are in the database.
NightTimes times_of(Database& database, const Night& night);

}  // namespace harness::nightly
