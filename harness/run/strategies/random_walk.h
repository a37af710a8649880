// SPDX-License-Identifier: Apache-2.0
// Random walk: deviates from the default with the probability of the site, in a style drawn for
// each run.
//
// Swarm testing: each run draws, for each site, whether it is off, usual or changed, and how many
// op kinds there are. A run that does a few things often finds bugs that are missed by runs that do
// everything seldom. Source: swarm testing (Groce et al. 2012), applied to each run as in
// TigerBeetle's simulator.
#pragma once

#include <array>
#include <cstdint>

#include "harness/core/pick/pick.h"

namespace harness::strategies {

/// The n-th run is a function of (seed, n), on every machine. Threads: confined to one thread.
class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : seed_(seed) {}

  void begin() override;
  std::uint32_t answer(const Question& question) override {
    const Leave leave = leave_[raw(question.site)];
    const std::uint64_t draw = next();
    if (leave.uniform) return below(draw, question.option_count);
    if (static_cast<std::uint32_t>(draw) >= leave.threshold) return 0;
    const std::uint32_t index = 1 + below(draw, question.option_count - 1);
    if (question.site == Site::op) return op_in_swarm(question, index);
    return index;
  }

 private:
  /// Probability of a deviation from the default.
  struct Leave {
    std::uint32_t threshold = 0;  ///< Probability out of 2^32.
    bool uniform = false;
  };
  friend struct Moods;

  /// Uses the upper half of the draw; the lower half decided whether to deviate.
  static std::uint32_t below(std::uint64_t draw, std::uint32_t bound) {
    return static_cast<std::uint32_t>(((draw >> 32) * bound) >> 32);
  }
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15, 0); }
  std::uint32_t op_in_swarm(const Question& question, std::uint32_t index);
  bool in_swarm(std::uint32_t value) const { return (mix(swarm_, value) & 0xff) < op_share_; }

  std::uint64_t seed_;
  std::uint64_t run_ = 0;
  std::uint64_t state_ = 0;
  std::uint64_t swarm_ = 0;
  std::uint32_t op_share_ = 256;  ///< About how many of 256 op kinds take part in this run.
  std::array<Leave, kSiteCount> leave_{};
};

}  // namespace harness::strategies
