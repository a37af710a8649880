// SPDX-License-Identifier: Apache-2.0
// Command lines that something types who is new here, and what they are told to type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/cli/tests/toys_child.h"
#include "harness/report/terminal.h"

namespace harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run_toys;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

void expect_told(const Words& words, int code, const std::string& answer) {
  const Ended ended = run_toys(words);
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  EXPECT_THAT(ended.err, AllOf(StartsWith("afterlife: "), HasSubstr(answer)));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

TEST(CliMistakes, ACommandWithoutDashesIsToldWithThem) {
  expect_told({"run", "python3", "x.py"}, 3,
              "put -- before the command: afterlife run -- python3 x.py");
  expect_told({"run", "--runs", "5", "--failures", "python3", "x y.py", "--quick"}, 3,
              "afterlife run --runs 5 --failures -- python3 'x y.py' --quick");
  expect_told({"run", "python3", "--", "x.py"}, 3, "afterlife run -- python3 x.py");
  expect_told({"gate", "./old", "./new"}, 3,
              "put -- before each command: afterlife gate -- ./old -- ./new");
  expect_told({"gate", "./old", "--", "./new"}, 3, "afterlife gate -- ./old -- ./new");
  expect_told({"gate", "./old", "-x", "./new"}, 3, "-- BASE... -- HEAD...");
  expect_told({"run", "--nosuch", "3", "--", "true"}, 3, "run has no option '--nosuch'");
}

TEST(CliMistakes, ACommandThatIsQuotedAsOneWordIsToldWithoutQuotes) {
  expect_told({"run", "--", "python3 x.py"}, 3,
              "'python3 x.py' was quoted as one word; type: afterlife run -- python3 x.py");
  expect_told({"gate", "--", "echo 5", "--", "echo 6"}, 3, "type: afterlife gate -- echo 5");
}

TEST(CliMistakes, AFileThatIsNoProgramIsToldWithWhatRunsIt) {
  const Folder folder;
  const auto make = [&](const char* name, const char* text, mode_t mode) {
    write_file(folder / name, text);
    chmod((folder / name).c_str(), mode);
    return folder / name;
  };
  expect_told({"run", "--", make("x.py", "pass\n", 0644)}, 2, "type: afterlife run -- python3 /");
  expect_told({"run", "--", make("y", "#!/usr/bin/env python3\n", 0644), "-v"}, 2,
              "type: afterlife run -- python3 " + (folder / "y") + " -v");
  expect_told({"run", "--", make("z", "text\n", 0644)}, 2, "make it executable: chmod +x ");
  const std::string tool = "afterlife_mistake_of_a_test";
  write_file(tool, "#!/bin/sh\n");
  chmod(tool.c_str(), 0755);
  expect_told({"run", "--", tool}, 2, "not in PATH; type: afterlife run -- ./" + tool);
  std::filesystem::remove(tool);
}

TEST(CliMistakes, WordsOfOtherProgramsAreUnderstood) {
  const std::string version = run_toys({"--version"}).out;
  EXPECT_THAT(version, StartsWith("afterlife "));
  for (const char* word : {"-v", "version"}) EXPECT_EQ(run_toys({word}).out, version);
  EXPECT_EQ(run_toys({"help"}).out, run_toys({"--help"}).out);
  EXPECT_EQ(run_toys({"help", "run"}).out, run_toys({"run", "--help"}).out);
  EXPECT_THAT(run_toys({"run", "--help"}).out, HasSubstr("afterlife run [OPTIONS] -- COMMAND..."));
  EXPECT_THAT(run_toys({"gate", "--help"}).out, HasSubstr("-- BASE... -- HEAD..."));
}

TEST(CliMistakes, APathAndItsVariantInTwoWordsAreToldAsOne) {
  expect_told({"fuzz", "toy", "borrow"}, 3, "did you mean 'toy/borrow'?");
}

TEST(CliMistakes, AReaderThatHasEnoughHearsNoError) {
  const auto gone = [] {
    int ends[2];
    if (pipe(ends) != 0) _exit(126);
    close(ends[0]);
    dup2(ends[1], 1);
  };
  for (const Words& words : {Words{"list"}, {"list", "--json"}, {"--help"}, {"fuzz", "--help"}}) {
    const Ended ended = run_child("afterlife_toys", words, gone);
    EXPECT_EQ(ended.code, 2) << words[0];
    EXPECT_THAT(ended.err, IsEmpty()) << words[0];
  }
}

// ---- help ----

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    most = std::max(most, reports::display_width(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return most;
}

TEST(CliHelp, IsAsWideAsTheTerminal) {
  for (const char* columns : {"80", "100"})
    for (const char* command :
         {"", "run", "list", "fuzz", "replay", "minimize", "explain", "triage", "counters", "price",
          "gate", "memory", "effectiveness", "nightly", "prove", "completion"}) {
      Words words{"--help"};
      if (*command != '\0') words.insert(words.begin(), command);
      const std::string text =
          run_child("afterlife_toys", words, [&] { setenv("COLUMNS", columns, 1); }).out;
      EXPECT_LE(widest(text), std::stoul(columns)) << command << "\n" << text;
      EXPECT_GT(text.size(), 100u);
    }
}

TEST(CliHelp, LosesNoWordToTheWidth) {
  const auto words = [](const char* columns) {
    std::string text =
        run_child("afterlife_toys", {"run", "--help"}, [&] { setenv("COLUMNS", columns, 1); }).out;
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\\'; });
    return text;
  };
  EXPECT_EQ(words("60"), words("1000"));
}

// ---- raw messages ----

TEST(CliMessages, OfADamagedExportSayWhatIsWrong) {
  const Folder folder;
  const auto imported = [&](const std::string& text, const std::string& answer) {
    write_file(folder / "lines", text);
    const Ended ended =
        run_toys({"nightly", "import", folder / "lines", "--history", folder / "history"});
    EXPECT_EQ(ended.code, 2) << text;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(answer), HasSubstr("lines: line "))) << text;
    EXPECT_THAT(ended.err, Not(HasSubstr("UNIQUE"))) << text;
  };
  const std::string revision = "{\"table\":\"revisions\",\"row\":{\"name\":\"abc\"}}\n";
  imported("{\"afterlife_history\":3}\n" + revision + revision, "is a row that is there twice");
  imported("{\"afterlife_history\":-5}\n", "version -5 of its tables, which does not exist");
  imported("{\"afterlife_history\":4294967299}\n", "newer afterlife");
}

}  // namespace
}  // namespace harness
