// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/resamples.h"

#include <algorithm>

#include "harness/gate/random.h"

namespace harness::gate {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{4} << 20;

}  // namespace

Resamples::Resamples(std::size_t rounds, std::uint64_t seed, std::size_t kept)
    : rounds_(rounds), seed_(mix(seed, rounds)) {
  if (rounds * kept > kKeptBytes) return;
  const std::size_t blocks = kept / kLanes;
  kept_.resize(blocks * block_bytes());
  for (std::size_t i = 0; i < blocks; ++i) draw(i, &kept_[i * block_bytes()]);
}

const Resamples::Count* Resamples::block(std::size_t index, std::vector<Count>& room) const {
  if (index * block_bytes() < kept_.size()) return &kept_[index * block_bytes()];
  room.resize(block_bytes());
  draw(index, room.data());
  return room.data();
}

/// For each resample, draws as many rounds as there are, all with equal probability.
void Resamples::draw(std::size_t index, Count* counts) const {
  constexpr int kBits = 21;  // Three draws per word, with a relative error below 1 in 25 000.
  std::fill(counts, counts + block_bytes(), Count{0});
  Random random(mix(seed_, index));
  const std::uint64_t size = rounds_;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    for (std::size_t drawn = 0; drawn < size;) {
      std::uint64_t word = random.next();
      for (int i = 0; i < 3 && drawn < size; ++i, ++drawn, word >>= kBits)
        ++counts[(((word & ((1U << kBits) - 1)) * size) >> kBits) * kLanes + lane];
    }
}

}  // namespace harness::gate
