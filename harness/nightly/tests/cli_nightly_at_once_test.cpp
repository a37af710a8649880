// SPDX-License-Identifier: Apache-2.0
// `afterlife nightly --jobs` on toy paths: the parallel shards of a night.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "harness/nightly/tests/cli_nights.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::remembered;
using testing::run_toys;
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

/// A night of two shards, long enough to be interrupted, of a path without state across runs.
Words long_night(const std::string& history) {
  return {"nightly", "--runs", "60000", "--only",    "crasher", "--seed",
          "4",       "--jobs", "2",     "--history", history};
}

/// The long night's history where nothing disturbs it.
const std::string& undisturbed() {
  static const std::string text = [] {
    const Folder folder;
    EXPECT_EQ(run_toys(long_night(folder / "history")).code, 1);
    return remembered(folder / "history");
  }();
  return text;
}

/// Returns the processes of the shards, once each of them has finished a cell.
std::vector<pid_t> wait_for_cells(const Child& child, const std::string& history) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (const char* shard : {"1", "2"}) {
    const std::string file = history + "/night/shard-" + shard + "-of-2.part/cell-001.json";
    while (!fs::exists(file) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(fs::exists(file)) << file << " never came: " << child.err();
  }
  return child.children();
}

TEST(CliNightlyAtOnce, ATimedNightHasAShardPerCore) {
  cpu_set_t cores;
  ASSERT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  const auto all = static_cast<std::size_t>(CPU_COUNT(&cores));
  for (const auto& [more, shards] : {std::pair{Words{}, all}, {{"--jobs", "3"}, 3}}) {
    const Folder folder;
    Words words{"nightly", "--minutes", "0.02",      "--only",
                "toy",     "--json",    "--history", folder / "h"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run_toys(words);
    EXPECT_EQ(ended.code, 1) << ended.err;
    const json night = json::parse(ended.out);
    EXPECT_EQ(night["shards"], shards);
    EXPECT_NEAR(night["planned_seconds"], 1.2 * static_cast<double>(shards), 1e-9);
  }
}

TEST(CliNightlyAtOnce, ANightOfRunsIsOneShardOnAnyMachine) {
  const Folder folder;
  const Ended ended = run_toys(
      {"nightly", "--runs", "500", "--only", "toy", "--json", "--history", folder / "history"});
  EXPECT_EQ(json::parse(ended.out)["shards"], 1);
}

TEST(CliNightlyAtOnce, ParallelAndSequentialShardsGiveTheSameResult) {
  const Folder folder;
  const std::string history = folder / "history";
  run_toys({"nightly", "plan", "2", "--runs", "60000", "--only", "crasher", "--seed", "4",
            "--history", history});
  for (const char* index : {"1", "2"}) run_toys({"nightly", "shard", index, "--history", history});
  run_toys({"nightly", "merge", "--history", history});
  EXPECT_EQ(remembered(history), undisturbed());
}

TEST(CliNightlyAtOnce, AShardWithAKilledProcessContinues) {
  const Folder folder;
  const std::string history = folder / "history";
  Child child("afterlife_toys", long_night(history));
  const std::vector<pid_t> shards = wait_for_cells(child, history);
  ASSERT_EQ(shards.size(), 2) << "they run side by side";
  kill(shards[0], SIGKILL);
  const Ended ended = child.wait();
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("of 2 was ended by signal 9 (Killed); it continues when"));
  EXPECT_EQ(remembered(history), undisturbed());
}

TEST(CliNightlyAtOnce, CtrlCEndsAllShardsAndTheNightCanResume) {
  const Folder folder;
  const std::string history = folder / "history";
  Child child("afterlife_toys", long_night(history));
  const std::vector<pid_t> shards = wait_for_cells(child, history);
  child.signal(SIGINT);
  const Ended stopped = child.wait();
  EXPECT_EQ(stopped.code, 4) << stopped.out << stopped.err;
  EXPECT_THAT(stopped.out, MatchesRegex("stopped in shard 1 of 2: ([2-9]|[1-9][0-9]+) var.*"))
      << "both count";
  for (const pid_t shard : shards) EXPECT_NE(kill(shard, 0), 0) << "it has ended, too";
  const Ended other = run_toys({"nightly", "--resume", "--runs", "5", "--history", history});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("--runs 60000 for its 2 shards and --seed 4"));
  EXPECT_EQ(run_toys({"nightly", "--resume", "--jobs", "1", "--history", history}).code, 1);
  EXPECT_EQ(remembered(history), undisturbed());
}

TEST(CliNightlyAtOnce, AKilledNightEndsItsShardsAndCanResume) {
  const Folder folder;
  const std::string history = folder / "history";
  Child child("afterlife_toys", long_night(history));
  wait_for_cells(child, history);
  child.signal(SIGKILL);
  EXPECT_EQ(child.wait().code, -SIGKILL);
  Words words = long_night(history);
  words.emplace_back("--resume");
  EXPECT_EQ(run_toys(words).code, 1);
  EXPECT_EQ(remembered(history), undisturbed());
}

TEST(CliNightlyAtOnce, AFullDiskIsReportedInOneLine) {
  const Folder folder;
  const std::string history = folder / "history";
  const auto no_room = [] {
    const rlimit limit{9000, 9000};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  Words words = long_night(history);
  words.emplace_back("--resume");
  const Ended ended = run_child("afterlife_toys", words, no_room);
  EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_EQ(run_toys(words).code, 1);
  EXPECT_EQ(remembered(history), undisturbed());
}

TEST(CliNightlyAtOnce, AResumedNightKeepsItsMinutes) {
  const Folder folder;
  const std::string history = folder / "history";
  const Words words{"nightly", "--minutes", "0.05",     "--only",    "crasher",
                    "--jobs",  "2",         "--resume", "--history", history};
  Child child("afterlife_toys", words);
  wait_for_cells(child, history);
  child.signal(SIGKILL);
  child.wait();
  const Ended other = run_toys({"nightly", "--resume", "--minutes", "1", "--history", history});
  EXPECT_THAT(other.err, HasSubstr("--minutes 0.05 for its 2 shards"));
  EXPECT_EQ(run_toys(words).code, 1);
}

}  // namespace
}  // namespace harness
