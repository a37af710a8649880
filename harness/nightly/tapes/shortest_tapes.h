// SPDX-License-Identifier: Apache-2.0
// Shortest tapes: for each feature, the run of a variant that reaches it with the fewest choices.
// Features are in words, which do not change when tables are renumbered:
//
//     reaches stale            a window
//     reaches stale by drop    the same, by one of several ways in
//     fails in stale           a window with a fault
//
// The combination of ops is not a feature: a search around that many tapes finds less than one
// without prior knowledge.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/run/run.h"

namespace harness::nightly {

/// A run that reaches features which no shorter one reaches.
struct KeptTape {
  std::string config;                 ///< The text that to_string(scenario, config) returns.
  std::string tape;                   ///< The text that to_text() returns.
  std::vector<std::string> features;  ///< In ascending order.
  bool operator==(const KeptTape&) const = default;
};

/// Returns the tape as text: 32 hexadecimal digits for each choice (activation, site, number of
/// earlier choices there, value).
std::string to_text(const Tape& tape);
/// Parses the result of to_text(). Errors: std::runtime_error.
Tape parse_tape(const std::string& text);
/// Returns the number of choices in such a text.
std::size_t decision_count(const std::string& tape);

/// Limit of features that a night keeps for a variant.
inline constexpr std::size_t kMostFeatures = 128;

/// Ownership: borrows the scenario. Threads: confined to one thread.
class ShortestTapes {
 public:
  explicit ShortestTapes(const Scenario& scenario);

  /// Takes a run. Of equally short runs to a feature, the first is kept. A run with too many
  /// choices, or without an end, is not kept.
  void take_in(const Outcome& outcome, const Config& config);
  /// Returns the features that a run reaches, ascending.
  std::vector<std::string> features_of(const Outcome& outcome) const;
  /// Returns the tapes of the first `limit` features by name, each tape once.
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
  std::vector<Best> best_;  ///< The shortest runs, by feature.
};

}  // namespace harness::nightly
