// SPDX-License-Identifier: Apache-2.0
// Command lines that are understood, and the answer where something else was meant: one line
// on stderr that says what, and exit code 3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/base/suggest.h"
#include "harness/cli/tests/toys_child.h"
#include "harness/fuzz/fuzz_arguments.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::run_toys;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

struct Wrong {
  Words words;
  const char* answer;
};

const std::vector<Wrong>& wrong_lines() {
  static const std::vector<Wrong> lines{
      {{"fuzz", "--seconds", "nan"}, "--seconds: 'nan' is not a number"},
      {{"fuzz", "--seconds", "inf"}, "--seconds: 'inf' is not a number"},
      {{"fuzz", "--seconds", "0"}, "--seconds: '0' is not a number"},
      {{"fuzz", "--seconds", "0x10"}, "--seconds: '0x10' is not a number"},
      {{"fuzz", "--runs", "010"}, "--runs: '010' is not a whole number"},
      {{"fuzz", "--runs", "1e3"}, "--runs: '1e3' is not a whole number"},
      {{"fuzz", "--runs", "18446744073709551616"},
       "--runs: '18446744073709551616' is not a whole number"},
      {{"fuzz", "--runs", "36893488147419103233"},
       "--runs: '36893488147419103233' is not a whole number"},
      {{"fuzz", "--seed", ""}, "--seed: '' is not a whole number"},
      {{"fuzz", "--seed", "18446744073709551616"},
       "--seed: '18446744073709551616' is not a whole number"},
      {{"prove", "toy", "--k", "02"}, "--k: '02' is not a whole number"},
      {{"prove", ""}, "'' names nothing"},
      {{"fuzz", ""}, "'' names nothing"},
      {{"fuzz", "--out", ""}, "--out: '' names nothing"},
      {{"fuzz", "--config", ""}, "--config: '' names nothing"},
      {{"fuzz", "toy/retain", "--config", "boxes=one"},
       "the config leaves out temper; name every axis"},
      {{"fuzz", "toy/retain", "--config", "boxes=one boxes=three temper=calm"},
       "names boxes twice"},
      {{"fuz"}, "there is no command 'fuz'; did you mean 'fuzz'?"},
      {{"repaly", "file"}, "did you mean 'replay'?"},
      {{"quux"}, "there is no command 'quux'; available: run list fuzz replay"},
      {{"fuzz", "--sede", "3"}, "fuzz has no option '--sede'; did you mean '--seed'?"},
      {{"fuzz", "--secnods=3"}, "fuzz has no option '--secnods'; did you mean '--seconds'?"},
      {{"prove", "toy", "--widow", "stale"},
       "prove has no option '--widow'; did you mean '--window'?"},
      {{"--verson"}, "afterlife has no option '--verson'; did you mean '--version'?"},
      {{"fuzz", "toi"}, "there is no path 'toi'; did you mean 'toy'?"},
      {{"fuzz", "toy/retian"}, "path toy has no variant 'retian'; did you mean 'retain'?"},
      {{"fuzz", "toy/quux"}, "path toy has no variant 'quux'; available: borrow retain"},
      {{"prove", "toy", "--window", "stael"},
       "path toy has no window 'stael'; did you mean 'stale'?"},
      {{"fuzz", "--strategy", "random_wolk"}, "did you mean 'random_walk'?"},
      {{"list", "toi"}, "there is no path 'toi'; did you mean 'toy'?"},
  };
  return lines;
}

TEST(Arguments, WhatIsNotMeantIsOneLineAndExitCode3) {
  for (const auto& [words, answer] : wrong_lines()) {
    const Ended ended = run_toys(words);
    const std::string what = ::testing::PrintToString(words);
    EXPECT_EQ(ended.code, 3) << what;
    EXPECT_EQ(ended.out, "") << what;
    EXPECT_THAT(ended.err, StartsWith("afterlife: ")) << what;
    EXPECT_THAT(ended.err, HasSubstr(answer)) << what;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << what;
  }
}

