// SPDX-License-Identifier: Apache-2.0
// Branches and memory of graphs: the work that runs, its results, and the reference model's
// expectations.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Label;
using harness::Outcome;
using targets::graph_argument::Condition;
using targets::graph_argument::Status;

/// Argument on a tape for the node's variable in which the op of slot 0 stores.
constexpr std::uint32_t kFirstNode = 12 + 1;
constexpr const char* kConfig = "default_stream=legacy collector=eval_breaker";

/// Argument on a tape for the definition's variable in which get_branch, in slot 1, stores.
constexpr std::uint32_t kBranchValue = kFirstDefinition + 1 + 1;

/// Launches a kernel in branch `used` of a node that runs branch `chosen`, and reads back.
Program in_branch(Condition condition, std::uint32_t chosen, std::uint32_t used) {
  return Program()
      .script(Op::add_conditional, {0, 0, harness::raw(condition), chosen})
      .script(Op::get_branch, {0, 0, used})
      .script(Op::add_kernel, {0, kBranchValue})
      .script(Op::instantiate)
      .script(Op::launch)
      .script(Op::synchronize);
}

struct Branches {
  Condition condition;
  std::uint32_t count;
};
constexpr Branches kBranches[] = {{Condition::if_then, 1},
                                  {Condition::if_else, 2},
                                  {Condition::while_loop, 1},
                                  {Condition::switch_case, 2}};

bool ran(const harness::Runner& runner, Label kernel) {
  const auto& events = runner.history().events();
  return std::any_of(events.begin(), events.end(), [&](const harness::Event& event) {
    return event.kind == harness::EventKind::start && event.what == kernel;
  });
}

TEST(GraphArgumentBranches, TheChosenBranchRunsWithTheExpectedResult) {
  harness::Runner runner;
  for (const Branches& node : kBranches)
    for (std::uint32_t chosen = 0; chosen < 2; ++chosen)
      for (std::uint32_t used = 0; used < node.count; ++used) {
        const Outcome& outcome = runner.run(
            make_case("retain_per_node", kConfig, in_branch(node.condition, chosen, used)));
        EXPECT_FALSE(outcome.failed());
        EXPECT_TRUE(outcome.caller_errors.empty());
        EXPECT_EQ(ran(runner, "add_one"), chosen == used)
            << int(harness::raw(node.condition)) << " " << chosen << " " << used;
      }
}

TEST(GraphArgumentBranches, ALoopTerminates) {
  harness::Runner runner;
  runner.run(make_case("retain_per_node", kConfig, in_branch(Condition::while_loop, 0, 0)));
  EXPECT_TRUE(ran(runner, "leave"));
}

// A policy's attachments reach the branch's graph exactly if they reach any other graph.
TEST(GraphArgumentBranches, KeepTheArgumentsOfTheirNodes) {
  harness::Runner runner;
  const Program program = Program()
                              .script(Op::add_conditional)
                              .script(Op::get_branch)
                              .script(Op::add_kernel, {0, kBranchValue})
                              .script(Op::instantiate)
                              .script(Op::destroy_node)
                              .script(Op::drop)  // Drops the buffer.
                              .script(Op::launch);
  for (const auto& [variant, keeps] :
       {std::pair{"borrow", false}, std::pair{"user_object_tuple", true},
        std::pair{"slot_table", true}, std::pair{"retain_per_node", true}}) {
    const Outcome& outcome = runner.run(make_case(variant, kConfig, program));
    const bool used_dead =
        std::any_of(outcome.faults.begin(), outcome.faults.end(),
                    [](const harness::Fault& fault) { return fault.use_site == Label("add_one"); });
    EXPECT_NE(used_dead, keeps) << variant;
  }
}

TEST(GraphArgumentMemory, BelongsToTheNodesFromAllocationToFree) {
  harness::Runner runner;
  const Program program = Program()
                              .script(Op::add_alloc)
                              .script(Op::add_scratch, {0, kFirstNode})
                              .script(Op::add_free, {0, kFirstNode + 1})
                              .script(Op::instantiate)
                              .script(Op::launch)
                              .script(Op::launch)
                              .script(Op::synchronize);
  const Outcome& outcome = runner.run(make_case("retain_per_node", kConfig, program));
  EXPECT_FALSE(outcome.failed());
  EXPECT_TRUE(outcome.caller_errors.empty());
  EXPECT_TRUE(ran(runner, "scratch"));
}

// An injected error may leave a loop without the kernel that ends it.
TEST(GraphArgumentBranches, AnEndlessLoopIsNotInstantiated) {
  constexpr std::uint16_t kCalls = 8;
  const Program program =
      Program()
          .script(Op::add_conditional, {0, 0, harness::raw(Condition::while_loop), 0})
          .script(Op::instantiate)
          .script(Op::launch);
  harness::Runner runner;
  std::uint32_t refused = 0;
  for (std::uint16_t call = 0; call < kCalls; ++call) {
    harness::Case the_case = make_case("retain_per_node", kConfig, program);
    the_case.tape.push_back(
        {harness::slot_name(0, 0), harness::site_tag(harness::Site::failure), call, 1});
    EXPECT_FALSE(runner.run(the_case).failed()) << call;
    for (const harness::Event& event : runner.history().events())
      refused += event.kind == harness::EventKind::op && event.what == Label("instantiate") &&
                 event.value == harness::raw(Status::type_error);
  }
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
