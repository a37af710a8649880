// SPDX-License-Identifier: Apache-2.0
// `afterlife nightly --programs`: nights of a user's programs, listed in TOML.
#include "harness/base/process/process.h"
#include "harness/nightly/tests/cli_nights.h"
#include "harness/nightly/tests/program_nights.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::buggy_script;
using testing::Bugs;
using testing::expect_one_line;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::remembered;
using testing::run_toys;
using testing::Words;
namespace fs = std::filesystem;

const std::atomic<bool> kGoOn{false};

class CliNightlyPrograms : public testing::RunStage {
 protected:
  void SetUp() override {
    RunStage::SetUp();
    lay_out("here", {.first = true});
  }

  /// Writes two programs and their list into a folder.
  void lay_out(const std::string& folder, const Bugs& bugs, int lines = 0) {
    fs::create_directories(folder_ / (folder + "/sub"));
    write_file(folder_ / (folder + "/sub/mine.py"), buggy_script(bugs, lines));
    write_file(folder_ / (folder + "/sound.py"), buggy_script({}));
    write_file(folder_ / (folder + "/list.toml"),
               "[[program]]\n"
               "name = \"mine\"\n"
               "command = [\"python3\", \"mine.py\"]\n"
               "folder = \"sub\"\n"
               "runs = 3\n"
               "environment = {FIRST = \"1\"}\n"
               "[[program]]\n"
               "name = \"sound\"\n"
               "command = [\"python3\", \"sound.py\"]\n"
               "runs = 3\n");
  }

  Ended nightly(Words arguments) const {
    arguments.insert(arguments.begin(), "nightly");
    arguments.insert(arguments.end(), {"--history", history_});
    return run_toys(arguments);
  }
  Ended night(const std::string& folder, Words options = {}) const {
    options.insert(options.end(), {"--programs", folder_ / (folder + "/list.toml")});
    return nightly(options);
  }
  json night_json(const std::string& folder, int code) const {
    const Ended ended = night(folder, {"--json"});
    EXPECT_EQ(ended.code, code) << ended.out << ended.err;
    return json::parse(ended.out);
  }

  const std::string history_ = folder_ / "history";
};

TEST_F(CliNightlyPrograms, ReportsABugWithAReproducer) {
  const json summary = night_json("here", 1);
  ASSERT_EQ(summary["findings"].size(), 1u) << summary;
  const json& finding = summary["findings"][0];
  EXPECT_EQ(finding["state"], "new");
  EXPECT_EQ(finding["path"], "programs");
  EXPECT_EQ(finding["variant"], "mine");
  const std::string file = finding["reproducer"];
  EXPECT_TRUE(file.starts_with("mine-use_after_free-")) << file;
  EXPECT_TRUE(fs::exists(history_ + "/page.html"));
  EXPECT_THAT(read_file(history_ + "/page.html"), HasSubstr(file + ".html"));
  EXPECT_THAT(read_file(history_ + "/findings/" + file + ".html"), HasSubstr("mine.py"));
  const ProcessEnd replayed =
      run_process({"/bin/sh", "-c",
                   fmt::format("cd '{}' && '{}' replay '{}'", folder_ / "here/sub",
                               (testing::program_folder() / "afterlife_toys").string(),
                               fs::absolute(history_ + "/findings/" + file).string())},
                  {}, kGoOn);
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("as recorded"));
}

TEST_F(CliNightlyPrograms, AFindingIsRecognizedInAnotherCheckoutWithMovedLines) {
  ASSERT_EQ(night_json("here", 1)["findings"].size(), 1u);
  lay_out("there", {.first = true}, 9);
  const json summary = night_json("there", 1);
  ASSERT_EQ(summary["findings"].size(), 1u);
  EXPECT_EQ(summary["findings"][0]["state"], "known");
}

TEST_F(CliNightlyPrograms, ThreeNightsReportNewAndFixedFindings) {
  night_json("here", 1);
  lay_out("here", {.first = true, .second = true});
  const json second = night_json("here", 1);
  ASSERT_EQ(second["findings"].size(), 2u);
  int fresh = 0;
  for (const json& finding : second["findings"]) fresh += finding["state"] == "new";
  EXPECT_EQ(fresh, 1);
  lay_out("here", {});
  const json third = night_json("here", 0);
  EXPECT_THAT(third["findings"], IsEmpty());
  ASSERT_EQ(third["absent"].size(), 2u) << third;
  for (const json& finding : third["absent"]) EXPECT_EQ(finding["replay"], "gone") << finding;
}

