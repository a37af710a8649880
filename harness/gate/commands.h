// SPDX-License-Identifier: Apache-2.0
// Commands: two commands as a source of samples: a new process of each per round, in a random order
// that is drawn for each round.
//
// "{min_time}" in a command stands for the length of a repetition (repetition.h). "{benchmarks}"
// stands for a regular expression that matches the benchmarks that are needed, for
// --benchmark_filter. It is ".*" if all are needed, or if their names do not fit on a command line.
// Errors: std::runtime_error if a command fails or its output is invalid; the message names the
// command's side.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/process/process.h"
#include "harness/gate/repetition.h"
#include "harness/gate/trial.h"

namespace harness::gate {

/// One process and what it printed.
struct Sample {
  std::size_t confirmation = 0;
  std::size_t round = 0;
  Side side = Side::base;
  Reading reading;
  bool operator==(const Sample&) const = default;
};

/// Returns "base" or "head".
std::string_view name_of(Side side);

/// Returns the regular expression that matches exactly these names; ".*" if there are none.
std::string filter_of(const std::vector<std::string>& names);

/// The limits of a measurement.
struct Limits {
  double seconds = 0;            ///< Limit of the total time including computing; 0 = none.
  double timeout_seconds = 600;  ///< Limit for one process.
};

class Commands : public Source {
 public:
  /// Called with each sample after it was measured.
  using Sink = std::function<void(const Sample&)>;

  /// Borrows `stop`, which ends the measurement.
  Commands(const Command& base, const Command& head, double repetition_seconds, Limits limits,
           std::uint64_t seed, const std::atomic<bool>& stop, Sink sink);

  std::optional<Round> measure(const Request& request) override;
  End why_ended() const override { return end_; }
  bool must_end() override;

 private:
  std::optional<End> no_time_for(const Request& request) const;
  void note_round(const Request& request, double seconds);
  std::optional<Reading> run(Side side, const Request& request);

  Command base_, head_;
  Limits limits_;
  std::uint64_t seed_;
  const std::atomic<bool>& stop_;
  Sink sink_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double longest_round_ = 0;
  /// The shortest of the rounds with as many benchmarks as the last one, and the number of those
  /// rounds.
  double shortest_round_ = 0;
  std::size_t like_rounds_ = 0;
  std::size_t wanted_count_ = 0;
  End end_ = End::complete;
};

}  // namespace harness::gate
