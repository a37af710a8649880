// SPDX-License-Identifier: Apache-2.0
// Change points: planted ones are located, and noise has none.
#include "harness/nightly/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "harness/base/base.h"

namespace harness {
namespace {

using nightly::change_points;
using nightly::ChangePoint;
using nightly::ChangeRule;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Numbers of a normal distribution; a function of the seed.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : seed_(mix(mix(seed, 1), 2)) {}
  double next() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  double uniform() { return static_cast<double>(mix(seed_, ++drawn_) >> 11) * 0x1p-53; }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

/// A series of this many nights: 1000, times what is planted, with noise of so large a share.
std::vector<double> series(std::size_t nights, std::uint64_t seed, double share,
                           const std::function<double(std::size_t)>& planted) {
  Noise noise(seed);
  std::vector<double> values;
  values.reserve(nights);
  for (std::size_t i = 0; i < nights; ++i)
    values.push_back(1000 * planted(i) * std::exp(share * noise.next()));
  return values;
}

double nothing(std::size_t) { return 1; }
double step(std::size_t night) { return night < 30 ? 1 : 0.97; }
double drift(std::size_t night) { return 1 - 0.0015 * static_cast<double>(night); }

TEST(ChangePoints, AStepOfThreePercentIsLocated) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto points = change_points(series(60, seed, 0.01, step));
    if (points.empty()) continue;
    found += points.size() == 1 && points[0].index >= 27 && points[0].index <= 33 &&
             std::abs(points[0].ratio - 0.97) < 0.015;
    EXPECT_LE(points[0].chance, 0.001);
  }
  EXPECT_GE(found, 48u) << "of 50";
}

// A variant that is slower by a seventh of a percent a night passes every gate, and is 9 % in two
// months.
TEST(ChangePoints, ADriftTooSmallForOneNightIsFound) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto points = change_points(series(60, seed, 0.01, drift));
    EXPECT_THAT(points, Not(IsEmpty()));
    for (const ChangePoint& point : points) EXPECT_LT(point.ratio, 1);
  }
}

// A change that was taken back has to be longer than one that stayed.
TEST(ChangePoints, TwoStepsAreTwoChangePoints) {
  const auto points = change_points(series(
      90, 1, 0.005, [](std::size_t night) { return night < 30 || night >= 60 ? 1.0 : 1.04; }));
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_NEAR(static_cast<double>(points[0].index), 30, 1);
  EXPECT_NEAR(points[0].ratio, 1.04, 0.01);
  EXPECT_NEAR(static_cast<double>(points[1].index), 60, 1);
  EXPECT_NEAR(points[1].ratio, 1 / 1.04, 0.01);
}

TEST(ChangePoints, ExactCountsNeedOnlyAFewNights) {
  std::vector<double> values(20, 5000);
  EXPECT_THAT(change_points(values), IsEmpty());
  values.insert(values.end(), {5001, 5001});
  EXPECT_THAT(change_points(values), IsEmpty()) << "two values are no segment";
  values.insert(values.end(), 2, 5001);
  const auto points = change_points(values);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].index, 20u);
  EXPECT_DOUBLE_EQ(points[0].ratio, 5001. / 5000);
}

TEST(ChangePoints, AreAFunctionOfTheSeriesAndTheSeed) {
  const auto values = series(40, 7, 0.01, [](std::size_t i) { return i < 25 ? 1 : 1.02; });
  EXPECT_EQ(change_points(values), change_points(values));
  ChangeRule other;
  other.seed = 2;
  ASSERT_THAT(change_points(values, other), SizeIs(1));
  EXPECT_EQ(change_points(values, other)[0].index, change_points(values)[0].index);
}

TEST(ChangePoints, AShortSeriesHasNone) {
  EXPECT_THAT(change_points({}), IsEmpty());
  EXPECT_THAT(change_points(std::vector{1.0}), IsEmpty());
  EXPECT_THAT(change_points(std::vector{1.0, 1.0, 1.0, 9.0, 9.0, 9.0}), IsEmpty())
      << "of 20 ways to place them two are as good";
}

/// The upper end of Wilson's interval of 95 %.
double upper_bound(double hits, double trials) {
  constexpr double z = 1.96;
  const double share = hits / trials, n = trials;
  return (share + z * z / (2 * n) + z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n))) /
         (1 + z * z / n);
}

/// How many of this many series without a change have a change point.
std::size_t false_alarms(std::size_t trials, const ChangeRule& rule,
                         const std::function<std::vector<double>(std::uint64_t)>& make) {
  std::size_t count = 0;
  for (std::uint64_t seed = 1; seed <= trials; ++seed)
    count += !change_points(make(1000 + seed), rule).empty();
  return count;
}

std::vector<double> even_noise(std::uint64_t seed) { return series(40, seed, 0.02, nothing); }

/// One night in eight is slow, by up to a half: others used the machine.
std::vector<double> spoilt_nights(std::uint64_t seed) {
  Noise noise(mix(seed, 1));
  return series(40, seed, 0.01, [&](std::size_t) {
    return noise.uniform() < 0.125 ? 1 - 0.5 * noise.uniform() : 1.0;
  });
}

TEST(ChangePoints, NoiseAloneHasNone) {
  constexpr std::size_t kTrials = 1000;
  for (const auto& [name, make] :
       {std::pair{"even noise", &even_noise}, std::pair{"spoilt nights", &spoilt_nights}}) {
    const std::size_t count = false_alarms(kTrials, {}, make);
    std::printf("change points in %zu series of 40 nights of %s: %zu\n", kTrials, name, count);
    EXPECT_LT(upper_bound(static_cast<double>(count), kTrials), 0.01) << name;
  }
}

// Or the test above says nothing: a permutation test that is off is seen by the same count.
TEST(ChangePoints, ALooserLevelHasMoreFalseAlarms) {
  constexpr std::size_t kTrials = 300;
  ChangeRule loose;
  loose.level = 0.05;
  loose.permutations = 199;
  const auto count = static_cast<double>(false_alarms(kTrials, loose, even_noise));
  std::printf("at a level of 5 %%, in %zu series: %.0f\n", kTrials, count);
  EXPECT_GT(count / kTrials, 0.02);
  EXPECT_LT(count / kTrials, 0.09);
}

}  // namespace
}  // namespace harness
