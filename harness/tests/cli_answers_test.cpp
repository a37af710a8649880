// The answers of the command line, where they are not what one hopes for: a toy path whose variants
// claim what is so and what is not, through the commands and their exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "harness/tests/toys_child.h"

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
  EXPECT_THAT(ended.out, HasSubstr("not as recorded: the run has a fault that the file has not: "
                                   "use_after_death Box"));
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

}  // namespace
}  // namespace harness
