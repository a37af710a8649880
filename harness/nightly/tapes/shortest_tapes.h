// SPDX-License-Identifier: Apache-2.0
// Shortest tapes: of all runs of a variant, the one that gets to each feature with the fewest
// choices. A feature is what a run got to, in words that outlive the numbers of a table:
//
//     reaches stale            a window
//     reaches stale by drop    the same, by one of several ways in
//     fails in stale           a window, and it failed there
//
// Which ops ran together is none: a search around this many tapes finds less than one that knows
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/run.h"

namespace harness::nightly {

/// A run that got to features which no shorter one got to.
struct KeptTape {
  std::string config;                 ///< The text that to_string(scenario, config) returns.
  std::string tape;                   ///< The text that to_text() returns.
  std::vector<std::string> features;  ///< Ascending.
  bool operator==(const KeptTape&) const = default;
};

/// Returns the tape as text: 32 hexadecimal digits for each choice (activation, site, how many were
/// asked before, value).
std::string to_text(const Tape& tape);
/// Reads what to_text() wrote. Errors: std::runtime_error.
Tape parse_tape(const std::string& text);
/// Returns how many choices such a text holds.
std::size_t decision_count(const std::string& tape);

/// The features that a night keeps of a variant, at most.
inline constexpr std::size_t kMostFeatures = 128;

/// Ownership: borrows the scenario. Threads: confined to one thread.
class ShortestTapes {
 public:
  explicit ShortestTapes(const Scenario& scenario);

  /// Takes in a run. Of runs that get equally short to a feature, the first stays; one that took
  /// too many choices, or never ended, is not kept.
  void take_in(const Outcome& outcome, const Config& config);
  /// Returns the features that a run gets to, ascending.
  std::vector<std::string> features_of(const Outcome& outcome) const;
  /// Returns the tapes of this many features, those that come first by name, each tape once.
  std::vector<KeptTape> kept(std::size_t limit) const;

 private:
  struct Sample {
    Config config;
    Tape tape;
  };
  struct Best {
    std::size_t decisions = ~std::size_t{0};
    std::shared_ptr<const Sample> sample;
  };
  template <class Action>
  void for_each_feature(const Outcome& outcome, Action action) const;
  std::string name_of(std::size_t feature) const;

  const Scenario& scenario_;
  std::vector<Best> best_;  ///< By feature.
};

}  // namespace harness::nightly
