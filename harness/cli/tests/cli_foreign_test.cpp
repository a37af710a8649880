// SPDX-License-Identifier: Apache-2.0
// Files that something else made, on the command line: a command in one is never started but by
// `replay` of a finding, and a folder leads nowhere else.
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/cli/tests/toys_child.h"
#include "harness/nightly/tests/nightly_stage.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::run_toys;
using Words = std::vector<std::string>;

class CliForeign : public ::testing::Test {
 protected:
  /// Leaves a finding of `run` whose command would leave a file.
  std::string leave_command(const std::string& name) const {
    const nlohmann::json finding{{"afterlife", "run 1"},
                                 {"command", {"/bin/sh", "-c", "echo > '" + started() + "'"}},
                                 {"fault", nlohmann::json::object()},
                                 {"decisions", nlohmann::json::array()},
                                 {"replays", 3},
                                 {"shown", 3}};
    fs::create_directories(fs::path(folder_ / name).parent_path());
    write_file(folder_ / name, finding.dump(1) + "\n");
    return folder_ / name;
  }
  std::string started() const { return folder_ / "started"; }
  std::string path(const std::string& name) const { return folder_ / name; }

  /// Expects one line on stderr, the exit code of the world, and that nothing was started.
  void expect_refused(const Words& words, const std::string& why) const {
    const Ended ended = run_toys(words);
    EXPECT_EQ(ended.code, 2) << words[0] << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(why)) << words[0];
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_FALSE(fs::exists(started())) << words[0];
  }

 private:
  Folder folder_;
};

TEST_F(CliForeign, AFindingOfRunInAReproducersFileIsRefusedByNameWhereverOneIsRead) {
  const std::string file = leave_command("found/a.repro");
  const std::string why = "a.repro: is a finding of `afterlife run`, not a reproducer";
  for (const Words& words :
       {Words{"replay", file}, Words{"replay", file, "--json"},
        Words{"replay", file, "--html", path("page")}, Words{"replay", path("found")},
        Words{"replay", file, "--why"}, Words{"minimize", file}, Words{"triage", file},
        Words{"triage", path("found")}, Words{"explain", file}}) {
    if (words.back() == path("found") && words.front() == "replay") {  // It replays the others.
      EXPECT_THAT(run_toys(words).err, HasSubstr(why));
      EXPECT_FALSE(fs::exists(started()));
    } else if (words.front() == "triage") {
      EXPECT_THAT(run_toys(words).err, HasSubstr(why));
    } else {
      expect_refused(words, why);
    }
  }
}

TEST_F(CliForeign, AShardThatBringsACommandIsRefusedAndNothingOfItIsReported) {
  nightly::ShardRecord shard =
      testing::hand_made_shard(testing::hand_made_plan(1), 1, {"use_after_free"});
  shard.cells.back().findings.at(0).reproducer = read_file(leave_command("command"));
  const std::string place = testing::leave_shard(path("night"), shard);
  expect_refused({"nightly", "merge", place, "--history", path("history")},
                 "use_after_free.repro: is a finding of `afterlife run`, not a reproducer");
  expect_refused({"nightly", "report", "--history", path("history")}, "contains no night yet");
}

TEST_F(CliForeign, AnExportThatBringsACommandOrAPathIsRefusedAndMakesNoHistory) {
  const std::string place = testing::leave_shard(
      path("night"), testing::hand_made_shard(testing::hand_made_plan(1), 1, {"use_after_free"}));
  run_toys({"nightly", "merge", place, "--history", path("history")});
  const std::string exported = run_toys({"nightly", "export", "--history", path("history")}).out;
  const auto expect_import_refused = [&](const char* key, const std::string& value,
                                         const char* why) {
    std::string changed;
    std::istringstream lines(exported);
    for (std::string line; std::getline(lines, line);) {
      nlohmann::json row = nlohmann::json::parse(line);
      if (row.value("table", "") == "findings") row["row"][key] = value;
      changed += row.dump() + "\n";
    }
    write_file(path("export"), changed);
    expect_refused({"nightly", "import", path("export"), "--history", path("other")}, why);
    EXPECT_FALSE(fs::exists(path("other/history.sqlite")));
  };
  expect_import_refused("reproducer", read_file(leave_command("command")),
                        "it is a finding of `afterlife run`, not a reproducer");
  expect_import_refused("file", path("victim.repro"), "not a plain name of a reproducer");
  expect_import_refused("file", "../../victim.repro", "not a plain name of a reproducer");
  expect_import_refused("cause", "../../victim", "which is not an id");
  EXPECT_FALSE(fs::exists(path("victim.repro")));
}

TEST_F(CliForeign, AFolderOfReproducersLeadsToNoFileOutside) {
  fs::create_directories(path("sent"));
  fs::create_symlink("/dev/zero", path("sent/a.repro"));
  const char* const why = "sent/a.repro: is a symbolic link";
  expect_refused({"replay", path("sent")}, why);
  expect_refused({"triage", path("sent")}, why);
  fs::remove(path("sent/a.repro"));
  ASSERT_EQ(::mkfifo(path("sent/a.repro").c_str(), 0600), 0);
  expect_refused({"replay", path("sent")}, "sent/a.repro: is a pipe, not a regular file");
  expect_refused({"replay", path("sent/a.repro")}, "is a pipe, not a regular file");
}

TEST_F(CliForeign, AHistoryOfSomebodyElseWritesIntoItsOwnFolderAlone) {
  const std::string place = testing::leave_shard(
      path("night"), testing::hand_made_shard(testing::hand_made_plan(1), 1, {"use_after_free"}));
  run_toys({"nightly", "merge", place, "--history", path("history")});
  fs::create_directories(path("mine"));
  for (const char* name : {"findings", "night"}) {
    fs::remove_all(path("history/") + name);
    fs::create_directory_symlink(path("mine"), path("history/") + name);
    expect_refused({"nightly", "plan", "1", "--runs", "9", "--history", path("history")},
                   "is a symbolic link");
    fs::remove(path("history/") + name);
  }
  EXPECT_TRUE(fs::is_empty(path("mine")));
}

}  // namespace
}  // namespace harness
