// SPDX-License-Identifier: Apache-2.0
// `afterlife fuzz` on toy paths, its answers and the files that it leaves: the built program is run
// as a child. Signals are sent on an event (a file appears), never on a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/cli/tests/toys_child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::reproducer_text;
using testing::run_toys;
using testing::toy_case;

std::vector<std::string> fuzz(const char* target, const Folder& folder,
                              std::vector<std::string> more) {
  more.insert(more.begin(), {"fuzz", target, "--out", folder / "out"});
  return more;
}

json row_of(const Ended& ended) { return json::parse(ended.out)["results"].at(0); }

std::vector<std::string> reproducers(const Folder& folder) {
  std::vector<std::string> files;
  for (const std::string& file : folder.files())
    if (file.ends_with(".repro")) files.push_back(file);
  return files;
}

/// A search without an end that has written a reproducer.
struct FindingChild : Child {
  FindingChild(const char* target, const Folder& folder, const char* more = "--json")
      : Child("afterlife_toys", fuzz(target, folder, {"--seconds", "6000", more})) {
    while (reproducers(folder).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
};

// ---- too few runs ----

TEST(FuzzAnswers, HeldTakesThirtyRunsInEveryConfig) {
  const Folder folder;
  const Ended few = run_toys(fuzz("toy/retain", folder, {"--runs", "116", "--json"}));  // 29 each.
  EXPECT_EQ(few.code, 1);
  EXPECT_EQ(row_of(few)["verdict"], "too few runs");
  EXPECT_FALSE(row_of(few)["as_claimed"]);
  EXPECT_EQ(row_of(few)["least_runs"].get<int>() + row_of(few)["runs_needed"].get<int>(), 30);
  const Ended told = run_toys(fuzz("toy/retain", folder, {"--runs", "116"}));
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.out, HasSubstr("toy/retain claims sound: too few runs, "));
  EXPECT_EQ(run_toys(fuzz("toy/retain", folder, {"--runs", "2000"})).code, 0);
}

TEST(FuzzAnswers, MissedTakesThemTooButCaughtTakesNone) {
  const Folder folder;
  const Ended few = run_toys(fuzz("toy/wrongly_unsound", folder, {"--runs", "8", "--json"}));
  EXPECT_EQ(few.code, 1);
  EXPECT_EQ(row_of(few)["verdict"], "too few runs");
  const Ended caught = run_toys(fuzz("toy/borrow", folder, {"--runs", "60", "--json"}));
  EXPECT_EQ(row_of(caught)["verdict"], "caught");
  EXPECT_EQ(caught.code, 0);
}

// ---- what the claim does not name ----

TEST(FuzzAnswers, AFailureInAWindowThatIsNotClaimedIsNotAsClaimed) {
  const Folder folder;
  const Ended told = run_toys(fuzz("toy/second_window", folder, {"--runs", "4000"}));
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.out, HasSubstr("toy/second_window claims unsound: caught, also stale"));
  EXPECT_THAT(told.out, HasSubstr("NO"));
  const Ended ended = run_toys(fuzz("toy/second_window", folder, {"--runs", "4000", "--json"}));
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(row_of(ended)["verdict"], "caught");
  EXPECT_EQ(row_of(ended)["unclaimed"], json::array({"stale"}));
  EXPECT_FALSE(row_of(ended)["as_claimed"]);
  EXPECT_EQ(run_toys(fuzz("toy/other_window", folder, {"--runs", "4000"})).code, 1);
}

TEST(FuzzAnswers, AClaimedWindowThatNeverFailsIsNotAsClaimed) {
  const Folder folder;
  const Ended told = run_toys(fuzz("toy/wide_claim", folder, {"--runs", "6000"}));
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.out, HasSubstr("toy/wide_claim claims unsound: caught, never by stale"));
  EXPECT_THAT(told.out, HasSubstr("MISSED"));
  const Ended few = run_toys(fuzz("toy/wide_claim", folder, {"--runs", "200", "--json"}));
  EXPECT_EQ(few.code, 0) << "too few arrivals";
  EXPECT_EQ(row_of(few)["missed"], json::array());
  EXPECT_EQ(row_of(few)["windows"][0]["standing"], "too few runs");
}

TEST(FuzzAnswers, OfOneWindowTheClaimIsJudgedThereAlone) {
  const Folder folder;
  const Ended claimed = run_toys(
      fuzz("toy/second_window", folder, {"--runs", "4000", "--window", "content", "--json"}));
  EXPECT_EQ(claimed.code, 0);
  EXPECT_EQ(row_of(claimed)["verdict"], "caught");
  EXPECT_EQ(json::parse(claimed.out)["window"], "content");
  const json row = row_of(claimed);
  for (const json& finding : row["findings"]) EXPECT_EQ(finding["hazard"], "content");
  EXPECT_EQ(json::parse(claimed.out)["windows"].size(), 1U);
  const Ended other = run_toys(
      fuzz("toy/second_window", folder, {"--runs", "4000", "--window", "stale", "--json"}));
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(row_of(other)["verdict"], "refuted");
}

