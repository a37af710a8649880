// SPDX-License-Identifier: Apache-2.0
// Best: the smallest failing case so far, and the ways to try a smaller one.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "harness/minimize.h"
#include "harness/minimize/tape.h"
#include "harness/pick/deviations.h"
#include "harness/pick/sample.h"

namespace harness::minimizing {

/// Which fault to keep.
struct Aim {
  std::string_view signature;
  std::optional<int> window;  ///< None: that of the first fault with this signature.
};

/// The end of a search among sets of choices.
enum class Found : std::uint8_t { better, nothing, cut_short };

/// Every candidate is replayed. If the fault shows, the tape *recorded* by that replay, which lacks
/// choices that did not come up, becomes the new best, if it is smaller. Ownership: borrows the
/// runner. Threads: confined to the runner's.
class Best {
 public:
  Best(Runner& runner, const Case& the_case, const Limits& limits)
      : runner_(runner), trial_(the_case), limits_(limits), begin_(Clock::now()) {}

  /// Replays the case and takes aim at a fault. False when it does not show.
  bool aim(const Aim& aim);
  /// Returns the window of the fault that was aimed at, or -1.
  int window() const { return window_; }
  /// Replays it once more if that was not done yet; this does not count as an attempt. Returns
  /// false if the run differs.
  bool is_deterministic();

  /// Returns whether a limit of runs, of endless loops or of time is reached, or a stop was
  /// requested.
  bool spent() const;

  /// Tries one tape.
  bool improve(const Tape& tape);

  /// Tries `base` with every set of exactly `size` further choices, the likeliest first, until one
  /// is better or the limit of runs is reached.
  Found improve_by_sets(const Tape& base, std::uint32_t size, std::uint64_t run_limit);

  /// Runs the program under choices drawn at random. The case if it shows the fault, however large.
  const Case* sample(const Tape& program, std::uint64_t seed);
  /// Adopts what was found elsewhere, and counts the runs that it took.
  bool improve(const Minimized& found) {
    run_count_ += found.run_count;
    endless_count_ += found.endless_count;
    return improve(found.the_case.tape);
  }
  /// Returns the rest of the limits, with at most this many runs.
  Limits limits_left(std::uint64_t run_limit) const;

  const Tape& tape() const { return tape_; }
  const Measure& measure() const { return measure_; }
  std::uint64_t run_count() const { return run_count_; }
  std::uint64_t endless_count() const { return endless_count_; }

  /// The tape without the ops of these slots, and whatever they decide or cause.
  Tape without(const std::vector<Name>& slots) const {
    return without_slots(tape_, slots, causes_);
  }
  /// Returns the tape with these ops in other slots, and all that they cause.
  Tape with_moved(const std::map<Name, Name>& slots) const {
    return move_slots(tape_, slots, causes_);
  }
  /// The causal slice: the slots where what the fault is about was made, ended and used, and those
  /// that made what these slots touched.
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
  std::uint64_t runs_left_ = 0;      ///< In the search under way.
  Fault target_;
  int window_ = -1;
  std::uint64_t trace_ = 0;   ///< The hash of the run that was kept last.
  bool is_replayed_ = false;  ///< That run was, and was the same.
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
