// SPDX-License-Identifier: Apache-2.0
// `afterlife nightly` on the toy path: tapes that one night keeps for the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "harness/nightly/tests/cli_nights.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::remembered;
using testing::run_toys;
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

Words night(const std::string& history, const Words& more = {}) {
  Words words{"nightly", "--runs", "3000", "--history", history, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Returns the sums over the variants of a night, and nothing but these.
json tapes_of(const json& night) {
  json sums = {{"given", 0}, {"replayed", 0}, {"survived", 0}, {"runs", 0}};
  for (const json& cell : night["cells"])
    for (auto& [name, sum] : sums.items())
      sum = sum.get<std::uint64_t>() + cell["tapes"][name].get<std::uint64_t>();
  return sums;
}

std::string exported(const std::string& history) {
  return run_toys({"nightly", "export", "--history", history}).out;
}

TEST(CliNightlyTapes, ANightReplaysTheTapesOfThePreviousOne) {
  const Folder folder;
  const std::string history = folder / "history";
  const Words crasher{"--only", "crasher"};
  EXPECT_EQ(tapes_of(json::parse(run_toys(night(history, crasher)).out))["given"], 0);
  const json second = json::parse(run_toys(night(history, crasher)).out);
  const json tapes = tapes_of(second);
  EXPECT_GT(tapes["given"], 0);
  EXPECT_EQ(tapes["replayed"], tapes["given"]);
  EXPECT_EQ(tapes["survived"], tapes["given"]);
  std::uint64_t runs = tapes["runs"];
  for (const json& cell : second["cells"]) runs += cell["runs"].get<std::uint64_t>();
  EXPECT_EQ(runs, 2820u)
      << "they are part of the budget, of which builds that are not there have 180";
  const std::string report = std::to_string(tapes["survived"].get<int>()) + " of " +
                             std::to_string(tapes["replayed"].get<int>()) +
                             " tapes of earlier nights still reach what they reached";
  EXPECT_THAT(run_toys({"nightly", "report", "--history", history}).out, HasSubstr(report));
  EXPECT_THAT(read_file(history + "/page.html"), HasSubstr(report));
}

/// Replaces all tapes of a history by useless ones.
void spoil_tapes(const std::string& from, const std::string& to, const std::string& folder) {
  static const std::regex tape("\"tape\":\"[0-9a-f]*\"");
  write_file(folder + "/lines", std::regex_replace(exported(from), tape, "\"tape\":\"\""));
  run_toys({"nightly", "import", folder + "/lines", "--history", to});
}

TEST(CliNightlyTapes, TapesThatNoLongerReachTheirTargetAreReplaced) {
  const Folder folder;
  run_toys(night(folder / "one", {"--only", "toy/retain"}));
  spoil_tapes(folder / "one", folder / "two", folder.path());
  const json second = json::parse(run_toys(night(folder / "two", {"--only", "toy/retain"})).out);
  EXPECT_GT(tapes_of(second)["replayed"], 0);
  EXPECT_EQ(tapes_of(second)["survived"], 0);
  EXPECT_THAT(read_file(folder / "two/page.html"), HasSubstr("0 of "));
  const json third = json::parse(run_toys(night(folder / "two", {"--only", "toy/retain"})).out);
  EXPECT_EQ(tapes_of(third)["survived"], tapes_of(third)["replayed"]);
}

TEST(CliNightlyTapes, ASoundVariantThatFailsOnATapeIsNews) {
  const Folder folder;
  run_toys(night(folder / "one", {"--only", "toy/borrow"}));
  std::string lines;
  std::istringstream all(exported(folder / "one"));
  for (std::string line; std::getline(all, line);)
    if (line.find("afterlife_history") != line.npos || line.find("\"fails in ") != line.npos)
      lines += std::regex_replace(line, std::regex("\"borrow\""), "\"wrongly_sound\"") + "\n";
  write_file(folder / "lines", lines);
  ASSERT_EQ(run_toys({"nightly", "import", folder / "lines", "--history", folder / "two"}).code, 0);
  // A seed whose own search is too short to find it.
  int seed = 0;
  const auto searched = [&](const std::string& history) {
    return json::parse(run_toys({"nightly", "--runs", "8", "--seed", std::to_string(seed), "--only",
                                 "toy/wrongly_sound", "--json", "--history", folder / history})
                           .out);
  };
  do ++seed;
  while (!searched("empty" + std::to_string(seed))["findings"].empty());
  const json found = searched("two");
  ASSERT_THAT(found["findings"], Not(::testing::IsEmpty()));
  EXPECT_EQ(found["findings"][0]["state"], "new");
  EXPECT_EQ(found["cells"][0]["faulty_runs"], 0) << "its own search found nothing";
}

TEST(CliNightlyTapes, AKilledNightResumesFromTheSameTapes) {
  const Folder folder;
  const auto second = [&](const std::string& history, bool is_killed) {
    const Words only{"--only", "crasher", "--seed", "4"};
    run_toys(night(history, only));
    Words words = night(history, only);
    words[2] = "60000";
    Child child("afterlife_toys", words);
    const fs::path file = fs::path(history) / "night/shard-1-of-1.part/cell-002.json";
    while (is_killed && !fs::exists(file))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (is_killed) child.signal(SIGKILL);
    child.wait();
    if (is_killed) run_toys({"nightly", "--resume", "--history", history});
    return remembered(history);
  };
  const std::string undisturbed = second(folder / "one", false);
  EXPECT_THAT(undisturbed, HasSubstr("{\"table\":\"tapes\""));
  EXPECT_EQ(second(folder / "two", true), undisturbed);
}

TEST(CliNightlyTapes, ShardsOfALaterNightMergeInAnyOrder) {
  const Folder folder;
  const std::string history = folder / "history";
  run_toys(night(history, {"--only", "crasher"}));
  fs::copy(history, folder / "other", fs::copy_options::recursive);
  run_toys({"nightly", "plan", "3", "--runs", "3000", "--only", "crasher", "--history", history});
  for (const char* index : {"1", "2", "3"})
    run_toys({"nightly", "shard", index, "--history", history});
  const std::string shards = history + "/night/shard-";
  for (const char* shard : {"3-of-3", "1-of-3", "3-of-3", "2-of-3"})
    run_toys({"nightly", "merge", shards + shard, "--history", folder / "other"});
  run_toys({"nightly", "merge", "--history", history});
  EXPECT_EQ(exported(history), exported(folder / "other"));
  const json report =
      json::parse(run_toys({"nightly", "report", "--json", "--history", history}).out);
  EXPECT_GT(tapes_of(report)["given"], 0);
  EXPECT_EQ(tapes_of(report)["survived"], tapes_of(report)["given"]);
}

}  // namespace
}  // namespace harness
