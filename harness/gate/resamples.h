// SPDX-License-Identifier: Apache-2.0
// Resamples: the number of times that each round is drawn in each resample of a look. All
// benchmarks of a look share them, because drawing takes longer than finding a quantile, and a
// suite may have 20 000 benchmarks.
//
// Source: the bootstrap (Efron 1979), with whole rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace harness::gate {

class Resamples {
 public:
  /// Number of draws of a round. It does not reach 256 in practice.
  using Count = std::uint8_t;
  /// Number of resamples in a block, which has the counts of each round, in order, in each of them.
  static constexpr std::size_t kLanes = 250;

  /// The first `kept` resamples are drawn in the constructor if they fit in a few megabytes.
  Resamples(std::size_t rounds, std::uint64_t seed, std::size_t kept);

  std::size_t rounds() const { return rounds_; }
  /// Returns a block, which depends on the rounds, the seed and `index`. It is valid until the next
  /// call with the same `room`.
  const Count* block(std::size_t index, std::vector<Count>& room) const;

 private:
  void draw(std::size_t index, Count* counts) const;
  std::size_t block_bytes() const { return rounds_ * kLanes; }

  std::size_t rounds_;
  std::uint64_t seed_;
  std::vector<Count> kept_;
};

}  // namespace harness::gate
