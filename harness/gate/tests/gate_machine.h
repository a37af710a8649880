// SPDX-License-Identifier: Apache-2.0
// A simulated machine for the gate. Processes are measured one after another on a clock. The
// machine drifts, has other load, and gives each process a random memory layout.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/gate/random.h"
#include "harness/gate/trial.h"

namespace harness::testing {

/// The noise of a machine, in logarithms of time.
struct Noise {
  const char* name = "quiet";
  double jitter = 0.005;      ///< Mean of what each process takes too long.
  double drift = 0;           ///< Slowdown over 80 rounds.
  double wander = 0;          ///< Size of slow changes of both sides, correlated over
  double wander_seconds = 1;  ///< this many seconds.
  double hog_share = 0;       ///< Share of time in which something else runs,
  double hog_seconds = 2;     ///< for this many seconds each,
  double hog_cost = 0.3;      ///< at this cost.
  double fast_share = 1;      ///< Share of processes that are given a fast layout;
  double slow_layout = 0;     ///< the others are slower by so much.
};

/// Standard normal numbers and others.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  double uniform() { return random_.uniform(); }
  double normal() {
    return std::sqrt(-2 * std::log(1 - random_.uniform())) *
           std::cos(6.283185307179586 * random_.uniform());
  }
  double exponential() { return -std::log(1 - random_.uniform()); }

 private:
  gate::Random random_;
};

/// A suite of benchmarks on such a machine, all with the same slowdown of the head.
class Machine : public gate::Source {
 public:
  Machine(const Noise& noise, std::size_t benchmarks, double slowdown, std::uint64_t seed)
      : noise_(noise), benchmarks_(benchmarks), slowdown_(slowdown), draws_(seed) {}

  std::optional<gate::Round> measure(const gate::Request& request) override {
    confirmed_ = confirmed_ || request.confirmation > 0;
    gate::Round round;
    const bool base_first = draws_.uniform() < 0.5;
    for (const bool first : {true, false})
      (first == base_first ? round.base : round.head) =
          process(first == base_first ? 0 : std::log1p(slowdown_));
    return round;
  }
  gate::End why_ended() const override { return gate::End::complete; }

  bool was_asked_to_confirm() const { return confirmed_; }

 protected:
  /// Returns the least of ten repetitions of each benchmark in one process.
  gate::Reading process(double log_slowdown) {
    gate::Reading reading;
    for (std::size_t i = 0; i < benchmarks_; ++i) {
      const bool slow = draws_.uniform() >= noise_.fast_share;
      double least = 1e9;
      for (int repetition = 0; repetition < 10; ++repetition) {
        pass(0.02);
        least = std::min(least, disturbance() + noise_.jitter * draws_.exponential());
      }
      const double own = noise_.jitter * (draws_.exponential() + 0.3 * draws_.normal());
      reading["b" + std::to_string(i)] =
          100 * std::exp(least + own + log_slowdown + (slow ? noise_.slow_layout : 0));
    }
    return reading;
  }

 private:
  void pass(double seconds) {
    clock_ += seconds;
    const double kept = std::exp(-seconds / noise_.wander_seconds);
    wander_ = kept * wander_ + std::sqrt(1 - kept * kept) * draws_.normal();
    if (noise_.hog_share == 0) return;
    const double mean = hogged_ ? noise_.hog_seconds
                                : noise_.hog_seconds * (1 - noise_.hog_share) / noise_.hog_share;
    if (draws_.uniform() < seconds / mean) hogged_ = !hogged_;
  }
  double disturbance() const {
    const double all = 80 * 2 * 0.2 * static_cast<double>(benchmarks_);
    return noise_.drift * clock_ / all + noise_.wander * std::abs(wander_) +
           (hogged_ ? noise_.hog_cost : 0);
  }

  Noise noise_;
  std::size_t benchmarks_;
  double slowdown_;
  Draws draws_;
  double clock_ = 0;
  double wander_ = 0;
  bool hogged_ = false;
  bool confirmed_ = false;
};

/// Every kind of noise that the gate is to bear.
inline const std::vector<Noise>& all_noise() {
  static const std::vector<Noise> kAll{
      {.name = "quiet"},
      {.name = "drift", .drift = 0.1},
      {.name = "slow_wander", .wander = 0.03, .wander_seconds = 5},
      {.name = "quick_wander", .wander = 0.03, .wander_seconds = 0.5},
      {.name = "some_hogs", .hog_share = 0.5, .hog_seconds = 2},
      {.name = "many_hogs", .hog_share = 0.8, .hog_seconds = 8},
      {.name = "short_hogs", .hog_share = 0.5, .hog_seconds = 0.1, .hog_cost = 0.5},
      {.name = "half_fast", .fast_share = 0.5, .slow_layout = 0.08},
      {.name = "few_fast", .fast_share = 0.2, .slow_layout = 0.08},
  };
  return kAll;
}

}  // namespace harness::testing
