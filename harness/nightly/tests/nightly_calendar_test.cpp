// SPDX-License-Identifier: Apache-2.0
// Nights by date: missed nights, and notifications.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/cli/tests/toys_child.h"
#include "harness/nightly/past.h"
#include "harness/nightly/tests/cli_nights.h"
#include "harness/nightly/tests/nightly_stage.h"

namespace harness {
namespace {

using nightly::PastNight;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_toys;
using Words = std::vector<std::string>;

constexpr std::int64_t kHour = 3600, kDay = 24 * kHour, kFirst = 1'700'000'000;

std::vector<PastNight> nights_at(const std::vector<std::int64_t>& times) {
  std::vector<PastNight> past;
  past.reserve(times.size());
  for (const std::int64_t time : times) past.push_back({past.size() + 1, 1, 1, 0, 0, time});
  return past;
}

TEST(MissingNights, AreTheGapSinceThePreviousNight) {
  const auto missing = [](const std::vector<std::int64_t>& times, double every = kDay) {
    return nightly::missing_nights(nights_at(times), every);
  };
  EXPECT_EQ(missing({}), 0u);
  EXPECT_EQ(missing({kFirst}), 0u);
  EXPECT_EQ(missing({kFirst, kFirst + kDay}), 0u);
  EXPECT_EQ(missing({kFirst, kFirst + kDay + 11 * kHour}), 0u) << "it is late";
  EXPECT_EQ(missing({kFirst, kFirst + kDay + 13 * kHour}), 1u);
  EXPECT_EQ(missing({kFirst, kFirst + 4 * kDay}), 3u);
  EXPECT_EQ(missing({kFirst, kFirst + 4 * kDay, kFirst + 5 * kDay}), 0u) << "told the day before";
  EXPECT_EQ(missing({kFirst, kFirst + kHour}), 0u);
  EXPECT_EQ(missing({kFirst, kFirst + 14 * kDay}, 7 * kDay), 1u);
  EXPECT_EQ(missing({kFirst, kFirst + 14 * kDay}, 0), 0u) << "no rhythm";
  EXPECT_EQ(missing({kFirst, kFirst - kDay}), 0u) << "the clock went back";
  EXPECT_EQ(missing({0, kFirst}), 0u) << "an older program did not say when";
  EXPECT_EQ(missing({kFirst, 0}), 0u);
  EXPECT_EQ(missing({1, INT64_MAX}, 1e-300), 1'000'000'000u);
}

/// Nights of one shard each, by hand, which end when the test says.
class NightsInTime : public ::testing::Test {
 protected:
  /// Merges the next night; `signatures` are what its canary shows.
  Ended merge(std::int64_t ended_at, const Words& signatures, const Words& more = {},
              bool is_red = false) {
    ++number_;
    const nightly::Plan plan = testing::hand_made_plan(1, number_);
    nightly::ShardRecord shard = testing::hand_made_shard(plan, 1, signatures);
    shard.ended_at = ended_at;
    if (is_red) shard.cells[0].tapes = {1, 1, 0, 1, {}};  // It no longer replays.
    const std::string place = testing::leave_shard(folder_ / std::to_string(number_), shard);
    Words words{"nightly", "merge", place, "--history", folder_ / "history"};
    words.insert(words.end(), more.begin(), more.end());
    return run_toys(words);
  }

  /// Returns the line that --notify received since the last call; "" if it was not run.
  std::string notices() {
    const std::string file = folder_ / "told";
    if (!std::filesystem::exists(file)) return {};
    const std::string line = read_file(file);
    std::filesystem::remove(file);
    return line;
  }
  Words notify() const {
    return {"--notify", "printf %s \"$AFTERLIFE_LINE\" >> '" + (folder_ / "told") +
                            "'; cp \"$AFTERLIFE_JSON\" '" + (folder_ / "json") + "'"};
  }

  Folder folder_;
  std::uint64_t number_ = 0;
};

TEST_F(NightsInTime, AMissedNightIsReportedByTheNextOne) {
  merge(kFirst, {"a"});
  const std::string page = folder_ / "history/page.html", metrics = folder_ / "night.prom";
  const Ended late = merge(kFirst + 3 * kDay, {"a"}, {"--metrics", metrics});
  EXPECT_EQ(late.code, 0) << late.err;
  EXPECT_THAT(testing::unwrapped(late.out), HasSubstr("2 nights before it did not run."));
  EXPECT_THAT(read_file(page), HasSubstr("<span class=\"badge bad\">incomplete</span>"));
  EXPECT_THAT(read_file(metrics), HasSubstr("\nafterlife_night_nights_missing 2\n"));
  EXPECT_THAT(read_file(metrics),
              HasSubstr("\nafterlife_night_end_timestamp_seconds 1700259200\n"));
  const Ended in_time = merge(kFirst + 4 * kDay, {"a"}, {"--json"});
  EXPECT_EQ(json::parse(in_time.out)["nights_missing"], 0);
  EXPECT_EQ(json::parse(in_time.out)["ended_at"], kFirst + 4 * kDay);
  EXPECT_THAT(read_file(page), HasSubstr("<span class=\"badge good\">green</span>"));
  EXPECT_THAT(merge(kFirst + 11 * kDay, {"a"}, {"--every", "168"}).out,
              Not(HasSubstr("did not run")));
}

TEST_F(NightsInTime, ANotificationIsSentOncePerRedNightAndAtItsEnd) {
  merge(kFirst, {"a"}, notify(), true);
  EXPECT_THAT(notices(), HasSubstr("night 1, red: 1 sound variant held in 800 runs. 1 of 1 tapes"));
  EXPECT_EQ(json::parse(read_file(folder_ / "json"))["number"], 1);
  Words again{"nightly", "merge", folder_ / "1", "--history", folder_ / "history"};
  for (const std::string& word : notify()) again.push_back(word);
  EXPECT_EQ(run_toys(again).code, 1);
  EXPECT_EQ(notices(), "") << "it was merged before";
  merge(kFirst + kDay, {"a"}, notify());
  EXPECT_THAT(notices(), HasSubstr("night 2, green: ")) << "it was red the night before";
  merge(kFirst + 2 * kDay, {"a"}, notify());
  EXPECT_EQ(notices(), "") << "green twice";
  merge(kFirst + 5 * kDay, {"a"}, notify());
  EXPECT_THAT(notices(), HasSubstr("2 nights before it did not run"));
  merge(kFirst + 6 * kDay, {"a"});
  EXPECT_EQ(notices(), "") << "no one asked";
}

TEST_F(NightsInTime, NoNotificationIsSentForANightWithMissingShards) {
  const nightly::Plan plan = testing::hand_made_plan(2);
  for (const std::size_t index : {1, 2}) {
    nightly::ShardRecord shard = testing::hand_made_shard(plan, index, {"a"});
    shard.cells[0].tapes = {1, 1, 0, 1, {}};
    const std::string place = testing::leave_shard(folder_ / "night", shard);
    Words words{"nightly", "merge", place, "--history", folder_ / "history"};
    for (const std::string& word : notify()) words.push_back(word);
    run_toys(words);
    EXPECT_EQ(notices().empty(), index == 1);
  }
}

TEST_F(NightsInTime, AFailedNotificationIsOneLineAndKeepsTheResult) {
  const Ended ended = merge(kFirst, {"a"}, {"--notify", "echo no such host >&2; exit 3"}, true);
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("night 1, "));
  EXPECT_EQ(ended.err, "afterlife: the command of --notify ended with exit code 3: no such host\n");
}

TEST(CliNightlyTime, AShardRecordsItsEndTime) {
  const Folder folder;
  const std::time_t begin = std::time(nullptr);
  const Ended ended = run_toys({"nightly", "--runs", "200", "--only", "toy/borrow", "--json",
                                "--history", folder / "history"});
  const std::int64_t at = json::parse(ended.out)["ended_at"];
  EXPECT_GE(at, begin);
  EXPECT_LE(at, std::time(nullptr));
}

}  // namespace
}  // namespace harness
