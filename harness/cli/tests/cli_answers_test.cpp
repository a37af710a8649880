// SPDX-License-Identifier: Apache-2.0
// The answers of the command line, if they are not what one hopes for: a toy path whose variants
// claim what is so and what is not, through the commands and their exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "harness/cli/tests/toys_child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::reproducer_text;
using testing::run_toys;
using testing::toy_case;

struct Answer {
  const char* variant;
  const char* verdict;
  int code;
};

class ToyAnswers : public ::testing::TestWithParam<Answer> {};

TEST_P(ToyAnswers, OfASearchIsWhatTheVariantDoes) {
  const Folder folder;
  const Ended ended = run_toys({"fuzz", std::string("toy/") + GetParam().variant, "--runs", "20000",
                                "--out", folder / "out", "--json"});
  EXPECT_EQ(ended.code, GetParam().code) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["results"].at(0)["verdict"], GetParam().verdict);
}

constexpr Answer kAnswers[] = {
    {"borrow", "caught", 0},          {"retain", "held", 0},
    {"hoard", "caught", 0},           {"idle", "vacuous", 0},
    {"wrongly_sound", "refuted", 1},  {"rarely_unsound", "refuted", 1},
    {"wrongly_unsound", "missed", 1}, {"wrongly_busy", "vacuous", 1},
    {"wrongly_idle", "refuted", 1},
};

INSTANTIATE_TEST_SUITE_P(Variants, ToyAnswers, ::testing::ValuesIn(kAnswers),
                         [](const auto& info) { return std::string(info.param.variant); });

// ---- replay ----

TEST(ReplayAnswers, ARunWithAFaultThatTheFileLacksIsNotAsRecorded) {
  const Folder folder;
  const std::string text = reproducer_text(toy_case("wrongly_sound", testing::failing_tape()));
  const std::string file = folder / "lacking.repro";
  write_file(file, text);
  EXPECT_EQ(run_toys({"replay", file}).code, 0);
  write_file(file, std::regex_replace(text, std::regex("\nfault [^\n]*"), ""));
  const Ended ended = run_toys({"replay", file});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(
      ended.out,
      HasSubstr(
          "not as recorded: the run has a fault that the file does not have: use_after_free Box"));
  const Ended told = run_toys({"replay", file, "--json"});
  EXPECT_EQ(told.code, 1);
  EXPECT_FALSE(json::parse(told.out)["as_recorded"]);
}

TEST(ReplayAnswers, ARunThatIsAnotherInEachProcessIsNotAsRecorded) {
  const Folder folder;
  const std::string file = folder / "other.repro";
  // In this process others have run before; in the child it is the first.
  Runner().run(toy_case("replays_otherwise", {}));
  write_file(file, reproducer_text(toy_case("replays_otherwise", testing::failing_tape())));
  const Ended ended = run_toys({"replay", file});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("not as recorded: the events differ"));
}

/// A folder of reproducers: so many that are as recorded, one that is not where asked for, one that
/// is none.
void write_reproducers(const Folder& folder, int good, bool other, bool damaged) {
  std::filesystem::create_directories(folder / "below");
  const std::string text = reproducer_text(toy_case("borrow", testing::failing_tape()));
  for (int i = 0; i < good; ++i)
    write_file(folder / ("below/good" + std::to_string(i) + ".repro"), text);
  const std::regex trace("trace [0-9a-f]+");
  if (other)
    write_file(folder / "other.repro", std::regex_replace(text, trace, "trace 0000000000000001"));
  if (damaged) write_file(folder / "damaged.repro", "not one");
}

TEST(ReplayMany, TellsALineEachAndASum) {
  const Folder folder;
  write_reproducers(folder, 3, false, false);
  const std::string all = folder.path().string();
  const Ended same = run_toys({"replay", all});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("as recorded      " + (folder / "below/good0.repro") + "\n"));
  EXPECT_THAT(same.out, ::testing::EndsWith("\n3 as recorded, 0 not\n"));
  write_reproducers(folder, 3, true, false);
  const Ended one = run_toys({"replay", folder / "below", folder / "other.repro"});
  EXPECT_EQ(one.code, 1);
  EXPECT_THAT(one.out,
              HasSubstr("not as recorded  " + (folder / "other.repro") + ": the events differ"));
  EXPECT_THAT(one.out, ::testing::EndsWith("\n3 as recorded, 1 not\n"));
}

TEST(ReplayMany, GoesOnAfterAFileThatCannotBeRead) {
  const Folder folder;
  write_reproducers(folder, 2, false, true);
  const Ended ended = run_toys({"replay", folder.path().string()});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("afterlife: " + (folder / "damaged.repro") + ":1: "));
  EXPECT_THAT(ended.out, ::testing::EndsWith("\n2 as recorded, 0 not, 1 could not be replayed\n"));
  write_reproducers(folder, 2, true, true);
  EXPECT_EQ(run_toys({"replay", folder.path().string()}).code, 1) << "what differs weighs more";
}

