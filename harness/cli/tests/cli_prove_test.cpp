// SPDX-License-Identifier: Apache-2.0
// `afterlife prove`: its words and exit codes, over a toy path whose claims are right and wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "harness/cli/tests/toys_child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::program_text;
using testing::run_toys;
using testing::toy_case;

namespace toy = testing::toy;

/// A corpus of toy programs.
class Corpus {
 public:
  Corpus() { std::filesystem::create_directories(folder_ / "toy/programs"); }

  Corpus& with(const std::string& name, const Tape& tape) {
    write_file(folder_ / ("toy/programs/" + name + ".repro"),
               program_text(toy_case("borrow", tape)));
    return *this;
  }
  std::string folder() const { return folder_.path().string(); }

 private:
  Folder folder_;
};

Ended prove_toys(const Corpus& corpus, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "prove");
  arguments.insert(arguments.end(), {"--programs", corpus.folder()});
  return run_toys(std::move(arguments));
}

json prove_json(const Corpus& corpus, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  return json::parse(prove_toys(corpus, std::move(arguments)).out);
}

/// Returns as many ops as there is room for: 81 000 sets of three choices.
Tape long_program() {
  Tape tape;
  for (std::uint32_t i = 0; i < 8; ++i) {
    tape.push_back(toy::decide(slot_name(toy::kUser, i), Site::op,
                               toy::op(i % 2 == 0 ? toy::store : toy::use)));
    tape.push_back(toy::decide(slot_name(toy::kMutator, i), Site::op, toy::op(toy::replace)));
    tape.push_back(toy::decide(slot_name(toy::kBystander, i), Site::op, toy::op(toy::nap)));
  }
  return tape;
}

