// SPDX-License-Identifier: Apache-2.0
// Minimize: the smallest case that shows the same fault, and what was proved about it.
//
// Minimizing never changes path, variant, config or device, and the case never grows. If it
// finished within its limits, minimizing again changes nothing more. Source: delta debugging
// (Zeller and Hildebrandt 2002) on ops, doubling as in Hypothesis. A causal slice comes first. If
// an op cannot be removed under the old schedule, a bounded search looks for another one.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/pick/deviations.h"
#include "harness/run/run.h"

namespace harness {

/// Work within `run_limit` is the same on every machine. The time limit only cuts it short.
struct Limits {
  std::uint64_t run_limit = 2000;
  double second_limit = 0;  ///< 0 = no limit.
  /// Largest number of runs that end in an endless loop. Each takes seconds, all together a minute.
  std::uint64_t endless_limit = 24;
  /// False: only leave things out, and do not search for another schedule.
  bool thorough = true;
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside to stop minimizing.
};

struct Minimized {
  Case the_case;
  bool reproduced = false;     ///< The case shows the fault at all.
  bool deterministic = false;  ///< Two replays of it were equal, before it was minimized and after.
  bool finished = false;       ///< Within the limits, nothing more can be left out.
  std::uint64_t run_count = 0;
  std::uint64_t endless_count = 0;  ///< Runs that ended in an endless loop.
  std::size_t op_count = 0;
  std::size_t decision_count = 0;          ///< Choices that are not ops.
  std::size_t further_decision_count = 0;  ///< Choices that are neither ops nor arguments.
  std::string statement;                   ///< The proof that it is minimal, in a sentence.
};

/// `signature` is a fault of the case, in `window`. Without a window, the first fault with that
/// signature counts, and its window is kept. `known` are tapes that showed the fault elsewhere,
/// such as the smallest known case. They are tried, too, so that results never grow again.
Minimized minimize(Runner& runner, const Case& the_case, std::string_view signature,
                   const Limits& limits = {}, const std::vector<Tape>& known = {},
                   std::optional<int> window = {});

/// The result of running a program with all sets of few choices. A schedule is one such set: each
/// counts once, however often it is run on the way to larger ones.
struct Proof {
  bool failed = false;    ///< A set of `decision_count` choices fails, and no smaller set does.
  bool complete = false;  ///< Every set of at most that many was run.
  bool looped = false;    ///< Not complete: too many runs ended in endless loops.
  std::uint32_t decision_count = 0;  ///< If no set fails: the largest size that was tried.
  std::size_t question_count = 0;    ///< Choices of the default run that have more than one option.
  std::uint64_t run_count = 0;
  std::uint64_t endless_count = 0;   ///< Runs that ended in an endless loop.
  std::uint64_t schedule_count = 0;  ///< Schedules of at most `decision_count` choices.
  std::uint64_t vacuous_count = 0;   ///< Number of schedules in which the path never ran.
  double seconds = 0;
  bool vacuous = true;               ///< Every run was vacuous.
  WindowSet reached;                 ///< The windows that some run reached.
  Case failing;                      ///< The first case that failed.
  std::vector<std::string> faults;   ///< Its signatures.
  std::vector<std::int8_t> windows;  ///< The window of each fault, or -1.
};

/// Which faults count as a failure: all, or those of one window, or with one signature.
struct Sought {
  int window = -1;
  std::string_view signature = {};
};

/// Runs a program with sets of further choices, one size after the other.
class Enumeration {
 public:
  /// Ownership: borrows the runner. Limits and signature outlive it.
  Enumeration(Runner& runner, const Case& the_case, const Limits& limits,
              const Sought& sought = {});

  /// Returns the number of schedules with one choice more. It is counted before they run, so it is
  /// the same on every machine.
  std::uint64_t next_schedule_count() const { return proof_.schedule_count + larger_count_; }
  /// Runs every set of the next size, from 0 on; `proof` is incomplete when a limit was reached
  /// first.
  void run_next_size();

  const Proof& proof() const { return proof_; }
  /// Returns the first run with a fault that was not sought. It has no case if there was none.
  const Proof& aside() const { return aside_; }

 private:
  bool run_sets();
  void take_in(const Outcome& outcome);
  void keep(const Outcome& outcome, Proof& proof);
  double seconds() const;
  bool spent() const;

  Runner& runner_;
  Case case_;
  Limits limits_;
  Sought sought_;
  Deviations sets_;
  std::uint32_t size_ = 0;          ///< Size of the next sets.
  std::uint64_t larger_count_ = 1;  ///< Sets of the next size.
  double begin_ = 0;                ///< Wall-clock time at which this size began.
  Proof proof_;
  Proof aside_;
};

/// Runs the program of `the_case` with every set of at most `decision_limit` further choices,
/// smallest sets first, until one fails.
Proof prove(Runner& runner, const Case& the_case, std::uint32_t decision_limit,
            const Limits& limits, const Sought& sought = {});

}  // namespace harness