TEST(Arguments, TheLargestNumbersAreTaken) {
  const Folder folder;
  const Ended ended =
      run_toys({"fuzz", "toy/retain", "--runs", "200", "--seed", "18446744073709551615", "--config",
                "temper=wild boxes=three", "--out", folder / "out", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["results"][0]["configs"].size(), 1U);
}

TEST(Arguments, TheVersionIsOneLine) {
  const Ended ended = run_toys({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, ::testing::MatchesRegex("afterlife [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Arguments, ListOfAPathIsOfThatPath) {
  const json all = json::parse(run_child("afterlife", {"list", "--json"}).out);
  const std::string path = all["paths"].at(1)["path"];
  const Ended ended = run_child("afterlife", {"list", path, "--json"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(json::parse(ended.out)["paths"], json::array({all["paths"].at(1)}));
  const Ended text = run_child("afterlife", {"list", path});
  EXPECT_THAT(text.out, StartsWith(path + "  "));
  EXPECT_THAT(text.out,
              ::testing::Not(HasSubstr("\n" + std::string(all["paths"].at(0)["path"]) + "  ")));
}

TEST(Suggest, ANameIsNearWhenAThirdOfItIsWrong) {
  EXPECT_EQ(entries::edit_distance("fuzz", "fuzz"), 0u);
  EXPECT_EQ(entries::edit_distance("repaly", "replay"), 1u) << "neighbours that changed places";
  EXPECT_EQ(entries::edit_distance("kitten", "sitting"), 3u);
  const Words names{"borrow", "own", "mark_at_launch"};
  EXPECT_EQ(entries::nearest("borow", names), "borrow");
  EXPECT_EQ(entries::nearest("mark", names), "mark_at_launch") << "the beginning of one";
  EXPECT_EQ(entries::nearest("nothing", names), "");
  EXPECT_EQ(entries::nearest(std::string(1 << 20, 'x'), names), "");
}

// ---- the flags of a fuzz target ----

struct Taken {
  std::string wrong;
  Words kept;
  std::map<std::string, std::string> values;
};

Taken take(Words words) {
  words.insert(words.begin(), "fuzz_toy");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  Taken taken;
  taken.wrong = entries::take_fuzz_flags(
      argc, argv.data(),
      [&](const char* variable, const std::string& value) { taken.values[variable] = value; });
  for (int i = 1; i < argc; ++i) taken.kept.emplace_back(argv[static_cast<std::size_t>(i)]);
  return taken;
}

TEST(FuzzFlags, OursAreTakenAndLibFuzzersAreKept) {
  Taken taken = take({"-runs=3", "--variant=borrow", "seeds", "--config=boxes=one temper=calm"});
  EXPECT_EQ(taken.wrong, "");
  EXPECT_EQ(taken.kept, (Words{"-runs=3", "seeds"}));
  EXPECT_EQ(taken.values["AFTERLIFE_VARIANT"], "borrow");
  EXPECT_EQ(taken.values["AFTERLIFE_CONFIG"], "boxes=one temper=calm");
}

TEST(FuzzFlags, AnyOtherWithTwoDashesIsRefused) {
  EXPECT_EQ(take({"--varient=borrow"}).wrong,
            "there is no flag '--varient'; did you mean '--variant'?");
  EXPECT_EQ(take({"-runs=3", "--runs=3"}).wrong, "there is no flag '--runs'");
  EXPECT_EQ(take({"--variant"}).wrong, "--variant needs a value: --variant=TEXT");
  EXPECT_EQ(take({"--variant="}).wrong, "--variant needs a value: --variant=TEXT");
  EXPECT_EQ(take({"--variant", "borrow"}).wrong, "--variant needs a value: --variant=TEXT");
}

// The first folder on the line is written to.
TEST(FuzzFlags, TheDocumentedLineHasAScratchFolderFirstAndWhatItLeavesIsIgnored) {
  const std::string document = read_file("harness/docs/how-to/fuzz-targets.md");
  std::smatch line;
  ASSERT_TRUE(std::regex_search(
      document, line, std::regex("\n    \\./build/fuzz/fuzz_\\w+( --\\S+)* (\\S+) (\\S+)\n")));
  EXPECT_EQ(line[2], "build/scratch");
  EXPECT_THAT(std::string(line[3]), ::testing::EndsWith("/seeds"));
  const std::string ignored = "\n" + read_file(".gitignore");
  for (const char* left : {"/build/", "crash-*", "leak-*", "oom-*", "slow-unit-*", "timeout-*"})
    EXPECT_THAT(ignored, HasSubstr("\n" + std::string(left) + "\n"));
}

TEST(FuzzFlags, WhatBelongsToTheProcessThatStartedThisOneIsLeftAlone) {
  const Taken taken = take({"-runs=3", "-ignore_remaining_args=1", "--varient=borrow", "x"});
  EXPECT_EQ(taken.wrong, "");
  EXPECT_EQ(taken.kept.size(), 4U);
}

}  // namespace
}  // namespace harness
