// SPDX-License-Identifier: Apache-2.0
// The programs of the path, which this test writes: each has a writer that fails, and no smaller
// program does.
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "harness/core/pick/replay.h"
#include "harness/search/tests/corpus.h"
#include "scenarios/managed_dict/model/reach.h"
#include "scenarios/managed_dict/tests/managed_dict_cases.h"

namespace scenarios::managed_dict::testing {
namespace {

namespace fs = std::filesystem;
using harness::Case;
using harness::testing::ProgramProofs;

/// The smallest program of a window, and the writer that fails. A window that only legal code
/// reaches has no writer.
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
      {"value_released", "release_before_store", plain,
       Program().script(Op::new_instance).script(Op::store_guarded).script(Op::store_attr)},
  };
}

fs::path program_file(std::string_view window) {
  return harness::testing::corpus_of(scenario) / "programs" / (std::string(window) + ".repro");
}

TEST(ManagedDictPrograms, EveryWindowHasAFile) {
  for (const Smallest& smallest : smallest_programs()) {
    const Case the_case = make_case("stock", smallest.config, smallest.program);
    const fs::path file = program_file(smallest.window);
    if (harness::testing::writes_corpus()) {
      fs::create_directories(file.parent_path());
      harness::write_reproducer(file.string(), harness::Reproducer{.the_case = the_case});
    }
    const harness::Reproducer found = harness::read_reproducer(file.string());
    EXPECT_EQ(harness::canonical(found.the_case.tape), harness::canonical(the_case.tape))
        << smallest.window;
  }
  EXPECT_EQ(smallest_programs().size(), scenario.windows.size());
}

constexpr std::uint32_t kMostDecisions = 2;

TEST(ManagedDictPrograms, FailByTheirWriterWithinTwoDecisionsAndHoldForStock) {
  ProgramProofs proofs(scenario);
  for (const Smallest& smallest : smallest_programs()) {
    const Case the_case = make_case("stock", smallest.config, smallest.program);
    const std::string window(smallest.window);
    if (smallest.variant == "stock")
      proofs.expect_holds(window, the_case, "stock", kMostDecisions);
    else
      proofs.expect_distinguished(window, {.the_case = the_case}, smallest.variant, "stock",
                                  kMostDecisions);
  }
}

TEST(ManagedDictPrograms, AreTheSmallest) {
  ProgramProofs proofs(scenario);
  for (const Smallest& smallest : smallest_programs())
    if (smallest.variant != "stock")
      proofs.expect_smallest(
          std::string(smallest.window),
          {.the_case = make_case(smallest.variant, smallest.config, smallest.program)},
          smallest.variant, kMostDecisions);
}

// The counted pointer leads one byte into an object, so that releasing it changes a count and a
// type; the collector reads that type before any value is read.
TEST(ManagedDictCorpus, ACrashWithoutAnEarlierFaultBelongsToTheWrongCount) {
  const fs::path file =
      harness::testing::corpus_of(scenario) / "repros" / "incref_decoded_values-crash.repro";
  harness::Runner runner;
  const harness::Outcome& outcome = runner.run(harness::read_reproducer(file.string()).the_case);
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, harness::FaultKind::wild_access);
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::value_counted));
}

TEST(ManagedDictCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  harness::testing::expect_plain_seed(scenario, plain_program().tape(), "");
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
