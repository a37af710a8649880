// Triage: reproducers by root cause, which is what a repair tells: a change that the harness makes
// to the run, and without which the fault is there.
//
// A repair *holds* things of one kind, got at one site, until their use at another site is over
// (harness/intervention.h), or *spares* one call the failure that it was told to return. It works
// for a reproducer when the run then goes to its end, on the recorded schedule, without this fault
// or a new one, and when a bounded search of other schedules of the same program does not find this
// one again. Of those that work, one that is about the very thing that died comes first, then the
// one that keeps the fewest things, for the shortest time: that is the cause. Two causes of a path
// are one where the repair of either works for the other's reproducers, too.
//
// Neither variant nor claim nor window is looked at: variants that lack the same care share a
// cause.
// Threads: the runner's.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/run.h"

namespace harness {

enum class RepairKind : std::uint8_t { hold, spare };

/// The change that removes a fault, named by sites.
struct Repair {
  RepairKind kind = RepairKind::hold;
  Label object;  ///< The kind of what is held; the call that is spared, or empty for another step.
  Label got;     ///< The site at which what is held was got; empty where a step is spared.
  /// The sites of the use that is waited for, the first of them first; or that of the step.
  std::vector<Label> used;
  bool operator==(const Repair&) const = default;
};

/// A case, and which of its faults it is about.
struct Suspect {
  Case the_case;
  std::string signature;  ///< Empty, or of no fault that its run finds: the first.
};

/// A root cause, and the reproducers that show it.
struct Cause {
  const Scenario* scenario = nullptr;
  Repair repair;
  std::vector<Label> let_go;         ///< The sites at which what is held was let go.
  std::vector<std::size_t> members;  ///< Indices of the reproducers, ascending; at least one.
};

struct Triage {
  std::vector<Cause> causes;             ///< By path, then those of most members first.
  std::vector<std::size_t> unexplained;  ///< Indices of what no repair removes.
  std::vector<std::size_t> faultless;    ///< Indices of what shows no fault: programs.
  std::uint64_t run_count = 0;
  bool stopped = false;  ///< Before all were looked at; what is left is in none of these.
};

struct TriageOptions {
  /// Runs of other schedules in which a repair must keep the fault away.
  std::uint64_t search_runs = 600;
  const std::atomic<bool>* stop = nullptr;  ///< Null: never.
};

/// Sorts cases by root cause. Equal ones, and equal options, give equal answers.
Triage triage(Runner& runner, std::span<const Suspect> suspects, const TriageOptions& options = {});

}  // namespace harness
