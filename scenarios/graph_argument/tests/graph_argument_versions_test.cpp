// SPDX-License-Identifier: Apache-2.0
// The calls of each version of cuda.core, and its builders: borrow is 0.7.0, and move_to_graph is
// 1.2.2.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "scenarios/graph_argument/enabled_ops.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "scenarios/graph_argument/variants.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Ops;
using harness::ops;

constexpr std::string_view kConfig = "default_stream=legacy collector=eval_breaker";

/// Returns the ops that the variant does not offer in any situation.
Ops missing(std::string_view variant) {
  const Situation all{.census = {.buffers = ~0u,
                                 .modules = ~0u,
                                 .events = ~0u,
                                 .definitions = ~0u,
                                 .nodes = ~0u,
                                 .kernel_nodes = ~0u,
                                 .child_nodes = ~0u,
                                 .conditional_nodes = ~0u,
                                 .allocation_nodes = ~0u,
                                 .builders = ~0u,
                                 .capturing = 1,
                                 .graphs = ~0u},
                      .added = true,
                      .launched = true,
                      .api = api_of(variant_named(variant))};
  return ((Ops{1} << kOps.size()) - 1) & ~applicable(all);
}

TEST(GraphArgumentVersions, HaveTheirDocumentedCalls) {
  EXPECT_EQ(missing("borrow"),
            ops(Op::set_params, Op::update_node, Op::clone, Op::set_deallocation_stream));
  EXPECT_EQ(missing("move_to_graph"), ops(Op::clone));
  EXPECT_EQ(missing("retain_per_node"), Ops{0});
}

harness::Outcome outcome_of(std::string_view variant, const Program& program) {
  harness::Runner runner;
  return runner.run(make_case(variant, kConfig, program));
}

TEST(GraphArgumentVersions, BuffersOfCopiesAreKeptByTheCallerIn070) {
  for (const Op op : {Op::add_memset, Op::add_memcpy}) {
    Program program = Program().script(op).script(Op::drop).script(Op::instantiate);
    program.script(Op::launch);
    const harness::Outcome outcome = outcome_of("borrow", program);
    EXPECT_EQ(outcome.faults, std::vector<harness::Fault>());
    ASSERT_FALSE(outcome.caller_errors.empty());
    EXPECT_NE(outcome.contract >> harness::raw(Window::bare_address_dropped) & 1, 0u);
    EXPECT_FALSE(outcome_of("user_object_tuple", program).faults.empty());
  }
}

/// A kernel's arguments are buffers in every version; the set has a bare number.
TEST(GraphArgumentVersions, ArgumentsOfKernelsAreNotKeptByTheCallerIn070) {
  Program program = Program().script(Op::add_kernel).script(Op::add_memset, {0, 10, 2});
  program.script(Op::drop).script(Op::instantiate).script(Op::launch);
  const harness::Outcome outcome = outcome_of("borrow", program);
  ASSERT_FALSE(outcome.windows.empty());
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::argument_dropped));
}

bool loses_graph(std::string_view variant) {
  constexpr std::uint32_t kBuilder = 16;  // Its argument on tapes.
  Program program = Program().script(Op::begin_building).script(Op::launch_captured);
  program.script(Op::drop, {kBuilder});
  for (const harness::Fault& fault : outcome_of(variant, program).faults)
    if (fault.kind == harness::FaultKind::retention && fault.object_kind == harness::Label("graph"))
      return true;
  return false;
}

TEST(GraphArgumentVersions, ADroppedBuilderOf070LosesItsCapture) {
  EXPECT_TRUE(loses_graph("borrow"));
  EXPECT_FALSE(loses_graph("move_to_graph"));
  EXPECT_FALSE(loses_graph("retain_per_node"));
}

// A judge checks that each capture is ended once; end_building() ends no invalidated one.
TEST(GraphArgumentVersions, AnInvalidCaptureEndsWithItsBuilder) {
  Program program = Program().script(Op::begin_building).script(Op::synchronize_device);
  program.script(Op::end_building).script(Op::end_building).script(Op::launch_captured);
  for (const char* variant : {"borrow", "retain_per_node"})
    EXPECT_EQ(outcome_of(variant, program).faults, std::vector<harness::Fault>()) << variant;
  const harness::Outcome today = outcome_of("move_to_graph", program);
  ASSERT_FALSE(today.windows.empty());
  EXPECT_EQ(today.windows[0], harness::raw(Window::capture_invalidated));
}

// It is ended by neither call, but by the builder's own end.
TEST(GraphArgumentVersions, EndBuildingQueriesTheCaptureBeforeEndingIt) {
  Program program = Program().script(Op::begin_building).script(Op::synchronize_device);
  program.script(Op::end_building).script(Op::end_building);
  harness::Runner runner;
  runner.run(make_case("borrow", kConfig, program));
  const auto& events = runner.history().events();
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const harness::Event& event) {
                            return event.kind == harness::EventKind::call &&
                                   event.what == harness::Label("cuStreamEndCapture");
                          }),
            1);
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
