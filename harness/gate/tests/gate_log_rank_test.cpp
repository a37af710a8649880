// SPDX-License-Identifier: Apache-2.0
// The log-rank test: published values and values computed by hand, calibrated p-values, and sample
// sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/gate/log_rank.h"
#include "harness/gate/random.h"

namespace harness {
namespace {

using gate::Block;
using gate::LogRank;
using gate::Random;
using gate::Stratum;
using gate::Wait;
using Waits = std::vector<std::optional<Wait>>;

Waits ended(const std::vector<double>& times) {
  Waits waits;
  for (const double time : times) waits.emplace_back(Wait{time, true});
  return waits;
}

LogRank of(const Stratum& stratum) {
  const Block block{stratum};
  return gate::log_rank(std::span(&block, 1));
}

// ---- known values ----

/// Weeks of remission of 42 patients with leukaemia (Freireich et al. 1963, table 1), 21 of whom
/// were given 6-mercaptopurine; of 12 of these the end was not seen.
Stratum remissions() {
  Waits treated = ended({6, 6, 6, 7, 10, 13, 16, 22, 23});
  for (const double seen : {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35})
    treated.emplace_back(Wait{seen, false});
  return {ended({1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23}), treated};
}

// The textbooks have 9 ends where 19.25 are expected, and a chi-square of 16.79.
TEST(GateLogRank, ReproducesThePublishedRemissionExample) {
  const LogRank found = of(remissions());
  EXPECT_NEAR(found.excess, 9 - 19.2505, 1e-4);
  EXPECT_NEAR(found.excess * found.excess / found.information, 16.793, 1e-3);
  EXPECT_GT(found.factor(), 4);
  EXPECT_LT(found.p_longer(), 1e-4);
  EXPECT_GT(found.p_shorter(), 0.9999);
}

// By hand: at 1 one of 7 ends, at 2 one of 6, at 3 two of 5, at 7 one of 2.
TEST(GateLogRank, EqualsASumComputedByHand) {
  Stratum stratum{ended({1, 3, 7}), ended({2, 3})};
  stratum.base.insert(stratum.base.begin() + 2, Wait{3, false});
  stratum.head.emplace_back(Wait{8, false});
  const LogRank found = of(stratum);
  const double expected = 3. / 7 + 3. / 6 + 2 * (2. / 5) + 1. / 2;
  EXPECT_NEAR(found.excess, 2 - expected, 1e-12);
  const double information = 12. / 49 + 9. / 36 + 2 * (2. / 5) * (3. / 5) * 3 / 4 + 1. / 4;
  EXPECT_NEAR(found.information, information, 1e-12);
}

/// Returns the mean square of the excess over all ways to exchange the trials of a block.
double exchanged_variance(const Block& block) {
  const std::size_t bases = block[0].base.size(), all = bases + block[0].head.size();
  std::vector<int> is_head(all, 0);
  std::fill(is_head.begin() + static_cast<std::ptrdiff_t>(bases), is_head.end(), 1);
  double squares = 0, count = 0;
  do {
    Block exchanged(block.size());
    for (std::size_t i = 0; i < all; ++i)
      for (std::size_t j = 0; j < block.size(); ++j) {
        const auto& wait = i < bases ? block[j].base[i] : block[j].head[i - bases];
        (is_head[i] != 0 ? exchanged[j].head : exchanged[j].base).push_back(wait);
      }
    const double excess = gate::log_rank(std::span(&exchanged, 1)).excess;
    squares += excess * excess;
    ++count;
  } while (std::next_permutation(is_head.begin(), is_head.end()));
  return squares / count;
}

TEST(GateLogRank, HasThePermutationVariance) {
  Block block{{ended({1, 3, 7, 9}), ended({2, 3, 4, 8})},
              {ended({1, 4, 7, 7}), ended({3, 3, 6, 8})}};
  block[0].base[1] = Wait{3, false};
  block[1].head[3] = Wait{8, false};
  const LogRank found = gate::log_rank(std::span(&block, 1));
  EXPECT_NEAR(found.variance, exchanged_variance(block), 1e-12);
}

// A trial without a wait is not exchanged between the sides.
TEST(GateLogRank, TrialsWithoutWaitsChangeNothing) {
  const Stratum some{ended({1, 3}), ended({2, 4})};
  Stratum more = some;
  more.base.insert(more.base.begin(), std::nullopt);
  more.head.insert(more.head.end(), 3, std::nullopt);
  EXPECT_NEAR(of(more).excess, of(some).excess, 1e-12);
  EXPECT_NEAR(of(more).variance, of(some).variance, 1e-12);
}

TEST(GateLogRank, StrataAreComparedSeparately) {
  const Stratum slow{ended({100, 200, 300}), ended({110, 210, 310})};
  const Stratum quick{ended({1, 2, 3}), ended({1.5, 2.5, 3.5})};
  const std::vector<Block> blocks{{slow}, {quick}};
  const LogRank both = gate::log_rank(blocks), one = of(slow), other = of(quick);
  EXPECT_NEAR(both.excess, one.excess + other.excess, 1e-12);
  EXPECT_NEAR(both.information, one.information + other.information, 1e-12);
  EXPECT_NEAR(both.variance, one.variance + other.variance, 1e-12);
  EXPECT_NE(of({ended({100, 200, 300, 1, 2, 3}), ended({110, 210, 310, 1.5, 2.5, 3.5})}).excess,
            both.excess);
}

// Two windows that fail together say no more than one of them.
TEST(GateLogRank, WindowsWithCommonFailuresCountOnce) {
  const Stratum stratum = remissions();
  const std::vector<Block> together{{stratum, stratum}}, apart{{stratum}, {stratum}};
  const LogRank one = of(stratum), twice = gate::log_rank(together), both = gate::log_rank(apart);
  EXPECT_NEAR(twice.p_longer(), one.p_longer(), 1e-12);
  EXPECT_LT(both.p_longer(), one.p_longer());
  EXPECT_NEAR(twice.factor(), one.factor(), 1e-12);
}

TEST(GateLogRank, WithoutDataItDecidesNothing) {
  const LogRank none = gate::log_rank({});
  EXPECT_EQ(none.p_longer(), 1);
  EXPECT_EQ(none.factor(), 1);
  EXPECT_TRUE(std::isinf(gate::times_for(2, 9, 0.01, 0.95, {})));
  const LogRank in_vain = of({{Wait{5, false}, Wait{5, false}}, {Wait{5, false}, Wait{5, false}}});
  EXPECT_EQ(in_vain.p_longer(), 1);
  EXPECT_EQ(of({ended({4, 4, 4}), ended({4, 4, 4})}).p_longer(), 1);
  EXPECT_EQ(of({{std::nullopt, Wait{1, true}}, {std::nullopt}}).p_longer(), 1);
}

TEST(GateLogRank, NormalQuantilesAreCorrect) {
  EXPECT_NEAR(gate::normal_quantile(0.5), 0, 1e-9);
  EXPECT_NEAR(gate::normal_quantile(0.975), 1.959963985, 1e-8);
  EXPECT_NEAR(gate::normal_quantile(0.001), -3.090232306, 1e-8);
}

// ---- simulated searches ----

/// Windows of a variant, each found after this many runs on average.
constexpr double kMeans[] = {20, 300, 2500};
constexpr std::uint64_t kLimit = 1000;

/// Returns after how many runs a search has found each window; a third of the runs that show the
/// second show the first one, too.
std::array<std::optional<Wait>, 3> search(Random& random, double slower) {
  std::array<double, 3> runs{};
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i] = std::ceil(std::log(1 - random.uniform()) / std::log1p(-1 / (kMeans[i] * slower)));
  if (random.uniform() < 1. / 3) runs[0] = std::min(runs[0], runs[1]);
  std::array<std::optional<Wait>, 3> waits;
  for (std::size_t i = 0; i < runs.size(); ++i)
    waits[i] = runs[i] > kLimit ? Wait{kLimit, false} : Wait{std::max(runs[i], 1.0), true};
  return waits;
}

std::vector<Block> simulated(Random& random, std::size_t variants, std::size_t searches,
                             double slower) {
  std::vector<Block> blocks(variants, Block(3));
  for (Block& block : blocks)
    for (std::size_t i = 0; i < 2 * searches; ++i) {
      const auto waits = search(random, i < searches ? 1 : slower);
      for (std::size_t j = 0; j < waits.size(); ++j)
        (i < searches ? block[j].base : block[j].head).push_back(waits[j]);
    }
  return blocks;
}

/// Returns how many of `count` simulations have a p-value of at most `level`.
int called_longer(double level, std::size_t searches, double slower, int count) {
  Random random(searches + 7);
  int called = 0;
  for (int i = 0; i < count; ++i)
    called += gate::log_rank(simulated(random, 20, searches, slower)).p_longer() <= level ? 1 : 0;
  return called;
}

// The bounds are five standard errors of a share away.
TEST(GateLogRank, PValuesAreCalibrated) {
  constexpr int kCount = 4000;
  for (const std::size_t searches : {2, 4, 10}) {
    for (const double level : {0.2, 0.05, 0.01}) {
      const double wrong = called_longer(level, searches, 1, kCount);
      EXPECT_NEAR(wrong / kCount, level, 5 * std::sqrt(level * (1 - level) / kCount))
          << searches << " searches at " << level;
    }
  }
}

TEST(GateLogRank, TheFactorIsEstimatedCorrectly) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += std::log(gate::log_rank(simulated(random, 20, 10, 1.5)).factor());
  EXPECT_NEAR(std::exp(sum / 100), 1.5, 0.05);
}

// The number of searches that it says finds the factor, and half of them do not.
TEST(GateLogRank, TheComputedSampleSizeFindsTheFactor) {
  constexpr double kLevel = 0.001 / 3;
  Random random(5);
  for (const double factor : {1.5, 2.0}) {
    const double times =
        gate::times_for(factor, kLimit, kLevel, 0.95, simulated(random, 20, 20, 1));
    const auto searches = static_cast<std::size_t>(std::ceil(20 * times));
    EXPECT_GE(called_longer(kLevel, searches, factor, 400), 400 * 0.92) << searches;
    EXPECT_LE(called_longer(kLevel, searches / 2, factor, 400), 400 * 0.8) << searches;
  }
}

}  // namespace
}  // namespace harness
