// The committed corpus is what it claims to be. AFTERLIFE_WRITE_CORPUS=1 writes seeds/plain, and
// the traces of reproducers that still show their faults, anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "harness/entries/fuzz_records.h"
#include "harness/reproducer.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

namespace fs = std::filesystem;
using harness::Case;
using harness::Proof;
using harness::Reproducer;
using harness::Tape;

const fs::path kCorpus = "corpus/alltoallv";

constexpr std::uint32_t kMostDecisions = 3;

bool writes() { return std::getenv("AFTERLIFE_WRITE_CORPUS") != nullptr; }

std::map<std::string, Reproducer> read_all(const char* folder) {
  std::map<std::string, Reproducer> files;
  for (const auto& entry : fs::directory_iterator(kCorpus / folder))
    files.emplace(entry.path().stem().string(), harness::read_reproducer(entry.path().string()));
  return files;
}

/// "W1" or "W1-more": a window may have more programs than one.
int window_of_program(std::string_view name) {
  name = name.substr(0, name.find('-'));
  for (std::size_t i = 0; i < scenario.windows.size(); ++i)
    if (scenario.windows[i].name.view() == name) return static_cast<int>(i);
  return -1;
}

// What is proved of a program, each at no more than it takes.
class Programs : public ::testing::Test {
 protected:
  Proof prove(Case the_case, std::string_view variant, std::uint32_t decisions, int window) {
    the_case.variant = variant_named(variant);
    harness::Limits limits;
    limits.run_limit = ~std::uint64_t{0};
    limits.second_limit = 600;
    return harness::prove(runner_, the_case, decisions, limits, window);
  }

  harness::Runner runner_;
};

Tape without_slot(const Tape& tape, harness::Name slot) {
  Tape rest;
  for (const harness::Decision& decision : tape)
    if (decision.activation != slot) rest.push_back(decision);
  return rest;
}

class AlltoallvPrograms : public Programs {};

TEST_F(AlltoallvPrograms, EveryWindowHasOne) {
  const auto programs = read_all("programs");
  for (const harness::Window& window : scenario.windows)
    EXPECT_TRUE(programs.contains(std::string(window.name.view()))) << window.name.view();
}

TEST_F(AlltoallvPrograms, HoldOpsAndTheirArgumentsAndNothingElse) {
  for (const auto& [name, program] : read_all("programs"))
    for (const harness::Decision& decision : program.the_case.tape)
      EXPECT_TRUE(decision.site_tag == site_tag(harness::Site::op) ||
                  decision.site_tag == site_tag(harness::Site::argument))
          << name;
}

TEST_F(AlltoallvPrograms, FailAsShippedWithinThreeDecisionsAndHoldForSnapshotRegion) {
  for (const auto& [name, program] : read_all("programs")) {
    if (name == "W3") continue;
    const int window = window_of_program(name);
    const Proof shipped = prove(program.the_case, "reread_slot", kMostDecisions, window);
    EXPECT_TRUE(shipped.failed) << name;
    const Proof sound = prove(program.the_case, "snapshot_region", shipped.decision_count, -1);
    EXPECT_TRUE(sound.complete && !sound.failed) << name;
    EXPECT_NE(sound.reached >> window & 1, 0u)
        << name << ": snapshot_region never went through the window";
  }
}

TEST_F(AlltoallvPrograms, AreTheSmallest) {
  for (const auto& [name, program] : read_all("programs")) {
    if (name == "W3") continue;
    const int window = window_of_program(name);
    const std::uint32_t least =
        prove(program.the_case, "reread_slot", kMostDecisions, window).decision_count;
    for (const harness::Decision& decision : program.the_case.tape) {
      if (decision.site_tag != site_tag(harness::Site::op)) continue;
      Case smaller = program.the_case;
      smaller.tape = without_slot(smaller.tape, decision.activation);
      EXPECT_FALSE(prove(smaller, "reread_slot", least, window).failed)
          << name << " fails without " << to_string(program, decision);
    }
  }
}

