// SPDX-License-Identifier: Apache-2.0
// Shells complete our command line: the scripts that `afterlife completion` prints, run by bash
// and, if they are installed, read by zsh and fish.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "harness/cli/tests/toys_child.h"

namespace harness {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::run_toys;

using Words = std::vector<std::string>;

/// Some shell's answer, or nothing if it is not installed.
class Shell {
 public:
  explicit Shell(std::string program) : program_(std::move(program)) {}

  bool installed() const {
    return std::system(("command -v " + program_ + " >/dev/null").c_str()) == 0;
  }

  /// The lines that the commands print. Its exit code must be 0.
  Words lines(const std::string& commands) const {
    const Folder folder;
    write_file(folder / "script", commands);
    const std::string call =
        program_ + " " + (folder / "script") + " >" + (folder / "out") + " 2>&1";
    EXPECT_EQ(std::system(call.c_str()), 0) << read_file(folder / "out");
    std::istringstream out(read_file(folder / "out"));
    Words lines;
    for (std::string line; std::getline(out, line);) lines.push_back(line);
    return lines;
  }

 private:
  std::string program_;
};

std::string script(const char* shell) {
  const Ended ended = run_toys({"completion", shell});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  return ended.out;
}

/// Returns the words that bash offers for the last of these.
Words offered(const Words& words) {
  std::string line = "COMP_WORDS=(";
  for (const std::string& word : words) line += "'" + word + "' ";
  return Shell("bash").lines(
      script("bash") + line + ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
      "\n_afterlife\nprintf '%s\\n' \"${COMPREPLY[@]}\"\ncomplete -p afterlife >/dev/null\n");
}

TEST(Completion, BashOffersCommandsOptionsAndNames) {
  EXPECT_THAT(offered({"afterlife", ""}),
              IsSupersetOf({"list", "fuzz", "replay", "minimize", "prove", "explain"}));
  EXPECT_THAT(offered({"afterlife", "fu"}), ElementsAre("fuzz"));
  EXPECT_THAT(offered({"afterlife", "--v"}), ElementsAre("--version"));
  EXPECT_THAT(offered({"afterlife", "fuzz", "--se"}), ElementsAre("--seconds", "--seed"));
  EXPECT_THAT(offered({"afterlife", "fuzz", "--strategy", "ran"}), ElementsAre("random_walk"));
  EXPECT_THAT(offered({"afterlife", "fuzz", "--strategy", "=", "ran"}), ElementsAre("random_walk"));
  EXPECT_THAT(offered({"afterlife", "fuzz", "--device", "="}), Contains("sim"));
  EXPECT_THAT(offered({"afterlife", "run", "--device", ""}), ElementsAre("sim"));
  EXPECT_THAT(offered({"afterlife", "fuzz", "toy/ret"}), ElementsAre("toy/retain"));
  EXPECT_THAT(offered({"afterlife", "prove", "toy", "--window", ""}),
              IsSupersetOf({"stale", "content"}));
  EXPECT_THAT(offered({"afterlife", "list", "t"}), ElementsAre("toy"));
  EXPECT_THAT(offered({"afterlife", "completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered({"afterlife", "nightly", ""}), IsSupersetOf({"plan", "shard", "merge"}));
  EXPECT_THAT(offered({"afterlife", "nightly", "mark", "--be"}), ElementsAre("--because"));
}

TEST(Completion, BashOffersFilesAndFolders) {
  const Folder folder;
  write_file(folder / "found.repro", "");
  std::filesystem::create_directory(folder / "found");
  EXPECT_THAT(offered({"afterlife", "replay", folder / "found.r"}),
              ElementsAre(folder / "found.repro"));
  EXPECT_THAT(offered({"afterlife", "fuzz", "--out", folder / "fou"}),
              ElementsAre(folder / "found"));
}

/// The options in a command's help.
Words options_of(const std::string& command) {
  const std::string help = run_toys({command, "--help"}).out;
  const std::regex option("\n  (?:-[a-z],)?(--[a-z-]+)");
  const std::size_t begin = help.find("Options:"), end = help.find("Examples:");
  const std::string part = help.substr(begin, end - begin);
  Words words;
  for (std::sregex_iterator at(part.begin(), part.end(), option), last; at != last; ++at)
    words.push_back((*at)[1]);
  return words;
}

// No list of options is kept anywhere else: an option that is added is completed.
TEST(Completion, EveryOptionOfEveryCommandIsInEveryScript) {
  const std::string zsh = script("zsh"), fish = script("fish");
  for (const char* command :
       {"list", "fuzz", "run", "replay", "minimize", "prove", "explain", "gate", "counters",
        "effectiveness", "memory", "price", "triage", "nightly", "completion"}) {
    const Words options = options_of(command);
    ASSERT_THAT(options, Contains("--help")) << command;
    const Words bash = offered({"afterlife", command, "--"});
    for (const std::string& option : options) {
      EXPECT_THAT(bash, Contains(option)) << command;
      EXPECT_THAT(zsh, AnyOf(HasSubstr("'" + option + "["), HasSubstr("'*" + option + "=[")))
          << command;
      EXPECT_THAT(fish,
                  HasSubstr(std::string("_from ") + command + "' -l " + option.substr(2) + " "))
          << command;
    }
  }
}

TEST(Completion, ZshAndFishCanReadTheirScripts) {
  const Folder folder;
  for (const char* shell : {"zsh", "fish"}) {
    write_file(folder / shell, script(shell));
    if (!Shell(shell).installed()) continue;
    EXPECT_EQ(std::system((std::string(shell) + " -n " + (folder / shell)).c_str()), 0) << shell;
  }
  if (!Shell("fish").installed()) GTEST_SKIP() << "no fish here: its script is not run";
  const Words offers = Shell("fish").lines("source " + (folder / "fish") +
                                           "\ncomplete -C 'afterlife fuzz --strategy '\n");
  EXPECT_THAT(offers, Contains(::testing::StartsWith("random_walk")));
}

TEST(Completion, OfAnotherShellIsOneLineAndExitCode3) {
  const Ended ended = run_toys({"completion", "bsh"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "afterlife: no completion for 'bsh'; did you mean 'bash'?\n");
}

}  // namespace
}  // namespace harness
