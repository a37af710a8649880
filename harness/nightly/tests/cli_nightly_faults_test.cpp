// SPDX-License-Identifier: Apache-2.0
// Nights with failures: killed at a bad moment, two at the same time, an unwritable folder, a clock
// that jumps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/files/drafts.h"
#include "harness/base/files/held_folder.h"
#include "harness/cli/tests/toys_child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::run_toys;
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

/// A red night of one variant that is wrongly claimed to be sound. Its shard is complete, but not
/// merged yet.
class FinishedShard : public ::testing::Test {
 protected:
  FinishedShard() {
    run_toys({"nightly", "plan", "1", "--runs", "300", "--seed", "3", "--only", "toy/wrongly_sound",
              "--history", history()});
    run_toys({"nightly", "shard", "1", "--history", history()});
  }

  std::string history() const { return folder_ / "history"; }
  std::string notices() const { return folder_ / "told"; }
  Ended nightly(Words words) const {
    words.insert(words.begin(), "nightly");
    words.insert(words.end(), {"--history", history()});
    return run_toys(words);
  }
  /// Leaves the state of a kill between the merge and the notification.
  void merge_and_forget() const {
    nightly({"merge"});
    fs::remove(history() + "/night/told");
    fs::remove(history() + "/page.html");
  }

  Folder folder_;
};

TEST_F(FinishedShard, ANightKilledBeforeItsNotificationNotifiesOnce) {
  merge_and_forget();
  const Ended refused = nightly({"--runs", "300"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("--resume continues it"));
  const Words resume{"--resume", "--json",   "--runs",
                     "300",      "--notify", "echo >> '" + notices() + "'"};
  const Ended resumed = nightly(resume);
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_EQ(json::parse(resumed.out)["number"], 1) << "it is the same night";
  EXPECT_EQ(read_file(notices()), "\n");
  EXPECT_TRUE(fs::exists(history() + "/page.html"));
  EXPECT_FALSE(fs::exists(history() + "/night"));
}

TEST_F(FinishedShard, AKilledMergeNotifiesWhenItIsRepeated) {
  merge_and_forget();
  const Words merge{"merge", "--notify", "echo >> '" + notices() + "'"};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(nightly(merge).code, 1);
  EXPECT_EQ(read_file(notices()), "\n");
  EXPECT_EQ(
      json::parse(nightly({"--runs", "300", "--seed", "3", "--only", "toy/wrongly_sound", "--json"})
                      .out)["number"],
      2)
      << "it is over";
}

TEST_F(FinishedShard, AHalfRemovedNightIsFinished) {
  nightly({"merge"});
  fs::rename(history() + "/night", history() + "/night.over");
  fs::remove(history() + "/night.over/plan.json");
  const Ended next =
      nightly({"--resume", "--runs", "300", "--only", "toy/wrongly_sound", "--json"});
  EXPECT_EQ(json::parse(next.out)["number"], 2);
  EXPECT_FALSE(fs::exists(history() + "/night.over"));
}

TEST_F(FinishedShard, OneNightAtATimeUsesAHistory) {
  const HeldFolder held(history());
  for (const Words& words : {Words{"--resume"}, Words{"plan", "2", "--runs", "9"}}) {
    const Ended other = nightly(words);
    EXPECT_EQ(other.code, 2);
    EXPECT_EQ(other.out, "");
    EXPECT_EQ(other.err, "afterlife: " + history() + ": is being written by another program\n");
  }
  EXPECT_EQ(nightly({"merge"}).code, 1) << "shards may come in meanwhile";
}

TEST_F(FinishedShard, DraftsOfKilledProgramsAreRemoved) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const std::string dead = "." + std::to_string(gone), alive = "." + std::to_string(getpid());
  fs::create_directories(history() + "/findings");
  for (const std::string& name :
       {"page.html" + dead + "-0.draft", "findings/a.repro" + dead + "-1.draft",
        "history.sqlite" + dead + ".draft-wal", "page.html" + alive + "-0.draft"})
    write_file(history() + "/" + name, "half");
  nightly({"--resume"});
  Words drafts;
  for (const std::string& file : folder_.files())
    if (file.find(".draft") != file.npos) drafts.push_back(fs::path(file).filename());
  EXPECT_THAT(drafts, ::testing::ElementsAre("page.html" + alive + "-0.draft"));
}

TEST_F(FinishedShard, AReadOnlyFolderIsOneLineAndUnchanged) {
  fs::permissions(folder_.path(), fs::perms::all);
  constexpr fs::perms kNoWrite =
      fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  fs::permissions(history(), fs::perms::all & ~kNoWrite);
  const auto before = folder_.files();
  const auto as_nobody = [] {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(126);
  };
  if (run_child("afterlife_toys", {"list"}, as_nobody).code >= 126) GTEST_SKIP() << "is not ours";
  for (Words words : {Words{"--resume"}, Words{"merge"}, Words{"plan", "2"}, Words{"shard", "1"}}) {
    words.insert(words.begin(), "nightly");
    words.insert(words.end(), {"--history", history()});
    const Ended ended = run_child("afterlife_toys", words, as_nobody);
    if (words[1] == "shard") {
      EXPECT_THAT(ended.out, HasSubstr("was finished before"));
      continue;
    }
    EXPECT_EQ(ended.code, 2) << words[1];
    EXPECT_THAT(ended.err, HasSubstr("history.sqlite: cannot be written"));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
  EXPECT_EQ(folder_.files(), before);
  fs::permissions(history(), fs::perms::owner_all);
}

TEST(Drafts, AreKnownByTheirNames) {
  EXPECT_EQ(writer_of_draft("page.html.123-0.draft"), 123);
  EXPECT_EQ(writer_of_draft("history.sqlite.123.draft"), 123);
  EXPECT_EQ(writer_of_draft("history.sqlite.123.draft-wal"), 123);
  for (const char* name : {"", "page.html", ".draft", "a.draft", "a.b.draft", "a.12x.draft",
                           "a.-3.draft", "a.0.draft", "a.1.draft.txt", "a.99999999999.draft"})
    EXPECT_EQ(writer_of_draft(name), std::nullopt) << name;
}

}  // namespace
}  // namespace harness
