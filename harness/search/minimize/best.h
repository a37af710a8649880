// SPDX-License-Identifier: Apache-2.0
// Best: the smallest failing case so far, and the ways to try a smaller one.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "harness/core/pick/deviations.h"
#include "harness/core/pick/sample.h"
#include "harness/search/minimize/minimize.h"
#include "harness/search/minimize/tape.h"

namespace harness::minimizing {

/// The fault to keep.
struct Aim {
  std::string_view signature;
  std::optional<int> window;  ///< None: the window of the first fault with this signature.
};

/// The end of a search among sets of choices.
enum class Found : std::uint8_t { better, nothing, cut_short };

/// Every candidate is replayed. If the fault appears and the tape *recorded* by that replay, which
/// lacks unused choices, is smaller, it becomes the new best. Ownership: borrows the runner.
/// Threads: confined to the runner's.
class Best {
 public:
  Best(Runner& runner, const Case& the_case, const Limits& limits)
      : runner_(runner), trial_(the_case), limits_(limits), begin_(Clock::now()) {}

  /// Replays the case and aims at a fault. Returns false if the fault does not appear.
  bool aim(const Aim& aim);
  /// Returns the window of the fault that was aimed at, or -1.
  int window() const { return window_; }
  /// Replays the case once more if that was not done yet; this does not count as an attempt.
  /// Returns false if the run differs.
  bool is_deterministic();

  /// Returns whether a limit (of runs, endless loops or time) is reached, or a stop was requested.
  bool spent() const;

  /// Tries one tape.
  bool improve(const Tape& tape);

  /// Tries `base` with every set of exactly `size` further choices, the most promising first, until
  /// a run is better or the limit of runs is reached.
  Found improve_by_sets(const Tape& base, std::uint32_t size, std::uint64_t run_limit);

  /// Runs the program under random choices. Returns the case if it shows the fault, whatever its
  /// size.
  const Case* sample(const Tape& program, std::uint64_t seed);
  /// Adopts a result of another search, and counts the runs that it took.
  bool improve(const Minimized& found) {
    run_count_ += found.run_count;
    endless_count_ += found.endless_count;
    return improve(found.the_case.tape);
  }
  /// Returns the remaining limits, with at most this many runs.
  Limits limits_left(std::uint64_t run_limit) const;

  const Tape& tape() const { return tape_; }
  const Measure& measure() const { return measure_; }
  std::uint64_t run_count() const { return run_count_; }
  std::uint64_t endless_count() const { return endless_count_; }

  /// Returns the tape without the ops of these slots, and without everything that they choose or
  /// cause.
  Tape without(const std::vector<Name>& slots) const {
    return without_slots(tape_, slots, causes_);
  }
  /// Returns the tape with these ops in other slots, together with everything that they cause.
  Tape with_moved(const std::map<Name, Name>& slots) const {
    return move_slots(tape_, slots, causes_);
  }
  /// Returns the causal slice: the slots in which the object of the fault was made, ended and used,
  /// and those that made the objects that these slots touched.
  const std::set<Name>& causal_slice() const { return causal_slice_; }
  /// Returns the op slot that caused the activation.
  Name slot_of(Name activation) const { return causes_.slot_of(activation); }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const;
  const Outcome& run(Strategy& strategy);
  const Fault* shown(const Outcome& outcome) const;
  bool adopt(const Outcome& outcome);
  void keep(const Outcome& outcome, const Fault& fault);
  std::set<Name> find_causal_slice(const Fault& fault) const;
  Found search(const Tape& tape, std::uint32_t size, std::size_t skip_count);
  std::vector<std::size_t> likeliest_first(const std::vector<Decision>& candidates,
                                           std::size_t skip_count) const;
  int unlikeliness(const Decision& decision) const;

  Runner& runner_;
  Case trial_;
  Limits limits_;
  Clock::time_point begin_;
  std::uint64_t run_count_ = 0;
  std::uint64_t endless_count_ = 0;  ///< Runs that ended in an endless loop.
  std::uint64_t runs_left_ = 0;      ///< Runs left in the current search.
  Fault target_;
  int window_ = -1;
  std::uint64_t trace_ = 0;   ///< Trace hash of the run that was kept last.
  bool is_replayed_ = false;  ///< Whether that run was replayed with an equal result.
  Replay replay_;
  Deviations recorder_;
  Sample sample_;
  Case sampled_;

  Tape tape_;
  Measure measure_;
  Causes causes_;
  std::set<Name> causal_slice_;
};

}  // namespace harness::minimizing
