// SPDX-License-Identifier: Apache-2.0
// Repairs of uses of graphs that were destroyed with their nodes.
#include "harness/search/triage/triage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Repair;
using harness::RepairKind;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kConfig = "default_stream=legacy collector=eval_breaker";

// The judge of handles does not report a graph that a repair keeps: it is not another graph.
TEST(GraphArgumentTriage, OneRepairKeepsGraphsForEveryEmbeddingGraph) {
  const Program child = Program()
                            .script(Op::create_definition, {11})
                            .script(Op::add_child)
                            .script(Op::get_child)
                            .script(Op::destroy_node)
                            .script(Op::instantiate, {0, 12});
  const Program branch = Program()
                             .script(Op::add_conditional)
                             .script(Op::destroy_node)
                             .script(Op::get_branch)
                             .script(Op::add_kernel, {0, 12});
  std::vector<harness::Suspect> suspects;
  for (const Program& program : {child, branch})
    suspects.push_back({make_case("borrow", kConfig, program), ""});
  harness::Runner runner;
  const harness::Triage found = harness::triage(runner, suspects);
  EXPECT_THAT(found.unexplained, IsEmpty());
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair,
            (Repair{RepairKind::hold, "embedded graph", {}, "GraphNode.destroy", {}}));
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
