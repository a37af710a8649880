// SPDX-License-Identifier: Apache-2.0
// `afterlife nightly` on the toy path: whole nights, shards, interruptions, and the history.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "harness/nightly/tests/cli_nights.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::remembered;
using testing::run_toys;
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

/// A night of the toy path that ends after this many runs.
Words night(const std::string& history, Words more = {}, const std::string& runs = "2000") {
  Words words{"nightly", "--runs", runs, "--history", history};
  if (std::find(more.begin(), more.end(), "--only") == more.end())
    words.insert(words.end(), {"--only", "toy"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void expect_one_line(const Ended& ended, int code, const std::string& why) {
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr(why));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

/// The findings of this state in a night, as "variant kind".
Words findings(const json& found, const std::string& state) {
  Words words;
  for (const json& finding : found["findings"])
    if (finding["state"] == state)
      words.push_back(finding["variant"].get<std::string>() + " " +
                      finding["kind"].get<std::string>());
  return words;
}

/// The variants that show a new finding which this one shows, too.
Words shown_with(const json& found, const std::string& variant) {
  Words words;
  for (const json& finding : found["findings"]) {
    Words all;
    for (const json& symptom : finding["symptoms"]) all.push_back(symptom["variant"]);
    if (finding["state"] == "new" && std::find(all.begin(), all.end(), variant) != all.end())
      words.insert(words.end(), all.begin(), all.end());
  }
  return words;
}

TEST(CliNightly, TheFirstNightIsAllNewAndTheSameAgainIsNot) {
  const Folder folder;
  const Ended first = run_toys(night(folder / "history", {"--json"}));
  ASSERT_EQ(first.code, 1) << first.err;
  const json found = json::parse(first.out);
  EXPECT_EQ(found["number"], 1);
  EXPECT_EQ(found["seed"], 1);
  EXPECT_EQ(found["red"], true);
  EXPECT_EQ(found["shards_missing"], 0);
  std::uint64_t runs = 0;
  for (const json& cell : found["cells"]) runs += cell["runs"].get<std::uint64_t>();
  EXPECT_EQ(runs, 2000u);
  EXPECT_THAT(findings(found, "new"), Contains("hoard fault"));
  EXPECT_THAT(shown_with(found, "wrongly_sound"), Contains("wrongly_idle"))
      << "sound variants share a finding";
  EXPECT_THAT(shown_with(found, "borrow"), Contains("wrongly_idle"))
      << "and so do canaries that show it since then";
  EXPECT_THAT(findings(found, "known"), IsEmpty());
  const Ended again = run_toys(night(folder / "history", {"--json", "--seed", "1"}));
  const json known = json::parse(again.out);
  EXPECT_EQ(known["number"], 2);
  EXPECT_THAT(findings(known, "new"), IsEmpty());
  EXPECT_EQ(findings(known, "known").size(), found["findings"].size());
  EXPECT_EQ(again.code, 1) << "a sound variant of this path fails each night";
  EXPECT_FALSE(fs::exists(folder / "history/night")) << "it is over";
}

TEST(CliNightly, NewsOfACanaryIsExitCode0) {
  const Folder folder;
  const Words words = night(folder / "history", {"--only", "toy/borrow", "--seed", "3"});
  const Ended first = run_toys(words);
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_THAT(testing::unwrapped(first.out),
              HasSubstr(" in canaries, all new in a first night. The canary was "
                        "caught.\n"));
  const Ended again = run_toys(words);
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("green: The canary was caught.\n"));
}

TEST(CliNightly, ASoundVariantThatFailsIsExitCode1) {
  const Folder folder;
  const Words words = night(folder / "history", {"--only", "toy/wrongly_sound", "--seed", "3"});
  for (const char* state : {"new", "known"}) {
    const Ended ended = run_toys(words);
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    EXPECT_THAT(ended.out, ::testing::ContainsRegex("\nred: [0-9]+ " + std::string(state) +
                                                    " faults? in sound variants"));
  }
}

TEST(CliNightly, AnUncaughtCanaryFailsAfterEnoughRuns) {
  const Folder folder;
  const auto ended_in = [&](const std::string& history, const std::string& runs, bool is_json) {
    Words words = night(folder / history, {"--only", "toy/wrongly_unsound"}, runs);
    if (is_json) words.emplace_back("--json");
    return run_toys(words);
  };
  const Ended ended = ended_in("history", "7000", true);
  EXPECT_EQ(ended.code, 1);
  const json found = json::parse(ended.out);
  EXPECT_THAT(found["findings"], IsEmpty());
  EXPECT_EQ(found["canaries_missed"], json({"toy/wrongly_unsound"}));
  EXPECT_THAT(ended_in("told", "7000", false).out,
              HasSubstr("red: 1 canary missed (toy/wrongly_unsound)."));
  const Ended brief = ended_in("brief", "2000", false);
  EXPECT_EQ(brief.code, 0) << brief.out;
  EXPECT_THAT(testing::unwrapped(brief.out),
              HasSubstr("1 had fewer than 6 200 runs, which is too few"));
}

TEST(CliNightly, AFindingThatDoesNotReplayIsNondeterminism) {
  const Folder folder;
  const Ended ended =
      run_toys(night(folder / "history", {"--only", "toy/replays_otherwise", "--json"}));
  EXPECT_THAT(findings(json::parse(ended.out), "new"),
              Contains("replays_otherwise nondeterminism"));
}

TEST(CliNightly, NewFindingsHaveReproducers) {
  const Folder folder;
  const json found = json::parse(run_toys(night(folder / "history", {"--json"})).out);
  for (const json& finding : found["findings"]) {
    const std::string file =
        folder / "history/findings/" + finding["reproducer"].get<std::string>();
    ASSERT_TRUE(fs::exists(file)) << file;
    if (finding["kind"] == "fault") {
      EXPECT_EQ(run_toys({"replay", file}).code, 0) << file;
    }
    const Ended shown =
        run_toys({"nightly", "show", finding["cause"], "--history", folder / "history"});
    EXPECT_EQ(shown.out, read_file(file));
  }
}

TEST(CliNightly, ANightOfRunsIsAFunctionOfSeedAndRuns) {
  const Folder folder;
  for (const char* history : {"one", "two"}) run_toys(night(folder / history, {"--seed", "9"}));
  EXPECT_EQ(remembered(folder / "one"), remembered(folder / "two"));
  run_toys(night(folder / "three", {"--seed", "10"}));
  EXPECT_NE(remembered(folder / "one"), remembered(folder / "three"));
}

// ---- shards ----

TEST(CliNightly, ShardsAreRunAnywhereAndMergedInAnyOrder) {
  const Folder folder;
  const std::string history = folder / "it's a history";
  const Ended planned =
      run_toys({"nightly", "plan", "3", "--runs", "3000", "--only", "toy", "--history", history});
  ASSERT_EQ(planned.code, 0) << planned.err;
  EXPECT_EQ(std::system(("{ " + planned.out + "} > " + (folder / "log")).c_str()), 0)
      << planned.out;
  EXPECT_THAT(read_file(folder / "log"), HasSubstr("shard 3 of 3: 15 variants"));
  EXPECT_THAT(run_toys({"nightly", "shard", "2", "--history", history}).out,
              HasSubstr("shard 2 of 3 was finished before"));
  const std::string shards = history + "/night/shard-";
  run_toys({"nightly", "merge", shards + "3-of-3/", shards + "1-of-3", "--history", folder / "b"});
  const Ended late =
      run_toys({"nightly", "merge", history + "/night", "--json", "--history", folder / "b"});
  EXPECT_EQ(json::parse(late.out)["shards_missing"], 0);
  const Ended merged = run_toys({"nightly", "merge", "--history", history});
  EXPECT_EQ(merged.code, 1);
  EXPECT_EQ(run_toys({"nightly", "merge", "--history", history}).out, merged.out);
  EXPECT_EQ(remembered(history), remembered(folder / "b"));
  EXPECT_EQ(run_toys({"nightly", "plan", "2", "--runs", "5", "--history", history}).code, 0)
      << "the night is over, and another one may begin";
}

TEST(CliNightly, AMissingShardIsReported) {
  const Folder folder;
  const std::string history = folder / "history";
  run_toys({"nightly", "plan", "2", "--runs", "900", "--only", "toy/borrow", "--history", history});
  run_toys({"nightly", "shard", "1", "--history", history});
  EXPECT_THAT(testing::unwrapped(run_toys({"nightly", "merge", "--history", history}).out),
              HasSubstr("1 of 2 shards are missing"));
}

TEST(CliNightly, ADamagedShardIsOneLineAndExitCode2) {
  const Folder folder;
  const std::string history = folder / "history";
  run_toys({"nightly", "plan", "2", "--runs", "900", "--only", "toy/borrow", "--history", history});
  for (const char* index : {"1", "2"}) run_toys({"nightly", "shard", index, "--history", history});
  const std::string file = history + "/night/shard-2-of-2/shard.json";
  write_file(file, read_file(file).substr(1));
  const Ended ended = run_toys({"nightly", "merge", "--history", history});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("shard-2-of-2/shard.json: is damaged"));
  EXPECT_THAT(testing::unwrapped(ended.out), HasSubstr("1 of 2 shards are missing"))
      << "the other one is recorded";
}

// ---- interruptions of a night ----

/// A night that is long enough to be stopped, of a path that remembers nothing of earlier runs.
Words long_night(const std::string& history) {
  return night(history, {"--only", "crasher", "--seed", "4"}, "60000");
}

void wait_for_a_cell(const Child& child, const std::string& history) {
  const fs::path file = fs::path(history) / "night/shard-1-of-1.part/cell-003.json";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!fs::exists(file)) {
    ASSERT_THAT(child.err(), Not(HasSubstr("afterlife:")));
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << file << " never came";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// The long night's history where nothing stops it.
const std::string& undisturbed() {
  static const std::string text = [] {
    const Folder folder;
    run_toys(long_night(folder / "history"));
    return remembered(folder / "history");
  }();
  return text;
}

TEST(CliNightly, AKilledNightLeavesNoFinalFileAndCanResume) {
  const Folder folder;
  const std::string history = folder / "history";
  Child child("afterlife_toys", long_night(history));
  wait_for_a_cell(child, history);
  child.signal(SIGKILL);
  EXPECT_EQ(child.wait().code, -SIGKILL);
  EXPECT_FALSE(fs::exists(history + "/night/shard-1-of-1"));
  EXPECT_TRUE(fs::exists(history + "/night/shard-1-of-1.part"));
  expect_one_line(run_toys({"nightly", "merge", "--history", history}), 2,
                  "is not a finished shard");
  expect_one_line(run_toys(long_night(history)), 3, "--resume continues it");
  expect_one_line(run_toys({"nightly", "--resume", "--seed", "5", "--history", history}), 3,
                  "the night to resume has --runs 60000 and --seed 4 and --only crasher");
  const std::string damaged = history + "/night/shard-1-of-1.part/cell-002.json";
  write_file(damaged, read_file(damaged).substr(0, 100));
  const Ended resumed = run_toys({"nightly", "--resume", "--history", history});
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_THAT(resumed.out, ::testing::ContainsRegex("night 1, .*crasher"));
  EXPECT_EQ(remembered(history), undisturbed());
}

TEST(CliNightly, CtrlCKeepsFinishedShardsAndTheNightCanResume) {
  const Folder folder;
  const std::string history = folder / "history";
  Child child("afterlife_toys", long_night(history));
  wait_for_a_cell(child, history);
  child.signal(SIGINT);
  const Ended stopped = child.wait();
  EXPECT_EQ(stopped.code, 4) << stopped.out << stopped.err;
  EXPECT_THAT(stopped.out, HasSubstr("stopped in shard 1 of 1: "));
  EXPECT_THAT(stopped.out, HasSubstr(" nightly --resume --history "));
  run_toys({"nightly", "--resume", "--history", history});
  EXPECT_EQ(remembered(history), undisturbed());
}

TEST(CliNightly, AShardBeingWrittenByAnotherProgramIsSkipped) {
  const Folder folder;
  const std::string history = folder / "history";
  run_toys({"nightly", "plan", "1", "--runs", "100", "--only", "toy", "--history", history});
  const std::string part = history + "/night/shard-1-of-1.part";
  fs::create_directories(part);
  const int held = open(part.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  expect_one_line(run_toys({"nightly", "shard", "1", "--history", history}), 2,
                  "is being written by another program");
  close(held);
  EXPECT_EQ(run_toys({"nightly", "shard", "1", "--history", history}).code, 0);
}

TEST(CliNightly, AFullDiskIsOneLineAndNothingIsLost) {
  const Folder folder;
  for (const rlim_t bytes : {400, 1500, 4000, 9000, 30'000}) {
    SCOPED_TRACE(bytes);
    const std::string history = folder / std::to_string(bytes);
    const auto no_room = [bytes] {
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
    };
    const Words words = night(history, {"--only", "crasher", "--seed", "9", "--resume"});
    const Ended ended = run_child("afterlife_toys", words, no_room);
    EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(run_toys(words).code, 1);
    EXPECT_EQ(remembered(history), remembered(folder / "400"));
  }
}

TEST(CliNightly, AFolderThatCannotBeWrittenIsOneLineAndExitCode2) {
  const Folder folder;
  write_file(folder / "file", "");
  for (const std::string& history :
       {folder / "file", folder / "file/below", std::string("/proc/x")})
    expect_one_line(run_toys(night(history)), 2, "");
}

TEST(CliNightly, ADamagedHistoryIsOneLineBeforeAnythingIsSearched) {
  const Folder folder;
  fs::create_directories(folder / "history");
  const std::string text(5000, 'x');
  write_file(folder / "history/history.sqlite", text);
  expect_one_line(run_toys(night(folder / "history")), 2, "history.sqlite: is damaged");
  EXPECT_EQ(read_file(folder / "history/history.sqlite"), text);
  EXPECT_FALSE(fs::exists(folder / "history/night"));
}

TEST(CliNightly, APlanOfAnotherProgramIsRefused) {
  const Folder folder;
  const std::string history = folder / "history";
  run_toys({"nightly", "plan", "1", "--runs", "100", "--history", history});
  expect_one_line(run_child("afterlife", {"nightly", "shard", "1", "--history", history}), 2,
                  "was created by a program with different paths or variants");
}

// ---- people ----

TEST(CliNightly, FixedFindingsRegressAndIgnoredOnesAreSilent) {
  const Folder folder;
  const std::string history = folder / "history";
  const Words words = night(history, {"--only", "toy/borrow", "--seed", "3", "--json"});
  const json first = json::parse(run_toys(words).out);
  for (const json& finding : first["findings"])
    EXPECT_EQ(run_toys({"nightly", "mark", finding["cause"], "ignored", "--because", "a limit",
                        "--history", history})
                  .code,
              0);
  const Ended silent = run_toys(words);
  EXPECT_EQ(silent.code, 0) << silent.out;
  EXPECT_EQ(findings(json::parse(silent.out), "ignored").size(), first["findings"].size());
  EXPECT_EQ(run_toys({"nightly", "mark", first["findings"][0]["cause"], "fixed", "--because",
                      "it is kept", "--history", history})
                .code,
            0);
  const Ended back = run_toys(words);
  EXPECT_EQ(back.code, 0) << "it is a canary's";
  EXPECT_THAT(findings(json::parse(back.out), "regressed"), ElementsAre("borrow fault"));
}

TEST(CliNightly, ExportsAndImports) {
  const Folder folder;
  run_toys(night(folder / "one"));
  const Ended exported = run_toys({"nightly", "export", "--history", folder / "one"});
  write_file(folder / "lines", exported.out);
  EXPECT_EQ(run_toys({"nightly", "import", folder / "lines", "--history", folder / "two"}).code, 0);
  EXPECT_EQ(run_toys({"nightly", "export", "--history", folder / "two"}).out, exported.out);
  expect_one_line(run_toys({"nightly", "import", folder / "lines", "--history", folder / "two"}), 2,
                  "is a history already");
  expect_one_line(run_toys({"nightly", "export", "--history", folder / "three"}), 2,
                  "contains no history");
}

TEST(CliNightly, WrongArgumentsAreAUsageError) {
  const Folder folder;
  const std::string history = folder / "history";
  run_toys(night(history, {"--only", "toy/borrow"}));
  const std::pair<Words, const char*> wrong[] = {
      {{"nightly", "--runs", "0"}, "'0' is not a whole number"},
      {{"nightly", "--runs", "5", "--minutes", "1"}, "--runs excludes --minutes"},
      {{"nightly", "--only", "toy/borow", "--history", history}, "did you mean 'borrow'"},
      {{"nightly", "plam"}, "there is no command 'nightly plam'; did you mean 'plan'"},
      {{"nightly", "--runs", "5", "--nosuch"}, "nightly has no option '--nosuch'"},
      {{"nightly", "plan"}, "shards is required"},
      {{"nightly", "plan", "0"}, "'0' is not a whole number"},
      {{"nightly", "shard", "1", "--histry", "x"}, "shard has no option '--histry'"},
      {{"nightly", "--history", ""}, "'' names nothing"},
      {{"nightly", "mark", "x", "fixed", "--because", "y", "--history", history},
       "has the cause 'x'"},
      {{"nightly", "mark", "x", "closed", "--because", "y"}, "closed"},
      {{"nightly", "show", "x", "--history", history}, "has the cause 'x'"},
  };
  for (const auto& [words, why] : wrong) {
    SCOPED_TRACE(::testing::PrintToString(words));
    expect_one_line(run_toys(words), 3, why);
  }
}

TEST(CliNightly, EverySubcommandHasHelpWithAnExample) {
  for (const char* part : {"", "plan", "shard", "merge", "export", "import", "show", "mark"}) {
    Words words{"nightly", part, "--help"};
    std::erase(words, "");
    const Ended ended = run_toys(words);
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.out, HasSubstr("Examples:\n  afterlife nightly"));
    EXPECT_THAT(ended.out, HasSubstr("Exit: 0 green, 1 red (a sound variant failed"));
  }
}

}  // namespace
}  // namespace harness