TEST_F(AlltoallvPrograms, GivingTheSlotAwayDoesNoHarmByItself) {
  const auto programs = read_all("programs");
  const Case& the_case = programs.at("W3").the_case;
  const int window = window_of_program("W3");
  const Proof shipped = prove(the_case, "reread_slot", 1, window);
  EXPECT_TRUE(shipped.complete && !shipped.failed);
  EXPECT_NE(shipped.reached >> window & 1, 0u) << "the slot was never given away early";
}

TEST(AlltoallvCorpus, EveryReproducerShowsWhatItSays) {
  harness::Runner runner;
  for (const auto& [name, repro] : read_all("repros")) {
    const harness::Outcome& outcome = runner.run(repro.the_case);
    const Reproducer found = describe(runner, outcome, repro.the_case);
    EXPECT_EQ(found.faults, repro.faults) << name;
    if (writes() && found.faults == repro.faults)
      write_reproducer((kCorpus / "repros" / (name + ".repro")).string(), found);
    else
      EXPECT_EQ(found.trace, repro.trace) << name;
  }
}

/// A program of the window, or of what retains: two collectives, the second without a source on
/// rank 0.
Case program_for(const std::map<std::string, Reproducer>& programs, std::string_view hazard) {
  if (const auto found = programs.find(std::string(hazard)); found != programs.end())
    return found->second.the_case;
  return make_case("reread_slot", "C=1 ranks=2 close=never",
                   Program().then(Op::alltoallv).then(Op::alltoallv, {1, 0, 0, 1}));
}

// Those that are missing: the first of the smallest sets of decisions that show the hazard.
TEST_F(AlltoallvPrograms, WriteTheMissingReproducersWhenAsked) {
  if (!writes()) GTEST_SKIP() << "AFTERLIFE_WRITE_CORPUS is not set";
  const auto programs = read_all("programs");
  for (const harness::VariantInfo& variant : scenario.variants)
    for (const harness::Label hazard : variant.claim.hazards) {
      const std::string name = fmt::format("{}-{}", variant.name.view(), hazard.view());
      const std::string file = (kCorpus / "repros" / (name + ".repro")).string();
      if (fs::exists(file)) continue;
      const Proof proof = prove(program_for(programs, hazard.view()), variant.name.view(),
                                kMostDecisions, window_of_program(hazard.view()));
      ASSERT_TRUE(proof.failed) << name;
      const harness::Outcome& outcome = runner_.run(proof.failing);
      write_reproducer(file, describe(runner_, outcome, proof.failing));
    }
}

// Named <variant>-<hazard>: a window, or the kind of the fault where it has none.
TEST(AlltoallvCorpus, EveryClaimedHazardHasAReproducerThatShowsIt) {
  harness::Runner runner;
  const auto repros = read_all("repros");
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant)
    for (const harness::Label hazard : scenario.variants[variant].claim.hazards) {
      const std::string name =
          fmt::format("{}-{}", scenario.variants[variant].name.view(), hazard.view());
      ASSERT_TRUE(repros.contains(name)) << name;
      const Case& the_case = repros.at(name).the_case;
      EXPECT_EQ(the_case.variant, variant) << name;
      const harness::Outcome& outcome = runner.run(the_case);
      bool shown = false;
      for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
        const int window = outcome.windows[i];
        shown |= window >= 0 ? scenario.windows[static_cast<std::size_t>(window)].name == hazard
                             : to_label(outcome.faults[i].kind) == hazard;
      }
      EXPECT_TRUE(shown) << name;
    }
}

// As libFuzzer holds it: the tape, and a record that says which config it is for.
std::vector<std::uint8_t> plain_seed() {
  const harness::Config config = harness::parse_config(scenario, "C=8 ranks=2 close=never");
  std::uint32_t index = 0;
  while (!(harness::config_at(scenario, index) == config)) ++index;
  Tape tape = plain_program().tape();
  tape.push_back({harness::entries::kConfigName, harness::entries::kConfigTag, 0, index});
  std::vector<std::uint8_t> bytes(tape.size() * sizeof(harness::Decision));
  harness::entries::write_records(tape, bytes.data(), bytes.size());
  return bytes;
}

TEST(AlltoallvCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  const fs::path file = kCorpus / "seeds" / "plain";
  const std::vector<std::uint8_t> expected = plain_seed();
  if (writes())
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(expected.data()),
               static_cast<std::streamsize>(expected.size()));
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> found{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
