// SPDX-License-Identifier: Apache-2.0
// Findings of `afterlife run` and the command in them: `replay` shows it first, starts what this
// user's Afterlife wrote, and asks for --trust otherwise.
#include <sys/stat.h>

#include <cstdlib>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::expect_one_line;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_toys;
using testing::script;
using testing::Words;
namespace fs = std::filesystem;

class CliTrust : public testing::RunStage {
 protected:
  void SetUp() override {
    RunStage::SetUp();
    if (IsSkipped()) return;
    setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    const Ended ended = run({"--runs", "30"}, {"python3", script("collected.py")});
    ASSERT_EQ(ended.code, 1) << ended.err;
    for (const auto& entry : fs::directory_iterator(folder_ / "found"))
      file_ = entry.path().string();
    ASSERT_THAT(file_, HasSubstr(".run.json"));
  }
  void TearDown() override { unsetenv("XDG_STATE_HOME"); }

  /// Changes a field of the finding's fault, and leaves its MAC.
  void change(const char* field, const json& value) const {
    json finding = json::parse(read_file(file_));
    finding.at("fault")[field] = value;
    write_file(file_, finding.dump(2));
  }
  /// Has the finding start a command that leaves a file.
  void plant_command() const {
    json finding = json::parse(read_file(file_));
    finding.at("command") = Words{"/bin/sh", "-c", "touch " + started()};
    write_file(file_, finding.dump(2));
  }
  std::string started() const { return folder_ / "started"; }
  std::string key() const { return folder_ / "state/afterlife/key"; }

  std::string file_;
};

TEST_F(CliTrust, AFindingOfThisUserReplaysAndItsCommandIsShownFirst) {
  const Ended ended = run_toys({"replay", file_});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nas recorded\n"));
  EXPECT_THAT(ended.err, HasSubstr("command: python3 " + script("collected.py") + "\nfolder: "));
}

TEST_F(CliTrust, ACommandThatSomebodyElseWroteIsShownAndNotStartedWithoutTrust) {
  plant_command();
  const Ended ended = run_toys({"replay", file_});
  expect_one_line(ended, 2, "add --trust");
  EXPECT_THAT(ended.err, HasSubstr("command: /bin/sh -c 'touch "));
  EXPECT_FALSE(fs::exists(started()));
  run_toys({"replay", file_, "--trust"});
  EXPECT_TRUE(fs::exists(started()));
}

TEST_F(CliTrust, AnotherUsersKeyIsNoTrust) {
  setenv("XDG_STATE_HOME", (folder_ / "other").c_str(), 1);
  expect_one_line(run_toys({"replay", file_}), 2, "add --trust");
}

TEST_F(CliTrust, AKeyThatOthersMayReadIsNoTrust) {
  struct stat made{};
  ASSERT_EQ(stat(key().c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0600u);
  chmod(key().c_str(), 0644);
  expect_one_line(run_toys({"replay", file_}), 2, "add --trust");
  fs::rename(key(), folder_ / "key");
  fs::create_symlink(folder_ / "key", key());
  chmod((folder_ / "key").c_str(), 0600);
  expect_one_line(run_toys({"replay", file_}), 2, "add --trust");
}

TEST_F(CliTrust, ACommandIsShownWithoutControlCharacters) {
  json finding = json::parse(read_file(file_));
  finding.at("command") = Words{"/bin/\x1b[31mtrue", "\u202e a\nb", "a' 'b"};
  write_file(file_, finding.dump(2));
  const Ended ended = run_toys({"replay", file_});
  expect_one_line(ended, 2, "add --trust");
  EXPECT_THAT(ended.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ended.err, Not(HasSubstr("\u202e")));
  EXPECT_THAT(ended.err, HasSubstr(" 'a'\\'' '\\''b'\n")) << "one word";
}

TEST_F(CliTrust, EachChangedFieldIsNotAsRecordedAndNamed) {
  const std::string text = read_file(file_);
  for (const char* field :
       {"kind", "object", "born", "died", "used", "captured", "detail", "pedantic"}) {
    change(field, "other \x1b[31m\u202e words");
    const Ended ended = run_toys({"replay", file_, "--trust"});
    EXPECT_EQ(ended.code, 1) << field;
    EXPECT_THAT(ended.out, HasSubstr("not as recorded: ")) << field;
    EXPECT_THAT(ended.out, HasSubstr("' in the file, '")) << field;
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("\x1b"))) << field;
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("\u202e"))) << field;
    write_file(file_, text);
  }
  for (const char* place : {"birth", "death", "use"}) {
    json frames = json::parse(text).at("fault").at(place);
    frames.at(0).at("function") = "another";
    change(place, frames);
    const Ended ended = run_toys({"replay", file_, "--trust"});
    EXPECT_EQ(ended.code, 1) << place;
    EXPECT_THAT(ended.out, HasSubstr(" in another+0x")) << place;
    write_file(file_, text);
  }
  json finding = json::parse(text);
  finding["doubt"] = "another reason";
  write_file(file_, finding.dump(2));
  const Ended ended = run_toys({"replay", file_, "--trust"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("doubt is 'another reason' in the file"));
}

