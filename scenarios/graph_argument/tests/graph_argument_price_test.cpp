// SPDX-License-Identifier: Apache-2.0
// Prices: an additional retain in the source of a policy changes the policy's own row by exactly
// the cost of that retain and its release, and no other row. The policy is retain_per_node's own
// source, compiled here again, with an additional retain around each one.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "harness/report/price_views.h"
#include "harness/search/price/price.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "targets/graph_argument/deferred.h"
#include "targets/graph_argument/script/script.h"

namespace targets::graph_argument {
namespace {

/// Calls and byte turns of all added retains so far, as counted here.
std::uint64_t added_calls = 0, added_byte_turns = 0;

std::uint64_t bytes_alive() {
  std::uint64_t bytes = 0;
  for (const harness::Life& life : harness::World::current()->ledger.lives())
    bytes += life.alive ? life.bytes : 0;
  return bytes;
}

/// Makes a call during which nothing else runs.
template <class Call>
void add(Call call) {
  const harness::Tick before = harness::World::current()->scheduler.now();
  call();
  ++added_calls;
  added_byte_turns += bytes_alive() * (harness::World::current()->scheduler.now() - before);
}

CUresult retain_once_more(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  add([&] { cuUserObjectRetain(object, 1); });
  const CUresult result = cuGraphRetainUserObject(graph, object, count, flags);
  add([&] { cuUserObjectRelease(object, 1); });
  return result;
}

}  // namespace
}  // namespace targets::graph_argument

// The policy's source under other names. Included last, because of the macros.
#define AttachPerNode AttachOnceMore
#define RetainPerNode RetainOnceMore
#define cuGraphRetainUserObject retain_once_more
#include "targets/graph_argument/attach_per_node.cpp"
#include "targets/graph_argument/retain_per_node.cpp"
#undef cuGraphRetainUserObject
#undef RetainPerNode
#undef AttachPerNode

namespace scenarios::graph_argument::testing {
namespace {

using harness::Case;
using harness::Price;
using harness::PriceTable;
using harness::Runner;
using targets::graph_argument::added_byte_turns;
using targets::graph_argument::added_calls;
using targets::graph_argument::Core;
using targets::graph_argument::GraphArgument;
using targets::graph_argument::RetainOnceMore;
using targets::graph_argument::Setup;

GraphArgument make_planted(harness::Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.policy = arena.make<RetainOnceMore>(core);
  return arena.make<targets::graph_argument::Script>(core)->parts();
}

/// Returns the scenario with the additional retain in retain_per_node.
const harness::Scenario& planted() {
  static const harness::Scenario made = [] {
    harness::Scenario copy = scenario;
    copy.drive = [](harness::Scene& scene) {
      const bool is_planted = scene.variant() == variant_named("retain_per_node");
      drive_shaped(scene, {.make = is_planted ? make_planted : nullptr});
    };
    return copy;
  }();
  return made;
}

std::vector<Case> ordinary_use(const harness::Scenario& of) {
  std::vector<Case> programs;
  programs.reserve(config_count(scenario));
  for (std::size_t i = 0; i < config_count(scenario); ++i)
    programs.push_back({&of, 0, config_at(scenario, i), &sim(), plain_program().tape()});
  return programs;
}

PriceTable priced(const harness::Scenario& of) {
  Runner runner;
  return price(runner, ordinary_use(of));
}

std::vector<std::string> lines_of(PriceTable table) {
  const std::string text = harness::reports::price_summary(
      {{table.scenario, {{"ordinary", "", std::move(table), {}}}}}, {});
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(GraphArgumentPrice, OneMoreRetainChangesOnlyItsRow) {
  const PriceTable before = priced(scenario);
  added_calls = added_byte_turns = 0;
  const PriceTable after = priced(planted());
  ASSERT_EQ(before.compared, after.compared);
  ASSERT_EQ(before.compared.size(), config_count(scenario));
  const std::size_t changed = variant_named("retain_per_node");
  for (std::size_t i = 0; i < scenario.variants.size(); ++i) {
    Price expected = before.variants[i].price;
    if (i == changed) {
      expected.calls += added_calls;
      expected.byte_turns += added_byte_turns;
    }
    EXPECT_EQ(after.variants[i].price, expected) << scenario.variants[i].name.view();
    EXPECT_EQ(after.variants[i].survived, before.variants[i].survived);
  }
  // Each of the four runs has a node and an executable. Each retain adds a call before and after.
  EXPECT_EQ(added_calls, 4u * 2 * 2);
  EXPECT_GT(added_byte_turns, 0u);
}

TEST(GraphArgumentPrice, OneMoreRetainChangesOneLineOfTheSummary) {
  const std::vector<std::string> before = lines_of(priced(scenario));
  const std::vector<std::string> after = lines_of(priced(planted()));
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(before[i] != after[i], before[i].starts_with("retain_per_node")) << after[i];
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
