// SPDX-License-Identifier: Apache-2.0
#include "harness/run/strategies/random_walk.h"

#include "harness/run/tables.h"

namespace harness::strategies {
/// How often each site deviates from the default, in each of eight moods.
struct Moods {
  static constexpr std::size_t kCount = 8;
  using Leave = RandomWalk::Leave;

  static constexpr Leave chance(std::uint64_t numerator, std::uint64_t denominator) {
    const std::uint64_t scaled = (numerator << 32) / denominator;
    return {scaled > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(scaled), false};
  }

  // Five moods are usual, two are changed (often if it is seldom, seldom if it is uniform), and one
  // is off. Ops are never off, because the run would be empty.
  static constexpr Leave leave(Site site, std::size_t mood) {
    const Ratio usual = kSites[raw(site)].chance;
    const bool uniform = usual.numerator == 0;
    if (mood < 5 && uniform) return {0, true};
    if (mood < 5) return chance(usual.numerator, usual.denominator);
    if (site == Site::op) return mood < 7 ? chance(1, 2) : chance(15, 16);
    if (mood == 7) return {0, false};
    if (uniform) return mood == 5 ? chance(1, 4) : chance(1, 16);
    return chance(std::uint64_t{8} * usual.numerator,
                  7 * std::uint64_t{usual.numerator} + usual.denominator);
  }

  std::array<std::array<Leave, kCount>, kSiteCount> leaves{};
  constexpr Moods() {
    for (std::size_t site = 0; site < kSiteCount; ++site)
      for (std::size_t mood = 0; mood < kCount; ++mood)
        leaves[site][mood] = leave(static_cast<Site>(site), mood);
  }
};

void RandomWalk::begin() {
  static constexpr Moods kMoods;
  // Three bits for each site. The two bits for the share stay after the tenth site, so that seeds
  // keep their meaning when a site is added.
  constexpr unsigned kShareShift = 30;
  static_assert(kSiteCount * 3 + 2 < 62, "one draw serves all sites");
  state_ = mix(mix(0, seed_), run_++);
  const std::uint64_t draw = next();
  for (std::size_t i = 0; i < kSiteCount; ++i) {
    const unsigned shift = static_cast<unsigned>(i) * 3;
    leave_[i] = kMoods.leaves[i][draw >> (shift < kShareShift ? shift : shift + 2) & 7];
  }
  swarm_ = next();
  constexpr std::array<std::uint32_t, 4> kShares{256, 256, 192, 128};
  op_share_ = kShares[draw >> kShareShift & 3];
}

// Draws again a few times if the op's kind does not take part. If that fails, the slot stays empty.
std::uint32_t RandomWalk::op_in_swarm(const Question& question, std::uint32_t index) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (op_share_ == 256 || in_swarm(question.value(index))) return index;
    index = 1 + below(next(), question.option_count - 1);
  }
  return 0;
}

extern const StrategyInfo random_walk;
const StrategyInfo random_walk{"random_walk",
                               "every choice at random, with a different distribution in each run",
                               [](std::uint64_t seed) -> std::unique_ptr<Strategy> {
                                 return std::make_unique<RandomWalk>(seed);
                               }};

}  // namespace harness::strategies
