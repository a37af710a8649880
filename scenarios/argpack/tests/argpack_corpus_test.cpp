// The committed corpus is what it claims to be. AFTERLIFE_WRITE_SEEDS=1 writes seeds/plain anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "harness/entries/fuzz_records.h"
#include "harness/reproducer.h"
#include "scenarios/argpack/tests/argpack_cases.h"

namespace scenarios::argpack::testing {
namespace {

namespace fs = std::filesystem;
using harness::Case;
using harness::Proof;
using harness::Reproducer;
using harness::Tape;

const fs::path kCorpus = "corpus/argpack";

constexpr std::uint32_t kMostDecisions = 3;

std::map<std::string, Reproducer> read_all(const char* folder) {
  std::map<std::string, Reproducer> files;
  for (const auto& entry : fs::directory_iterator(kCorpus / folder))
    files.emplace(entry.path().stem().string(), harness::read_reproducer(entry.path().string()));
  return files;
}

int window_named(std::string_view name) {
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

class ArgpackPrograms : public Programs {};

TEST_F(ArgpackPrograms, EveryWindowHasOne) {
  const auto programs = read_all("programs");
  for (const harness::Window& window : scenario.windows)
    EXPECT_TRUE(programs.contains(std::string(window.name.view()))) << window.name.view();
}

TEST_F(ArgpackPrograms, HoldOpsAndTheirArgumentsAndNothingElse) {
  for (const auto& [name, program] : read_all("programs"))
    for (const harness::Decision& decision : program.the_case.tape)
      EXPECT_TRUE(decision.site_tag == site_tag(harness::Site::op) ||
                  decision.site_tag == site_tag(harness::Site::argument))
          << name;
}

TEST_F(ArgpackPrograms, FailAsShippedWithinThreeDecisionsAndHoldForOwn) {
  for (const auto& [name, program] : read_all("programs")) {
    if (name == "W0") continue;
    const int window = window_named(name);
    const Proof shipped = prove(program.the_case, "borrow", kMostDecisions, window);
    EXPECT_TRUE(shipped.failed) << name;
    const Proof sound = prove(program.the_case, "own", shipped.decision_count, -1);
    EXPECT_TRUE(sound.complete && !sound.failed) << name;
    EXPECT_NE(sound.reached >> window & 1, 0u) << name << ": own never went through the window";
  }
}

TEST_F(ArgpackPrograms, AreTheSmallest) {
  for (const auto& [name, program] : read_all("programs")) {
    if (name == "W0") continue;
    const int window = window_named(name);
    const std::uint32_t least = prove(program.the_case, "borrow", kMostDecisions, window).decision_count;
    for (const harness::Decision& decision : program.the_case.tape) {
      if (decision.site_tag != site_tag(harness::Site::op)) continue;
      Case smaller = program.the_case;
      smaller.tape = without_slot(smaller.tape, decision.activation);
      EXPECT_FALSE(prove(smaller, "borrow", least, window).failed)
          << name << " fails without " << to_string(program, decision);
    }
  }
}

TEST_F(ArgpackPrograms, TheTopLevelPackOfOrdinaryUseIsProtected) {
  const auto programs = read_all("programs");
  const Case& the_case = programs.at("W0").the_case;
  const int window = window_named("W0");
  const Proof shipped = prove(the_case, "borrow", 2, -1);
  EXPECT_TRUE(shipped.complete && !shipped.failed);
  EXPECT_NE(shipped.reached >> window & 1, 0u) << "nothing ever dropped the variable during the call";
}

TEST(ArgpackCorpus, EveryReproducerShowsWhatItSays) {
  harness::Runner runner;
  for (const auto& [name, repro] : read_all("repros")) {
    const harness::Outcome& outcome = runner.run(repro.the_case);
    std::vector<std::string> found;
    for (const harness::Fault& fault : outcome.faults)
      if (std::find(found.begin(), found.end(), fault.signature()) == found.end())
        found.push_back(fault.signature());
    EXPECT_EQ(found, repro.faults) << name;
    EXPECT_EQ(runner.trace_hash(), repro.trace) << name;
  }
}

TEST(ArgpackCorpus, EveryUnsoundVariantHasAReproducer) {
  const auto repros = read_all("repros");
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant) {
    if (scenario.variants[variant].claim.kind != harness::ClaimKind::unsound) continue;
    const auto is_its = [&](const auto& entry) { return entry.second.the_case.variant == variant; };
    EXPECT_TRUE(std::any_of(repros.begin(), repros.end(), is_its)) << scenario.variants[variant].name.view();
  }
}

// As libFuzzer holds it: the tape, and a record that says which config it is for.
std::vector<std::uint8_t> plain_seed() {
  const harness::Config config = harness::parse_config(scenario, "backend=cuda_pool gil=on");
  std::uint32_t index = 0;
  while (!(harness::config_at(scenario, index) == config)) ++index;
  Tape tape = plain_program().tape();
  tape.push_back({harness::entries::kConfigName, harness::entries::kConfigTag, 0, index});
  std::vector<std::uint8_t> bytes(tape.size() * sizeof(harness::Decision));
  harness::entries::write_records(tape, bytes.data(), bytes.size());
  return bytes;
}

TEST(ArgpackCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  const fs::path file = kCorpus / "seeds" / "plain";
  const std::vector<std::uint8_t> expected = plain_seed();
  if (std::getenv("AFTERLIFE_WRITE_SEEDS") != nullptr)
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(expected.data()), static_cast<std::streamsize>(expected.size()));
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> found{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace scenarios::argpack::testing