/// Returns a table's text, however it is broken into lines.
std::string flat(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

// ---- a claim, a program, an answer and a code ----

struct Answer {
  const char* variant;
  const char* words;
  int code;
};

class ProveAnswers : public ::testing::TestWithParam<Answer> {};

TEST_P(ProveAnswers, OfAVariantIsWhatItDoes) {
  const Answer& answer = GetParam();
  Corpus corpus;
  corpus.with("stale", toy::small_program());
  const std::string target = std::string("toy/") + answer.variant;
  const Ended ended = prove_toys(corpus, {target});
  EXPECT_EQ(ended.code, answer.code) << ended.out << ended.err;
  EXPECT_THAT(flat(ended.out), HasSubstr(answer.words));
  EXPECT_THAT(ended.out, HasSubstr(answer.code == 0 ? ": as claimed (" : ": NOT as claimed ("));
  EXPECT_EQ(prove_json(corpus, {target})["results"].at(0)["as_claimed"], answer.code == 0);
}

constexpr Answer kAnswers[] = {
    {"borrow", "fails: use_after_free Box", 0},
    {"retain", "holds: k = 3, 969 runs", 0},
    {"hoard", "fails elsewhere: leak Box", 0},
    {"idle", "vacuous: the path never ran", 0},
    {"wrongly_sound", "fails: use_after_free Box", 1},
    {"wrongly_unsound", "holds: k = 3, 969 runs", 1},
    {"wrongly_busy", "vacuous: the path never ran", 1},
    {"wrongly_idle", "fails: use_after_free Box", 1},
    {"other_window", "(content, which is not claimed)", 1},
    {"second_window", "(stale, which is not claimed)", 1},
};

INSTANTIATE_TEST_SUITE_P(Variants, ProveAnswers, ::testing::ValuesIn(kAnswers),
                         [](const auto& info) { return std::string(info.param.variant); });

// ---- what may be said ----

TEST(ProveSays, NothingIsDecidedBelowTwoDecisions) {
  Corpus corpus;
  corpus.with("stale", toy::small_program());
  for (const char* variant : {"toy/retain", "toy/wrongly_unsound"}) {
    const Ended none = prove_toys(corpus, {variant, "--k", "0"});
    EXPECT_EQ(none.code, 5);
    EXPECT_THAT(flat(none.out), HasSubstr("too small to say: k = 0, 1 run (k = 1 takes 21) "));
    EXPECT_THAT(none.out, HasSubstr("enumerated 1 schedule of 1 program"));
    EXPECT_THAT(flat(none.out), HasSubstr("not decided by 1 program: `--k 2` runs them, too"));
    EXPECT_THAT(none.out, Not(HasSubstr("holds")));
    EXPECT_THAT(none.out, Not(HasSubstr("NOT as claimed")));
  }
  EXPECT_EQ(prove_toys(corpus, {"toy/retain", "--k", "1"}).code, 5);
  const Ended two = prove_toys(corpus, {"toy/retain", "--k", "2"});
  EXPECT_EQ(two.code, 0);
  EXPECT_THAT(two.out, HasSubstr("holds: k = 2, "));
}

TEST(ProveSays, ProgramsThatDecideNothingContradictNothing) {
  Corpus corpus;
  corpus.with("stale", long_program());
  for (int i = 0; i < 80; ++i) corpus.with("stale-" + std::to_string(i), long_program());
  corpus.with("content", toy::small_program());
  const Ended ended = prove_toys(corpus, {"toy/retain"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(flat(ended.out), HasSubstr("81 too small, 1 holds: as claimed (sound)"));
  EXPECT_THAT(flat(ended.out), HasSubstr("not decided by 81 programs: `--k 2` runs them, too"));
}

TEST(ProveSays, AHazardWithoutAProgramIsToBeAdded) {
  Corpus corpus;
  corpus.with("content", toy::small_program());
  const Ended ended = prove_toys(corpus, {"toy/wrongly_unsound"});
  EXPECT_EQ(ended.code, 5) << ended.out;
  EXPECT_THAT(flat(ended.out), HasSubstr("1 holds: not decided (unsound)"));
  EXPECT_THAT(flat(ended.out),
              HasSubstr("add a program of stale: corpus/toy/programs/stale.repro"));
}

// Whatever the first variant of the table does: independent bugs are variants, too.
TEST(ProveSays, AProgramHoldsThoughTheFirstVariantDoesNotFailOnIt) {
  Corpus corpus;
  corpus.with("content", toy::small_program());
  const Ended ended = prove_toys(corpus, {"toy/retain"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("holds: k = 3"));
  EXPECT_THAT(ended.out, Not(HasSubstr("vacuous")));
}

TEST(ProveSays, OneVacuousProgramAmongManyDecidesNothing) {
  Corpus corpus;
  corpus.with("stale", toy::small_program())
      .with("content", {toy::decide(slot_name(toy::kUser, 0), Site::op, toy::op(toy::nap))});
  const Ended ended = prove_toys(corpus, {"toy/retain"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(flat(ended.out), HasSubstr("1 vacuous, 1 holds: as claimed"));
  EXPECT_THAT(flat(ended.out), HasSubstr("not decided by 1 program on which the path never runs"));
}

TEST(ProveSays, KIsTheMostThatTheRunsOfAWindowAllow) {
  Corpus corpus;
  corpus.with("stale", long_program());
  const auto first = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "toy/retain");
    return prove_json(corpus, std::move(arguments))["results"].at(0)["programs"].at(0);
  };
  const json alone = first({});
  EXPECT_EQ(alone["k"], 3);
  EXPECT_GT(alone["runs"], 50'000);
  EXPECT_LE(alone["runs"], 200'000);
  // Programs of one window share its runs; those of another do not.
  corpus.with("content", long_program());
  EXPECT_EQ(first({"--window", "stale"}), alone);
  for (const char* name : {"stale-2", "stale-3"}) corpus.with(name, long_program());
  const json shared = first({"--window", "stale"});
  EXPECT_EQ(shared["k"], 2);
  EXPECT_EQ(first({"--window", "stale", "--k", "3"})["runs"], alone["runs"])
      << "what is told is done";
  EXPECT_EQ(first({"--window", "content"})["k"], 3);
}

TEST(ProveSays, APathIsAllOfItsVariantsInTheFormOfTheSchema) {
  Corpus corpus;
  corpus.with("stale", toy::small_program()).with("content", toy::small_program());
  const Ended ended = prove_toys(corpus, {"toy", "--json"});
  EXPECT_EQ(ended.code, 1);
  const json proofs = json::parse(ended.out);
  const json forms = json::parse(read_file("results/schema.json"))["$defs"];
  const auto expect_keys = [&](const json& object, const char* form) {
    for (const auto& key : forms[form]["required"]) EXPECT_TRUE(object.contains(key)) << key;
    for (const auto& [key, value] : object.items())
      EXPECT_TRUE(forms[form]["properties"].contains(key)) << key;
  };
  expect_keys(proofs, "proofs");
  EXPECT_EQ(proofs["results"].size(), toy::scenario.variants.size());
  for (const json& proof : proofs["results"]) {
    expect_keys(proof, "proof");
    EXPECT_EQ(proof["programs"].size(), 2U);
    for (const json& program : proof["programs"]) expect_keys(program, "program");
  }
  EXPECT_EQ(prove_toys(corpus, {"toy", "--json"}).out, ended.out)
      << "equal proofs print equal bytes";
}

TEST(ProveSays, AStoppedProofIsExitCode4) {
  Corpus corpus;
  corpus.with("stale", long_program());
  for (const bool as_json : {false, true}) {
    std::vector<std::string> arguments{"prove", "toy/retain", "--k",
                                       "6",     "--programs", corpus.folder()};
    if (as_json) arguments.emplace_back("--json");
    Child child("afterlife_toys", arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    child.signal(SIGINT);
    const Ended ended = child.wait(std::chrono::seconds(60));
    EXPECT_EQ(ended.code, 4) << ended.err;
    if (as_json) {
      const json proofs = json::parse(ended.out);
      EXPECT_TRUE(proofs["stopped"]);
      EXPECT_FALSE(proofs["results"].at(0)["as_claimed"]);
    } else {
      EXPECT_THAT(ended.out, HasSubstr("stopped"));
      EXPECT_THAT(ended.out, Not(HasSubstr("holds")));
    }
  }
}

}  // namespace
}  // namespace harness
