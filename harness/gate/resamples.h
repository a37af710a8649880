// SPDX-License-Identifier: Apache-2.0
// Resamples: how often each round is drawn in each resample of a look. All benchmarks of a look
// share them: drawing takes longer than finding a quantile, and a suite may have 20 000 benchmarks.
//
// Source: the bootstrap (Efron 1979), rounds drawn whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace harness::gate {

class Resamples {
 public:
  /// How often a round was drawn. By chance no round is drawn 256 times.
  using Count = std::uint8_t;
  /// Number of resamples in a block: for each round, in order, its count in each of them.
  static constexpr std::size_t kLanes = 250;

  /// The first `kept` resamples are drawn at once if a few megabytes hold them.
  Resamples(std::size_t rounds, std::uint64_t seed, std::size_t kept);

  std::size_t rounds() const { return rounds_; }
  /// Returns a block: a function of the rounds, the seed and `index`. It is valid until the next
  /// call with this `room`.
  const Count* block(std::size_t index, std::vector<Count>& room) const;

 private:
  void draw(std::size_t index, Count* counts) const;
  std::size_t block_bytes() const { return rounds_ * kLanes; }

  std::size_t rounds_;
  std::uint64_t seed_;
  std::vector<Count> kept_;
};

}  // namespace harness::gate