TEST(FuzzAnswers, AnUnknownWindowIsAUsageErrorThatListsTheNames) {
  const Folder folder;
  const Ended ended = run_toys(fuzz("toy/borrow", folder, {"--window", "nosuch"}));
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("there is no window 'nosuch'"));
  EXPECT_THAT(ended.err, HasSubstr(" stale"));
}

// ---- replays that differ ----

TEST(FuzzAnswers, AReplayThatDiffersIsExitCode1WhateverTheVerdict) {
  const Folder folder;
  const Ended ended = run_toys(fuzz("toy/replays_otherwise", folder, {"--runs", "2000"}));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("1 of 1 deliberately broken variants failed as claimed"));
  EXPECT_THAT(ended.out, HasSubstr("replay differs, which is a bug of the harness: "));
  for (const std::string& file : reproducers(folder))
    EXPECT_THAT(read_file(file), HasSubstr("\n# Replay differs")) << file;
}

TEST(FuzzAnswers, ASmallestRunThatLostItsFaultIsExitCode1) {
  const Folder folder;
  const Ended ended = run_toys(fuzz("toy/forgets", folder, {"--runs", "2000", "--json"}));
  EXPECT_EQ(row_of(ended)["verdict"], "caught");
  EXPECT_EQ(ended.code, 1);
}

TEST(FuzzAnswers, AMinimizedRunThatLostItsFaultIsExitCode1AndItsFileSaysSo) {
  const Folder folder;  // The fault is lost while minimizing.
  const Ended ended = run_toys(fuzz("toy/forgets", folder, {"--runs", "150"}));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("1 of 1 deliberately broken variants failed as claimed"));
  EXPECT_THAT(ended.out, HasSubstr("replay differs, which is a bug of the harness: "));
  for (const std::string& file : reproducers(folder))
    EXPECT_THAT(read_file(file), HasSubstr("\nfault ")) << file;
}

TEST(MinimizeAnswers, ACaseWhoseReplaysDifferIsExitCode1AndNotWritten) {
  const Folder folder;
  const std::string file = folder / "other.repro";
  write_file(file, reproducer_text(toy_case("replays_otherwise", testing::failing_tape())));
  const Ended ended = run_toys({"minimize", file});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(
      ended.out,
      EndsWith(
          "two replays of the case differ, which is a bug of the harness\nnothing is written\n"));
  EXPECT_EQ(folder.files().size(), 1U);
  write_file(file, reproducer_text(toy_case("borrow", testing::failing_tape())));
  EXPECT_EQ(run_toys({"minimize", file}).code, 0);
}

TEST(MinimizeAnswers, ACaseThatLosesItsFaultOnTheWayIsExitCode1AndNotWritten) {
  const Folder folder;
  const Ended found = run_toys(fuzz("toy/borrow", folder, {"--runs", "2000", "--first", "--json"}));
  const std::string first = row_of(found)["findings"].at(0)["reproducer"];
  const std::string text =
      std::regex_replace(read_file(first), std::regex("\nvariant borrow"), "\nvariant forgets");
  const std::string file = folder / "forgets.repro";
  write_file(file, text);
  EXPECT_EQ(run_toys({"replay", file}).code, 0);
  for (const char* form : {"", "--json"}) {
    std::vector<std::string> words{"minimize", file, "--out", file};
    if (*form != 0) words.emplace_back(form);
    EXPECT_EQ(run_toys(words).code, 1);
    EXPECT_EQ(read_file(file), text);
  }
}

// ---- stopped ----

TEST(FuzzAnswers, StoppedIsExitCode4AndAFieldOfTheJson) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder;
    FindingChild child("toy/borrow", folder);
    child.signal(signal);
    const Ended ended = child.wait();
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_TRUE(json::parse(ended.out)["stopped"]);
    EXPECT_TRUE(row_of(ended)["stopped"]);
  }
  const Folder folder;
  const Ended whole = run_toys(fuzz("toy/borrow", folder, {"--runs", "100", "--json"}));
  EXPECT_FALSE(json::parse(whole.out)["stopped"]);
}

TEST(FuzzAnswers, WhatWasRefutedBeforeTheStopStaysExitCode1) {
  for (const char* variant : {"toy/wrongly_sound", "toy/replays_otherwise", "toy/other_window"}) {
    const Folder folder;
    FindingChild child(variant, folder);
    child.signal(SIGINT);
    EXPECT_EQ(child.wait().code, 1) << variant;
  }
}