/// Appends what a terminal would obey, or not show, to each text but those of these keys.
void taint(json& value, const std::string& key = "") {
  if (value.is_string() && key != "afterlife" && key != "command") {
    value = value.get<std::string>() + "\x1b[31m\u202e\nforged: as recorded";
  } else if (value.is_object()) {
    for (auto& [name, part] : value.items()) taint(part, name);
  } else if (value.is_array()) {
    for (json& part : value) taint(part, key);
  }
}

TEST_F(CliTrust, NoTextOfAFindingReachesTheTerminalAsItIs) {
  json finding = json::parse(read_file(file_));
  json& fault = finding["fault"];
  for (const char* field : {"ended", "pedantic", "free_threads", "detail", "at"})
    fault[field] = "x";
  for (const char* party : {"birth", "death", "use", "capture", "other"}) {
    fault[party] = fault["birth"];
    fault["threads"][party] = "Thread-1";
    fault["streams"][party] = "stream 1";
  }
  fault["first"] = "cuMemcpyAsync";
  for (const char* field : {"fix", "doubt", "forced"}) finding[field] = "x";
  finding["reads"] = {
      {"cause", "clock"},
      {"agreed", 1},
      {"places", {{{"kind", "clock"}, {"function", "f"}, {"file", "x"}, {"line", 1}}}}};
  taint(finding);
  write_file(file_, finding.dump(2));
  for (const Words& options : {Words{"--trust"}, Words{"--trust", "--json"}}) {
    Words words{"replay", file_};
    words.insert(words.end(), options.begin(), options.end());
    const Ended ended = run_toys(words);
    EXPECT_EQ(ended.code, 1) << ended.err;
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("\x1b[31m")));
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("\nforged: ")));
    if (options.size() == 1) EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("\u202e")));
  }
}

TEST_F(CliTrust, NoViewOfAFindingIsMadeWithoutTrust) {
  plant_command();
  for (const Words& words : std::vector<Words>{{"replay", file_, "--html", folder_ / "page"},
                                               {"replay", file_, "--trace", folder_ / "page"},
                                               {"replay", file_, "--sarif", folder_ / "page"},
                                               {"replay", file_, "--why"},
                                               {"minimize", file_, "--out", folder_ / "page"}}) {
    const Ended ended = run_toys(words);
    expect_one_line(ended, 2, "add --trust");
    EXPECT_EQ(ended.out, "") << words.back();
    EXPECT_FALSE(fs::exists(folder_ / "page"));
    EXPECT_FALSE(fs::exists(started()));
  }
}

TEST_F(CliTrust, IsAskedOfEachFindingAmongSeveral) {
  const std::string own = file_;
  file_ = folder_ / "found/foreign.run.json";
  fs::copy_file(own, file_);
  plant_command();
  const Ended ended = run_toys({"replay", folder_ / "found"});
  expect_one_line(ended, 2, "foreign.run.json: was not written by your Afterlife");
  EXPECT_EQ(ended.out,
            "as recorded      " + own + "\n1 as recorded, 0 not, 1 could not be replayed\n");
  EXPECT_FALSE(fs::exists(started()));
  const Ended trusted = run_toys({"replay", folder_ / "found", "--trust"});
  EXPECT_EQ(trusted.code, 1) << trusted.err;
  EXPECT_THAT(trusted.out, HasSubstr("1 as recorded, 1 not\n"));
  EXPECT_TRUE(fs::exists(started()));
}

TEST_F(CliTrust, WhatAFindingCannotBeGivenIsRefused) {
  for (const Words& words :
       std::vector<Words>{{"replay", file_, "--steps", folder_ / "page"}, {"explain", file_}}) {
    const Ended ended = run_toys(words);
    expect_one_line(ended, 3, words[0] == "replay" ? "--steps" : "finding of `run`");
    EXPECT_EQ(ended.out, "") << words[0];
    EXPECT_FALSE(fs::exists(folder_ / "page"));
  }
}

}  // namespace
}  // namespace harness
