// SPDX-License-Identifier: Apache-2.0
// Trends: series of nights in a history, their change points, and every view of them.
#include "harness/nightly/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "harness/nightly/history.h"
#include "harness/nightly/tests/nightly_stage.h"
#include "harness/nightly/tests/shard_services.h"
#include "harness/nightly/views/night_views.h"

namespace harness {
namespace {

using nightly::History;
using nightly::Quantity;
using nightly::Trend;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Nights of one shard each, by hand, of which the test says what they took.
class Nights : public ::testing::Test {
 protected:
  /// Merges the next night; a sound run takes this many seconds, and this many instructions.
  void merge(double seconds, std::uint64_t instructions, const std::string& machine = "m",
             const std::string& target = "toy") {
    nightly::Plan plan = testing::hand_made_plan(1, ++number_);
    plan.terms.target = target;
    plan.terms.revision = "r" + std::to_string(number_);
    nightly::ShardRecord shard = testing::hand_made_shard(plan, 1, {});
    shard.night = nightly::id_of(plan);
    shard.machine = machine;
    shard.peak_bytes = 1000 * instructions;
    for (nightly::CellRecord& cell : shard.cells) {
      const bool is_sound = cell.cell.claim == "sound";
      cell.seconds = (is_sound ? seconds : 1) * static_cast<double>(cell.runs);
      cell.instructions = (is_sound ? instructions : 7) * cell.runs;
    }
    const std::string folder = folder_ / std::to_string(number_);
    ASSERT_THAT(history_.merge({testing::leave_shard(folder, shard)}).errors, IsEmpty());
  }

  nightly::Night last() {
    nightly::Night night = history_.night(history_.last_night());
    night.trends = nightly::trends_of(history_.database(), night.id, night.terms);
    return night;
  }

