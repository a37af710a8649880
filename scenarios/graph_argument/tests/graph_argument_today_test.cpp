// SPDX-License-Identifier: Apache-2.0
// The current cuda.core, and the order in which it releases objects of user objects. The program
// pending_queue_full covers when it retries the pending call.
#include <gtest/gtest.h>

#include "scenarios/graph_argument/tests/graph_argument_broken.h"
#include "targets/graph_argument/move_to_graph.h"

namespace scenarios::graph_argument::testing {
namespace {

using targets::graph_argument::MoveToGraph;
using targets::graph_argument::ResourceKind;

// Arguments on tapes for variables.
constexpr std::uint32_t kBuffer = 1, kOther = 2, kDefinition = 10, kNowhere = 21;

/// Freed memory, in order.
std::vector<std::uint64_t> ended;

struct TellsTheOrder : MoveToGraph {
  using MoveToGraph::MoveToGraph;
  void release(Garbage garbage) override {
    if (garbage.kind == ResourceKind::memory) ended.push_back(garbage.handle);
    MoveToGraph::release(std::move(garbage));
  }
};

/// Drops a graph of two nodes, each of which has the last reference to a buffer.
Program two_owners() {
  Program program = Program().script(Op::add_kernel, {kNowhere, 0, 0, 0, kBuffer, kBuffer});
  program.script(Op::add_kernel, {kNowhere, 0, 0, 0, kOther, kOther});
  program.script(Op::drop, {kBuffer}).script(Op::drop, {kOther});
  return program.script(Op::drop, {kDefinition});
}

TEST(GraphArgumentToday, ReleasesInReverseOrder) {
  ended.clear();
  EXPECT_EQ(outcome_of<TellsTheOrder>(two_owners()).faults, std::vector<harness::Fault>());
  ASSERT_GE(ended.size(), 2u);
  EXPECT_GT(ended[0], ended[1]) << "the first buffer was allocated below the other";
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