TEST(FuzzAnswers, AStopLeavesOutWhatWasNotBegunAndSaysHowMuch) {
  const Folder folder;
  FindingChild child("toy", folder, "--device=sim");
  child.signal(SIGINT);
  const Ended ended = child.wait();
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.out, HasSubstr("stopped; 1 of "));
}

// ---- files ----

TEST(FuzzAnswers, WhatIsFoundIsOnDiskAtOnceSoThatAKillLosesNothing) {
  const Folder folder;
  FindingChild child("toy/borrow", folder);
  child.signal(SIGKILL);
  EXPECT_EQ(child.wait().code, -SIGKILL);
  ASSERT_FALSE(reproducers(folder).empty());
  for (const std::string& file : reproducers(folder)) {
    EXPECT_EQ(run_toys({"replay", file}).code, 0) << file;
    EXPECT_THAT(read_file(file), HasSubstr("\n# Not minimized: ")) << file;
  }
}

TEST(FuzzAnswers, AFileSaysWhetherItIsMinimized) {
  const Folder folder;
  const Ended first = run_toys(fuzz("toy/borrow", folder, {"--runs", "2000", "--first", "--json"}));
  EXPECT_FALSE(row_of(first)["findings"].at(0)["minimized"]);
  const std::string file = row_of(first)["findings"].at(0)["reproducer"];
  EXPECT_THAT(file, EndsWith(".repro"));
  EXPECT_THAT(file, HasSubstr("toy-borrow-stale-"));
  EXPECT_THAT(read_file(file), HasSubstr("\n# Not minimized: "));
  EXPECT_EQ(run_toys({"replay", file}).code, 0);
  const Ended all = run_toys(fuzz("toy/borrow", folder, {"--runs", "2000", "--json"}));
  const json row = row_of(all);
  for (const json& finding : row["findings"]) {
    EXPECT_TRUE(finding["minimized"]);
    EXPECT_THAT(read_file(finding["reproducer"].get<std::string>()), Not(HasSubstr("#")));
  }
  const Ended told = run_toys(fuzz("toy/borrow", folder, {"--runs", "2000", "--first"}));
  EXPECT_THAT(told.out, HasSubstr("; 0 minimized\n"));
}

TEST(MinimizeAnswers, WhatIsMinimizedSaysNoLongerThatItIsNot) {
  const Folder folder;
  const Ended first = run_toys(fuzz("toy/borrow", folder, {"--runs", "2000", "--first", "--json"}));
  const std::string file = row_of(first)["findings"].at(0)["reproducer"];
  ASSERT_THAT(read_file(file), HasSubstr("\n# Not minimized: "));
  EXPECT_EQ(run_toys({"minimize", file, "--out", folder / "small"}).code, 0);
  EXPECT_THAT(read_file(folder / "small"), Not(HasSubstr("#")));
  EXPECT_EQ(run_toys({"replay", folder / "small"}).code, 0);
}

std::map<std::string, std::string> contents(const Folder& folder) {
  std::map<std::string, std::string> all;
  for (const std::string& file : reproducers(folder))
    all[std::filesystem::path(file).filename()] = read_file(file);
  return all;
}

TEST(FuzzAnswers, TheSameSeedAndRunsWriteTheSameFiles) {
  const Folder one, two;
  run_toys(fuzz("toy/borrow", one, {"--runs", "3000", "--seed", "5"}));
  run_toys(fuzz("toy/borrow", two, {"--runs", "3000", "--seed", "5"}));
  EXPECT_FALSE(contents(one).empty());
  EXPECT_EQ(contents(one), contents(two));
}

/// While it lives, children may write no larger files than this: as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST(FuzzAnswers, AFullDiskIsSaidAtOnceAndIsExitCode2InTheEnd) {
  const Folder folder;
  const auto start = [&] {
    const SmallDisk disk(600);
    return Child("afterlife_toys", fuzz("toy/borrow", folder, {"--seconds", "600"}));
  };
  Child child = start();
  while (child.err().find('\n') == std::string::npos)  // Ends, if it is said at once.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_THAT(child.err(), HasSubstr("cannot write: File too large; the search continues"));
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().code, 2);
  for (const std::string& file : folder.files())
    EXPECT_THAT(file, ::testing::AnyOf(EndsWith(".repro"), EndsWith("/out"))) << "a draft is left";
  for (const std::string& file : reproducers(folder))
    EXPECT_EQ(run_toys({"replay", file}).code, 0) << file;
}

}  // namespace
}  // namespace harness
