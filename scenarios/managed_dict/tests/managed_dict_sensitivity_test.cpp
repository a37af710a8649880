// SPDX-License-Identifier: Apache-2.0
// How detection depends on timing: the report's loop of `with _NoGrad(): pass`, in which the writer
// fires whenever it can and only a crash counts, compared with a search with the same settings.
//
// A setting takes seconds at full size, so the test uses a few; AFTERLIFE_FULL=1 uses all, with 50
// 000 iterations, and prints the table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/search/search.h"
#include "scenarios/managed_dict/tests/managed_dict_cases.h"

namespace scenarios::managed_dict::testing {
namespace {

using harness::Outcome;
using harness::Question;
using harness::Scene;
using targets::managed_dict::Placement;

bool full() { return std::getenv("AFTERLIFE_FULL") != nullptr; }

constexpr std::uint64_t kSeedCount = 20;
constexpr std::uint64_t kRunLimit = 200'000;
constexpr harness::Tick kTurnsOfIteration = 3;

/// One row: the fixed settings, and the writer's behaviour.
struct Row {
  const char* variant;
  const char* axis;
  std::uint32_t value;
  Settings settings;
  std::uint32_t distance = 0;  ///< Position in the free list of the next block.
  std::uint32_t period = 1;    ///< The writer acts at every n-th chance.
};

/// Answers all choices with the default, except for the row's settings.
class Insistent final : public harness::Strategy {
 public:
  explicit Insistent(const Row& row) : row_(row) {}
  void begin() override { chances_ = 0; }
  std::uint32_t answer(const Question& question) override {
    if (question.site == harness::Site::reuse)
      return std::min(row_.distance, question.option_count - 1);
    if (question.site == harness::Site::failure) return ++chances_ % row_.period == 0 ? 1 : 0;
    return 0;
  }

 private:
  const Row& row_;
  std::uint64_t chances_ = 0;
};

struct Measured {
  std::uint64_t crashed_at = 0;  ///< Iteration of the loop; 0 if it passed.
  std::uint64_t found = 0;       ///< Number of seeds, of kSeedCount, that found it.
  std::uint64_t most_runs = 0;   ///< Maximum number of runs to the first fault.
};

/// Row being measured. Global, because a driver is a function.
const Row* current = nullptr;
std::uint32_t iterations() { return full() ? 50'000 : 2'000; }

std::uint64_t run_loop(const Row& row) {
  harness::Scenario loop = scenario;
  loop.turn_limit = 10'000'000;
  loop.drive = [](Scene& scene) { drive_loop(scene, iterations(), current->settings); };
  harness::Runner runner;
  Insistent strategy(row);
  const Outcome& outcome =
      runner.run(loop, variant_named(row.variant), harness::Config{}, sim(), strategy);
  return outcome.ending == harness::Ending::fatal ? outcome.turns / kTurnsOfIteration + 1 : 0;
}

void search(const Row& row, Measured& measured) {
  harness::Scenario set = scenario;
  set.drive = [](Scene& scene) { drive_shaped(scene, Shape{}, nullptr, current->settings); };
  harness::Runner runner;
  for (std::uint64_t seed = 1; seed <= (full() ? kSeedCount : 2); ++seed) {
    harness::SearchOptions options;
    options.strategy = harness::find(harness::tables::strategies(), "random_walk");
    options.device = &sim();
    options.seed = seed;
    options.second_limit = 60;
    options.run_limit = kRunLimit;
    options.stop_at_first = true;
    options.minimize = false;
    options.configs = {harness::Config{}};
    const auto result = harness::search(runner, set, variant_named(row.variant), options);
    if (result.first_fault_run == 0) continue;
    ++measured.found;
    measured.most_runs = std::max(measured.most_runs, result.first_fault_run);
  }
}

Measured measure(const Row& row) {
  current = &row;
  Measured measured;
  measured.crashed_at = run_loop(row);
  search(row, measured);
  if (full())
    fmt::print(
        "| {} | {} | {} | {} | {} of {} | {} |\n", row.variant, row.axis, row.value,
        measured.crashed_at == 0 ? "passes" : fmt::format("crash at {}", measured.crashed_at),
        measured.found, kSeedCount, measured.most_runs);
  return measured;
}

std::vector<Row> rows_of(const char* variant) {
  std::vector<Row> rows;
  const Settings plain{
      .compile_threshold = 2, .warm_up = 30, .wrapper_blocks = 0, .placement = Placement{}};
  for (const std::uint32_t threshold : {2u, 1'000u, 40'000u, 60'000u}) {
    rows.push_back({variant, "compile threshold", threshold, plain});
    rows.back().settings.compile_threshold = threshold;
  }
  for (const std::uint32_t warm_up : {0u, 26u}) {
    rows.push_back({variant, "warm-up", warm_up, plain});
    rows.back().settings.warm_up = warm_up;
  }
  for (const std::uint32_t distance : {1u, 3u})
    rows.push_back({variant, "recycle distance", distance, plain, distance});
  for (const std::uint32_t blocks : {1u, 8u}) {
    rows.push_back({variant, "wrapper blocks", blocks, plain});
    rows.back().settings.wrapper_blocks = blocks;
  }
  for (const std::uint32_t period : {1'000u, 60'000u})
    rows.push_back({variant, "fires every", period, plain, 0, period});
  rows.push_back({variant, "bit 23 of True", 1, plain});
  rows.back().settings.placement = Placement{.fixed_program = true};
  rows.push_back({variant, "bit 31 of the heap", 1, plain});
  rows.back().settings.placement = Placement{.heap_bit31 = true};
  return rows;
}

constexpr std::array kVariants{"incref_tagged_word", "decref_tagged_word", "balanced_tagged_count",
                               "even_tagged_count",  "clear_tag_byte",     "misdirected_decref"};

TEST(ManagedDictSensitivity, TheSearchFindsFaultsThatALoopMisses) {
  std::uint64_t passed = 0;
  if (full())
    fmt::print("| variant | setting | value | plain loop | search: seeds | most runs |\n");
  for (const char* variant : kVariants) {
    for (const Row& row : rows_of(variant)) {
      if (!full() && row.value != 2 && row.value != 60'000) continue;
      const Measured measured = measure(row);
      passed += measured.crashed_at == 0 ? 1 : 0;
      EXPECT_GT(measured.found, 0u) << row.variant << ", " << row.axis << " " << row.value;
    }
  }
  EXPECT_GT(passed, 0u) << "the loop missed nothing";
}

TEST(ManagedDictSensitivity, TheLoopCrashesWithoutObstacles) {
  const Row row{
      "incref_tagged_word",
      "compile threshold",
      2,
      {.compile_threshold = 2, .warm_up = 30, .wrapper_blocks = 0, .placement = Placement{}}};
  current = &row;
  EXPECT_NE(run_loop(row), 0u);
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
