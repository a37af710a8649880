// The committed corpus is what it claims to be. AFTERLIFE_WRITE_CORPUS=1 writes seeds/plain and the
// smallest programs, and the traces of reproducers that still show their faults, anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "harness/entries/fuzz_records.h"
#include "harness/reproducer.h"
#include "scenarios/managed_dict/tests/managed_dict_cases.h"

namespace scenarios::managed_dict::testing {
namespace {

namespace fs = std::filesystem;
using harness::Case;
using harness::Proof;
using harness::Reproducer;
using harness::Tape;

const fs::path kCorpus = "corpus/managed_dict";

bool writes() { return std::getenv("AFTERLIFE_WRITE_CORPUS") != nullptr; }

std::map<std::string, Reproducer> read_all(const char* folder) {
  std::map<std::string, Reproducer> files;
  for (const auto& entry : fs::directory_iterator(kCorpus / folder))
    files.emplace(entry.path().stem().string(), harness::read_reproducer(entry.path().string()));
  return files;
}

std::vector<std::string> sorted(std::vector<std::string> faults) {
  std::sort(faults.begin(), faults.end());
  return faults;
}

/// The smallest program of a window, and the writer that shows it. A window that only legal code
/// goes through has none.
struct Smallest {
  std::string_view window;
  std::string_view variant;
  std::string_view config;
  Program program;
};

std::vector<Smallest> smallest_programs() {
  const char* const plain = "layout=cpython312 compiler=inline";
  const Program block = Program().script(Op::with_block);
  return {
      {"word_read", "clear_tag_byte", plain, block},
      {"word_counted", "incref_tagged_word", plain, block},
      {"chunk_freed", "incref_tagged_word", plain, block},
      {"instance_recycled", "stale_pointer_store", plain,
       Program().script(Op::with_block).script(Op::hold_noise).script(Op::with_block)},
      {"order_appended", "insertion_order_overrun", plain, block},
      {"type_modified", "stale_cache_value", plain, block},
      {"value_counted", "incref_decoded_values", plain, block},
      {"dict_published", "stock", plain,
       Program().script(Op::new_instance).script(Op::access_dict).script(Op::store_attr)},
  };
}

std::size_t window_named(std::string_view name) {
  for (std::size_t i = 0; i < scenario.windows.size(); ++i)
    if (scenario.windows[i].name.view() == name) return i;
  HARNESS_CHECK(false, "no such window");
}

fs::path program_file(std::string_view window) {
  return kCorpus / "programs" / (std::string(window) + ".repro");
}

class ManagedDictPrograms : public ::testing::Test {
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

TEST_F(ManagedDictPrograms, EveryWindowHasItsFile) {
  for (const Smallest& smallest : smallest_programs()) {
    const Case the_case = make_case("stock", smallest.config, smallest.program);
    const fs::path file = program_file(smallest.window);
    if (writes()) {
      fs::create_directories(file.parent_path());
      harness::write_reproducer(file.string(), Reproducer{.the_case = the_case});
    }
    const Reproducer found = harness::read_reproducer(file.string());
    EXPECT_EQ(harness::canonical(found.the_case.tape), harness::canonical(the_case.tape))
        << smallest.window;
  }
  EXPECT_EQ(smallest_programs().size(), scenario.windows.size());
}

TEST_F(ManagedDictPrograms, FailByTheirWriterWithinTwoDecisionsAndHoldForStock) {
  for (const Smallest& smallest : smallest_programs()) {
    const Case the_case = make_case("stock", smallest.config, smallest.program);
    const auto window = static_cast<int>(window_named(smallest.window));
    std::uint32_t decisions = 2;
    if (smallest.variant != "stock") {
      const Proof shown = prove(the_case, smallest.variant, 2, window);
      EXPECT_TRUE(shown.failed) << smallest.window;
      decisions = shown.decision_count;
    }
    const Proof stock = prove(the_case, "stock", decisions, -1);
    EXPECT_TRUE(stock.complete && !stock.failed) << smallest.window;
    EXPECT_NE(stock.reached >> window & 1, 0u) << smallest.window << ": stock never went there";
  }
}

TEST_F(ManagedDictPrograms, AreTheSmallest) {
  for (const Smallest& smallest : smallest_programs()) {
    if (smallest.variant == "stock") continue;
    const Case the_case = make_case(smallest.variant, smallest.config, smallest.program);
    const auto window = static_cast<int>(window_named(smallest.window));
    const std::uint32_t least = prove(the_case, smallest.variant, 2, window).decision_count;
    for (const harness::Decision& decision : the_case.tape) {
      if (decision.site_tag != site_tag(harness::Site::op)) continue;
      Case smaller = the_case;
      smaller.tape = without_slot(smaller.tape, decision.activation);
      EXPECT_FALSE(prove(smaller, smallest.variant, least, window).failed)
          << smallest.window << " fails without " << decision.activation;
    }
  }
}

TEST(ManagedDictCorpus, EveryReproducerShowsWhatItSays) {
  harness::Runner runner;
  for (const auto& [name, repro] : read_all("repros")) {
    const harness::Outcome& outcome = runner.run(repro.the_case);
    const Reproducer found = describe(runner, outcome, repro.the_case);
    const bool same = sorted(found.faults) == sorted(repro.faults);
    EXPECT_TRUE(same) << name;
    if (writes() && same)
      write_reproducer((kCorpus / "repros" / (name + ".repro")).string(), found);
    else
      EXPECT_EQ(found.trace, repro.trace) << name;
  }
}

// Named <variant>-<hazard>.
TEST(ManagedDictCorpus, EveryClaimedHazardHasAReproducerThatShowsIt) {
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
      for (const int window : outcome.windows)
        shown |= window >= 0 && scenario.windows[static_cast<std::size_t>(window)].name == hazard;
      EXPECT_TRUE(shown) << name;
    }
}

// As libFuzzer holds it: the tape, and a record that says which config it is for.
std::vector<std::uint8_t> plain_seed() {
  Tape tape = plain_program().tape();
  tape.push_back({harness::entries::kConfigName, harness::entries::kConfigTag, 0, 0});
  std::vector<std::uint8_t> bytes(tape.size() * sizeof(harness::Decision));
  harness::entries::write_records(tape, bytes.data(), bytes.size());
  return bytes;
}

TEST(ManagedDictCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  const fs::path file = kCorpus / "seeds" / "plain";
  const std::vector<std::uint8_t> expected = plain_seed();
  if (writes()) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(expected.data()),
               static_cast<std::streamsize>(expected.size()));
  }
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> found{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