TEST_F(CliNightlyPrograms, ItsShardsCanBeRunElsewhere) {
  const std::string list = folder_ / "here/list.toml";
  const Ended plan = nightly({"plan", "2", "--programs", list});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("nightly shard 2 --history"));
  EXPECT_THAT(plan.out, HasSubstr("--programs"));
  for (const char* index : {"1", "2"})
    ASSERT_EQ(nightly({"shard", index, "--programs", list}).code, 0);
  const Ended merged = nightly({"merge", "--programs", list, "--json"});
  EXPECT_EQ(merged.code, 1) << merged.err;
  EXPECT_EQ(json::parse(merged.out)["findings"].size(), 1u);
}

TEST_F(CliNightlyPrograms, AShardWithoutTheProgramListStartsNothing) {
  ASSERT_EQ(nightly({"plan", "1", "--programs", folder_ / "here/list.toml"}).code, 0);
  expect_one_line(nightly({"shard", "1"}), 2, "a night of programs needs their list");
}

TEST_F(CliNightlyPrograms, WritesTheUsualReports) {
  const std::string sarif = folder_ / "night.sarif", junit = folder_ / "night.xml";
  const Ended ended =
      night("here", {"--sarif", sarif, "--junit", junit, "--markdown", folder_ / "night.md"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("new programs/mine: use_after_free"));
  const json log = json::parse(read_file(sarif));
  ASSERT_EQ(log["runs"][0]["results"].size(), 1u);
  EXPECT_EQ(log["runs"][0]["results"][0]["baselineState"], "new");
  EXPECT_TRUE(log["runs"][0]["results"][0].contains("codeFlows"));
  EXPECT_THAT(read_file(junit), HasSubstr("programs"));
}

TEST_F(CliNightlyPrograms, SupportsTheUsualMarks) {
  const std::string cause = night_json("here", 1)["findings"][0]["cause"];
  const auto mark = [&](const std::string& state) {
    const Ended ended = nightly({"mark", cause, state, "--because", "so it is"});
    ASSERT_EQ(ended.code, 0) << ended.err;
  };
  EXPECT_THAT(nightly({"show", cause}).out, HasSubstr("use_after_free"));
  mark("ignored");
  EXPECT_EQ(night_json("here", 0)["findings"][0]["state"], "ignored");
  mark("open");
  EXPECT_EQ(night_json("here", 1)["findings"][0]["state"], "known");
  mark("fixed");
  EXPECT_EQ(night_json("here", 1)["findings"][0]["state"], "regressed");
}

TEST_F(CliNightlyPrograms, NotifiesWhileRedAndOnceWhenGreenAgain) {
  const std::string notices = folder_ / "told", copy = folder_ / "night.json";
  const Words notify{"--notify", fmt::format("echo \"$AFTERLIFE_LINE\" >> '{}' && "
                                             "cp \"$AFTERLIFE_JSON\" '{}'",
                                             notices, copy)};
  const auto notice_after = [&](const Bugs& bugs, int code) {
    lay_out("here", bugs);
    fs::remove(notices);
    const Ended ended = night("here", notify);
    EXPECT_EQ(ended.code, code) << ended.out << ended.err;
    return fs::exists(notices) ? read_file(notices) : "";
  };
  EXPECT_THAT(notice_after({.first = true}, 1), HasSubstr("night 1, red: "));
  EXPECT_EQ(json::parse(read_file(copy))["findings"][0]["variant"], "mine");
  EXPECT_THAT(notice_after({}, 0), HasSubstr("night 2, green: "));
  EXPECT_EQ(notice_after({}, 0), "");
  lay_out("here", {.first = true});
  expect_one_line(night("here", {"--notify", "exit 9"}), 1, "the command of --notify ");
}

TEST_F(CliNightlyPrograms, AnInterruptedNightPrintsTheCommandThatResumesIt) {
  std::string list = read_file(folder_ / "here/list.toml");
  list.replace(list.rfind("runs = 3"), 8, "runs = 300");
  write_file(folder_ / "here/list.toml", list);
  const std::string whole = folder_ / "whole";
  Words words{"nightly", "--programs", folder_ / "here/list.toml", "--history"};
  words.emplace_back(whole);
  ASSERT_EQ(run_toys(words).code, 1);
  words.back() = history_;
  Child child("afterlife_toys", words);
  const fs::path first = fs::path(history_) / "night/shard-1-of-1.part/cell-001.json";
  while (!fs::exists(first) && !child.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  child.signal(SIGINT);
  const Ended stopped = child.wait();
  ASSERT_EQ(stopped.code, 1) << stopped.out << stopped.err;  // Its finding so far counts.
  EXPECT_THAT(stopped.out, HasSubstr("stopped in shard 1 of 1: "));
  expect_one_line(night("here"), 3, "--resume continues it");
  expect_one_line(nightly({"--resume"}), 2, "a night of programs needs their list");
  expect_one_line(night("here", {"--resume", "--runs", "5"}), 3,
                  "the night to resume has --runs 303 and --seed 1; leave");
  const std::string shown = stopped.out.substr(stopped.out.rfind("  ") + 2);
  const ProcessEnd resumed = run_process({"/bin/sh", "-c", shown}, {}, kGoOn);
  EXPECT_EQ(resumed.code, 1) << shown << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("new programs/mine: use_after_free"));
  EXPECT_EQ(remembered(history_), remembered(whole));
}

TEST_F(CliNightlyPrograms, LocalAndRemoteShardsGiveTheSameResult) {
  const std::string list = folder_ / "here/list.toml", elsewhere = folder_ / "elsewhere";
  ASSERT_EQ(night("here", {"--jobs", "2", "--runs", "6"}).code, 1);
  const auto there = [&](Words words) {
    words.insert(words.begin(), "nightly");
    words.insert(words.end(), {"--programs", list, "--history", elsewhere});
    return run_toys(words).code;
  };
  ASSERT_EQ(there({"plan", "2", "--runs", "6"}), 0);
  for (const char* index : {"2", "1"}) ASSERT_EQ(there({"shard", index}), 0);
  EXPECT_EQ(there({"merge"}), 1);
  EXPECT_EQ(remembered(history_), remembered(elsewhere));
}

TEST_F(CliNightlyPrograms, SarifRecognizesAFindingInAnotherCheckout) {
  const auto result = [&](const std::string& folder) {
    const std::string sarif = folder_ / (folder + ".sarif");
    EXPECT_EQ(night(folder, {"--sarif", sarif}).code, 1);
    return json::parse(read_file(sarif))["runs"][0]["results"].at(0);
  };
  const json first = result("here");
  lay_out("there", {.first = true}, 9);
  const json second = result("there");
  EXPECT_EQ(first["baselineState"], "new");
  EXPECT_EQ(second["baselineState"], "unchanged");
  EXPECT_EQ(first["partialFingerprints"], second["partialFingerprints"]);
}

TEST_F(CliNightlyPrograms, AProgramThatFailsByItselfIsReported) {
  write_file(folder_ / "here/sub/mine.py", "raise SystemExit(3)\n");
  const json summary = night_json("here", 1);
  ASSERT_EQ(summary["findings"].size(), 1u) << summary;
  EXPECT_EQ(summary["findings"][0]["kind"], "bad end");
  EXPECT_EQ(summary["findings"][0]["variant"], "mine");
}

TEST_F(CliNightlyPrograms, TheOptionOnlySelectsOneProgram) {
  const Ended ended = night("here", {"--only", "sound"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  expect_one_line(night("here", {"--only", "other"}), 2, "program 'other'");
}

TEST_F(CliNightlyPrograms, TheHistoryHoldsNoCommand) {
  night_json("here", 1);
  const Ended exported = nightly({"export"});
  EXPECT_THAT(exported.out, HasSubstr("finding of program mine"));
  EXPECT_THAT(exported.out, Not(HasSubstr("python3")));
}

TEST_F(CliNightlyPrograms, AMalformedListIsRefusedInOneLine) {
  const auto refused = [&](const std::string& text, const std::string& why) {
    write_file(folder_ / "here/list.toml", text);
    expect_one_line(night("here"), 2, "list.toml" + why);
  };
  refused("[[program]\n", ":1: ");
  refused("", ": expected programs and nothing else: [[program]]");
  refused("[[program]]\nname = \"a b\"\ncommand = [\"true\"]\n",
          ":1: the name 'a b' cannot be used in file names");
  refused("[[program]]\nname = \"a\"\n", ":1: command is missing");
  refused("[[program]]\nname = \"a\"\ncommand = [\"true\", 3]\n",
          ":3: a word of the command is not a string");
  refused("[[program]]\nname = \"a\"\ncommand = [\"true\"]\nrun = 3\n",
          ":4: unknown key 'run'; a program may have: name command");
  refused("[[program]]\nname = \"a\"\ncommand = [\"true\"]\nruns = 3\nseconds = 1\n",
          ":1: give either runs or seconds");
  refused("[[program]]\nname = \"a\"\ncommand = [\"true\"]\nfolder = \"none\"\n", ":1: ");
  const std::string twice = "[[program]]\nname = \"a\"\ncommand = [\"true\"]\n";
  refused(twice + twice, ":4: two programs are named 'a'");
}

}  // namespace
}  // namespace harness