  Folder folder_;
  History history_{folder_ / "history"};
  std::uint64_t number_ = 0;
};

const Trend& find_trend(const std::vector<Trend>& trends, const std::string& name,
                        Quantity quantity) {
  for (const Trend& trend : trends)
    if (trend.name() == name && trend.quantity == quantity) return trend;
  ADD_FAILURE() << "no trend of " << name;
  return trends.at(0);
}

TEST_F(Nights, ASlowdownIsReportedWithItsNightAndRevision) {
  for (int i = 0; i < 24; ++i) merge(i < 14 ? 0.01 : 0.0104, i < 18 ? 5000 : 5001);
  const std::vector<Trend> trends = last().trends;
  const Trend& speed = find_trend(trends, "toy/retain", Quantity::speed);
  ASSERT_THAT(speed.points, SizeIs(24));
  EXPECT_EQ(speed.points[3].number, 4u);
  EXPECT_EQ(speed.points[3].revision, "r4");
  EXPECT_DOUBLE_EQ(speed.points[3].value, 100);
  ASSERT_THAT(speed.changes, SizeIs(1));
  EXPECT_EQ(speed.changes[0].index, 14u);
  EXPECT_NEAR(speed.changes[0].ratio, 1 / 1.04, 1e-9);
  EXPECT_TRUE(speed.is_worse(speed.changes[0]));
  const Trend& instructions = find_trend(trends, "toy/retain", Quantity::instructions);
  ASSERT_THAT(instructions.changes, SizeIs(1));
  EXPECT_EQ(instructions.changes[0].index, 18u);
  EXPECT_TRUE(instructions.is_worse(instructions.changes[0]));
  EXPECT_THAT(find_trend(trends, "toy/borrow", Quantity::speed).changes, IsEmpty());
  EXPECT_THAT(find_trend(trends, "all", Quantity::executions).changes, IsEmpty());
  ASSERT_THAT(find_trend(trends, "all", Quantity::memory).changes, SizeIs(1));
  EXPECT_EQ(find_trend(trends, "all", Quantity::memory).points[0].value, 5'000'000);
}

TEST_F(Nights, OtherMachinesAndSearchesAreNotCompared) {
  for (int i = 0; i < 12; ++i) merge(0.01, 5000, "old");
  for (int i = 0; i < 12; ++i) merge(0.02, 6000, "new");
  for (const Trend& trend : last().trends) {
    EXPECT_THAT(trend.points, SizeIs(12)) << trend.name();
    EXPECT_THAT(trend.changes, IsEmpty()) << trend.name();
  }
  for (int i = 0; i < 12; ++i) merge(0.02, 6000, "new", "toy/retain");
  const std::vector<Trend> trends = last().trends;
  EXPECT_THAT(find_trend(trends, "all", Quantity::executions).points, SizeIs(12));
  EXPECT_THAT(find_trend(trends, "toy/retain", Quantity::speed).points, SizeIs(24));
}

TEST_F(Nights, MissingMeasurementsAreNotPoints) {
  for (int i = 0; i < 3; ++i) merge(0.01, 0, "");
  for (const Trend& trend : last().trends) {
    EXPECT_NE(trend.quantity, Quantity::memory);
    EXPECT_TRUE(trend.quantity != Quantity::instructions || trend.name() != "toy/retain");
  }
  EXPECT_THAT(last().trends, Not(IsEmpty()));
}

TEST_F(Nights, EveryViewShowsTheChange) {
  for (int i = 0; i < 24; ++i) merge(i < 14 ? 0.01 : 0.0125, 5000);
  const nightly::Night night = last();
  const std::string said = "speed of toy/retain: -20.00 % since night 15 (r15)";
  const std::string page = reports::night_page(night, {});
  EXPECT_THAT(page, HasSubstr("<h2>Trend</h2>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"open\">" + said + "</p>"));
  EXPECT_THAT(page, HasSubstr("<line class=\"change worse\""));
  EXPECT_THAT(page, HasSubstr("<title>night 15, r15: 80</title>"));
  EXPECT_THAT(reports::night_table(night, "f", {}), HasSubstr("trend: " + said));
  EXPECT_THAT(reports::night_metrics(night),
              HasSubstr("afterlife_trend_change_ratio{path=\"toy\",variant=\"retain\","
                        "quantity=\"speed\"} 0.8"));
  EXPECT_THAT(reports::night_metrics(night),
              HasSubstr("afterlife_trend_change_night{path=\"toy\",variant=\"retain\","
                        "quantity=\"speed\"} 15\n"));
  const json report = json::parse(reports::night_json(night));
  for (const json& trend : report["trends"]) {
    if (trend["variant"] != "retain" || trend["quantity"] != "speed") continue;
    ASSERT_THAT(trend["changes"], SizeIs(1));
    EXPECT_EQ(trend["changes"][0]["night"], 15);
    EXPECT_EQ(trend["changes"][0]["revision"], "r15");
    EXPECT_EQ(trend["changes"][0]["worse"], true);
    EXPECT_EQ(trend["points"].size(), 24u);
    return;
  }
  ADD_FAILURE() << "the JSON has no speed of toy/retain";
}

TEST_F(Nights, ImprovedAndSteadyNightsAreNotReported) {
  for (int i = 0; i < 24; ++i) merge(i < 14 ? 0.01 : 0.008, 5000);
  EXPECT_THAT(reports::night_table(last(), "f", {}), Not(HasSubstr("trend:")));
  EXPECT_THAT(reports::night_page(last(), {}),
              HasSubstr("<p class=\"dim\">speed of toy/retain: +"));
}

// ---- nights that were really run ----

/// A strategy that counts a thousand instructions for each run; `slow` really takes longer.
template <bool slow>
class Walk : public Strategy {
 public:
  explicit Walk(std::uint64_t seed)
      : walk_(find(tables::strategies(), "random_walk")->make(seed)) {}
  void begin() override {
    counted += slow ? 2000 : 1000;
    for (std::uint64_t i = 0; slow && i < 300'000; ++i) work_ = mix(work_, i);
    walk_->begin();
  }
  bool hears_all() const override { return walk_->hears_all(); }
  Sites silent() const override { return walk_->silent(); }
  std::uint32_t answer(const Question& question) override { return walk_->answer(question); }

  static std::unique_ptr<Strategy> make(std::uint64_t seed) { return std::make_unique<Walk>(seed); }

  static inline std::uint64_t counted = 0;

 private:
  std::unique_ptr<Strategy> walk_;
  volatile std::uint64_t work_ = 1;
};

/// Returns "path/variant" of a sound variant of some path.
std::string some_sound() {
  for (const Scenario* scenario : tables::scenarios())
    for (const VariantInfo& variant : scenario->variants)
      if (variant.claim.kind == ClaimKind::sound)
        return std::string(scenario->name.view()) + "/" + std::string(variant.name.view());
  return {};
}

/// How much of the time that passes this process has a processor.
class Share {
 public:
  double value() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    return static_cast<double>(std::clock() - used_) / CLOCKS_PER_SEC / passed.count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::clock_t used_ = std::clock();
};

// The speed is measured in real nights, on any machine. Skipped if other work used the processor.
TEST(NightlyTrend, SlowerNightsHaveAChangePointAtTheirStart) {
  constexpr StrategyInfo kQuick{"quick", "", Walk<false>::make},
      kSlow{"slow", "", Walk<true>::make};
  const Folder folder;
  History history(folder / "history");
  Runner runner;
  double least_share = 1;
  for (std::uint64_t number = 1; number <= 18; ++number) {
    testing::ShardServices services;
    const bool is_slow = number > 9;
    const nightly::ShardOptions options{.strategy = is_slow ? &kSlow : &kQuick,
                                        .device = find(tables::devices(), "sim")};
    services.counted = [] { return Walk<false>::counted + Walk<true>::counted; };
    const nightly::Plan plan = nightly::make_plan(
        {.number = number, .seed = number, .budget = {100, 0}, .target = some_sound()},
        tables::scenarios());
    const std::string place = folder / std::to_string(number);
    const Share share;
    nightly::run_shard(runner, plan, 1, place, options, services);
    least_share = std::min(least_share, share.value());
    ASSERT_EQ(history.merge({place + "/" + nightly::shard_name(1, 1)}).added, 1u);
  }
  const nightly::Night night = history.night(history.last_night());
  const auto trends = nightly::trends_of(history.database(), night.id, night.terms);
  const Trend& instructions = find_trend(trends, some_sound(), Quantity::instructions);
  EXPECT_EQ(instructions.points[0].value, 1000);
  ASSERT_THAT(instructions.changes, SizeIs(1));
  EXPECT_EQ(instructions.changes[0].index, 9u);
  EXPECT_EQ(instructions.changes[0].ratio, 2);
  if (least_share < 0.8) GTEST_SKIP() << "other work took the processor: no speed can be told";
  const Trend& speed = find_trend(trends, some_sound(), Quantity::speed);
  ASSERT_FALSE(speed.changes.empty());
  const auto worst = std::ranges::min_element(speed.changes, {}, &nightly::ChangePoint::ratio);
  EXPECT_NEAR(static_cast<double>(worst->index), 9, 1);
  EXPECT_LT(worst->ratio, 0.8);
}

}  // namespace
}  // namespace harness
