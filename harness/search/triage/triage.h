// SPDX-License-Identifier: Apache-2.0
// Triage: sorts reproducers by root cause. A cause is a repair: a change that the harness makes to
// a run, after which the fault is gone.
//
// A finding is about the first thing that goes wrong in its run, whatever its signature is. Its
// case is minimal, so everything else follows from that. All leaks are detected at the end; the
// first of these is the oldest, or the one whose release also releases the oldest.
//
// A repair *holds* objects of one kind beyond their end (harness/core/intervention/intervention.h):
// those created at one site, released at one site, or for one use. It *releases* leaked objects, or
// *spares* one call its injected error. If none of these helps, it puts two acts in *order*: one
// waits until the other is done. A repair works for a reproducer if the run gets past its fault on
// the recorded schedule, and a bounded search of other schedules of the program does not find the
// fault. If a repair of the object of the fault works, no other is tried. The causes of a path are
// the fewest and narrowest working repairs that explain all its reproducers. A repair that leaves
// more open (a site, a use) counts for more than one (harness/search/triage/choice.h). Cases
// without an explanation are grouped by the first thing that goes wrong.
//
// An order is tried last, because it removes schedules, and would also hide most faults that a
// missing hold causes. A hold keeps every schedule, and names the use that needs the object.
//
// Variants, claims and windows are not used: variants with the same omission share a cause.
// Threads: the runner's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/history/trail.h"
#include "harness/run/run.h"

namespace harness {

enum class RepairKind : std::uint8_t { hold, release, spare, order, revert };

/// The change that removes a fault, named by sites. An empty label matches any site.
struct Repair {
  RepairKind kind = RepairKind::hold;
  Label object;  ///< The kind of the held, released or used object; or the call that is spared.
  Label got;     ///< The site at which it was created.
  Label let_go;  ///< The site at which the held object was released; or the site of the act that
                 ///< waits.
  Label used;    ///< The site of the use that is waited for, or of the call that is spared.
  bool operator==(const Repair&) const = default;
};

/// Returns the repair in words, such as "keep Buffer got at allocate alive until launch has used
/// it". The words are unique.
std::string in_words(const Repair& repair);

/// A case, and which of its faults must stay when it is made smaller.
struct Suspect {
  Case the_case;
  std::string signature;  ///< The signature to explain. If it is empty, or no fault of the run has
                          ///< it, the first fault counts.
};

/// A root cause, and the reproducers that show it.
struct Cause {
  const Scenario* scenario = nullptr;
  Repair repair;
  // The sites that the members show, whether the repair names one of them or leaves it open.
  std::vector<Label> got;
  std::vector<Label> let_go;
  std::vector<Label> used;
  std::vector<std::size_t> members;  ///< Indices of the reproducers, ascending; at least one.
};

/// Reproducers that no repair fixes and that have the same first fault.
struct Unexplained {
  const Scenario* scenario = nullptr;
  std::string what;                  ///< Fault::what() of the first fault.
  std::vector<std::size_t> members;  ///< Indices of the reproducers, ascending; at least one.
};

struct Triage {
  std::vector<Cause> causes;             ///< Causes by path, those with most members first.
  std::vector<Unexplained> unexplained;  ///< Cases without a cause, by path, then by first fault.
  std::vector<std::size_t> faultless;    ///< Indices of cases that show no fault: programs.
  std::uint64_t run_count = 0;
  bool stopped = false;  ///< Stopped before all cases were examined; the others are in none of
                         ///< these lists.
};

/// A code location in the sources of a path that is running at a step.
struct RunningPlace {
  std::string text;        ///< Distinguishes it from all other places of its program.
  std::size_t step_count;  ///< Number of earlier steps at this place.
};

/// The steps of a run, and the faults that it shows.
struct Followed {
  Trail trail;
  std::vector<std::string> signatures;
  /// Places of the requested step, if another program reports them.
  std::vector<RunningPlace> places;
};

/// Runs a case. Returns its steps, and the running code at one of them on request.
Followed follow(Runner& runner, const Case& the_case, std::optional<std::size_t> step = {});

struct TriageOptions {
  /// Follows the case of this index in a good program, which shows no faults or different ones.
  /// Returns the running code of one step on request. Empty if there is no such program.
  std::function<Followed(std::size_t, const Case&, std::optional<std::size_t> step)> good;
  /// Number of runs of other schedules in which a repair must prevent the fault.
  std::uint64_t search_runs = 240;
  /// Number of runs for minimizing a case first, because more than one thing goes wrong in a large
  /// case. 0: cases are not minimized.
  std::uint64_t minimize_runs = 0;
  const std::atomic<bool>* stop = nullptr;  ///< Null: never.
  /// Returns the source location of each code address in a path, and "" for other code. May be
  /// empty.
  std::function<std::vector<std::string>(std::span<const std::uintptr_t>)> places;
  /// Called before each run of a case, with its index. May be empty. Sets what differs between
  /// cases and is not part of them, such as the build to which each belongs.
  std::function<void(std::size_t)> prepare;
};

/// Sorts cases by root cause. Equal cases and options give equal results.
Triage triage(Runner& runner, std::span<const Suspect> suspects, const TriageOptions& options = {});

/// A repair that removes the fault of a case.
struct WorkingRepair {
  Repair repair;
  unsigned cost = 0;    ///< Higher if the repair leaves more open.
  bool is_own = false;  ///< The repair concerns the object of the fault.
};

/// Possible explanations of a case. A later step chooses causes for many cases together.
struct Explanation {
  std::vector<WorkingRepair> repairs;  ///< Repairs that remove its fault, narrow ones first.
  std::string first;                   ///< Fault::what() of the first fault.
};

/// Tries all repairs that the run of a case suggests. Both fields are empty if there is no fault.
Explanation explain(Runner& runner, const Suspect& suspect, const TriageOptions& options = {});

/// Returns the repair with this description if the run of the case suggests it, and if a run with
/// the repair passes the fault on the recorded schedule. Takes two runs. For a repair that is known
/// to work on other schedules.
std::optional<WorkingRepair> repair_that_still_works(Runner& runner, const Suspect& suspect,
                                                     const std::string& words);

/// The least repair of one case, and how thoroughly it was tested.
struct Remedy {
  bool found = false;
  Repair repair;
  std::uint64_t schedule_count = 0;  ///< Other schedules that were run with the repair, without the
                                     ///< fault.
  std::uint64_t tried_count = 0;     ///< Repairs that were tried, this one included.
};

/// Returns the narrowest repair that removes the fault of a case. Repairs that concern the object
/// of the fault come first.
Remedy least_repair(Runner& runner, const Suspect& suspect, const TriageOptions& options = {});

/// Returns whether the repair removes the fault of a case. `prepare` gets the index of the case.
bool removes(Runner& runner, const Repair& repair, const Suspect& suspect, std::size_t index,
             const TriageOptions& options = {});

}  // namespace harness