TEST(ReplayMany, StoppedIsExitCode4UnlessOneDiffersAndSaysHowFarItGot) {
  const Folder folder;
  write_reproducers(folder, 3000, false, false);
  Child child("afterlife_toys", {"replay", folder.path().string()});
  child.signal_when_taken(SIGTERM);
  const Ended ended = child.wait();
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.out, ::testing::ContainsRegex(
                             "\n?[0-9]+ as recorded, 0 not; stopped after [0-9]+ of 3000\n"));
}

TEST(ReplayMany, AFolderWithoutOneIsOneLineAndExitCode2) {
  const Folder folder;
  const Ended ended = run_toys({"replay", folder.path().string()});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, ::testing::StartsWith("afterlife: no reproducer (*.repro) in the folder"));
}

TEST(ReplayMany, JsonIsInTheFormOfTheSchema) {
  const Folder folder;
  write_reproducers(folder, 2, true, true);
  const Ended ended = run_toys({"replay", folder.path().string(), "--json"});
  EXPECT_EQ(ended.code, 1);
  const json all = json::parse(ended.out);
  const json forms = json::parse(read_file("results/schema.json"))["$defs"];
  const auto expect_keys = [&](const json& object, const char* form) {
    for (const auto& key : forms[form]["required"]) EXPECT_TRUE(object.contains(key)) << key;
    for (const auto& [key, value] : object.items())
      EXPECT_TRUE(forms[form]["properties"].contains(key)) << key;
  };
  expect_keys(all, "replays");
  EXPECT_EQ(all["as_recorded"], 2);
  EXPECT_EQ(all["not_as_recorded"], 1);
  EXPECT_EQ(all["unreadable"], 1);
  for (const json& row : all["replays"]) expect_keys(row, "replayed");
}

// ---- JSON ----

/// Every command that has it, on the toy path; those that replay, of one file and of many.
std::vector<std::vector<std::string>> commands_with_json(const Folder& folder) {
  write_reproducers(folder, 1, true, true);
  std::filesystem::create_directories(folder / "corpus/toy/programs");
  write_file(folder / "corpus/toy/programs/stale.repro",
             testing::program_text(toy_case("borrow", testing::toy::small_program())));
  const std::string good = folder / "below/good0.repro";
  return {{"list"},
          {"list", "toy"},
          {"fuzz", "toy", "--runs", "200", "--out", folder / "out"},
          {"replay", good},
          {"replay", folder / "other.repro"},
          {"replay", folder / "below", folder / "other.repro"},
          {"minimize", good, "--out", folder / "small"},
          {"prove", "toy", "--programs", folder / "corpus"}};
}

TEST(Json, IsOneObjectOnStdoutAndNothingElse) {
  const Folder folder;
  for (std::vector<std::string> command : commands_with_json(folder)) {
    command.emplace_back("--json");
    const Ended ended = run_toys(command);
    EXPECT_THAT(ended.code, ::testing::AnyOf(0, 1)) << command[0] << ended.err;
    EXPECT_TRUE(json::accept(ended.out)) << command[0] << ended.out;
    EXPECT_THAT(ended.out, ::testing::AllOf(::testing::StartsWith("{"), ::testing::EndsWith("}\n")))
        << command[0];
    EXPECT_EQ(ended.err, "") << command[0];
  }
}

// ---- tables ----

/// For child processes, as long as it lives.
class Columns {
 public:
  explicit Columns(int columns) { setenv("COLUMNS", std::to_string(columns).c_str(), 1); }
  ~Columns() { unsetenv("COLUMNS"); }
};

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    longest = std::max(longest, end - start);
  return longest;
}

TEST(Tables, FitTheColumnsThereAre) {
  const Folder folder;
  std::filesystem::create_directories(folder / "corpus/toy/programs");
  write_file(folder / "corpus/toy/programs/stale.repro",
             testing::program_text(toy_case("borrow", testing::toy::small_program())));
  std::size_t before = 0;
  for (const int columns : {60, 80, 100, 200}) {
    const Columns set(columns);
    const auto width = static_cast<std::size_t>(columns);
    std::string fuzzed =
        run_toys({"fuzz", "toy", "--full", "--runs", "200", "--out", folder / "out"}).out;
    fuzzed = fuzzed.substr(0, fuzzed.find("\ntoy/"));
    EXPECT_LE(longest_line(fuzzed), width);
    EXPECT_THAT(fuzzed, HasSubstr("refuted")) << "verdicts are never left out";
    EXPECT_THAT(fuzzed, HasSubstr("as claimed"));
    EXPECT_GE(longest_line(fuzzed), before) << "more room is used";
    before = longest_line(fuzzed);
    if (columns == 60) EXPECT_THAT(fuzzed, HasSubstr("no room for: runs"));
    if (columns == 200) EXPECT_THAT(fuzzed, ::testing::Not(HasSubstr("no room for")));
    EXPECT_LE(longest_line(run_toys({"list"}).out), width);
    EXPECT_LE(longest_line(run_child("afterlife", {"list"}).out), width);
    EXPECT_LE(longest_line(run_toys({"prove", "toy", "--programs", folder / "corpus"}).out), width);
  }
}

}  // namespace
}  // namespace harness
