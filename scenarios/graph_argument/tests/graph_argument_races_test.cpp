// SPDX-License-Identifier: Apache-2.0
// Two tasks that use the same object: correct behaviour that looks wrong to a judge that receives a
// fact too early or too late, or that mistakes a caller error for a fault of cuda.core.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using targets::graph_argument::Status;
using ::testing::IsEmpty;

/// Runs choices, all of which must be used, and expects no fault. Returns the caller
/// errors.
std::vector<Fault> caller_errors(std::string_view default_stream, std::string_view collector,
                                 std::string_view decisions,
                                 std::string_view variant = "retain_per_node") {
  const harness::Case the_case = recorded_case(variant, default_stream, decisions, collector);
  harness::Runner runner;
  const harness::Outcome& outcome = runner.run(the_case);
  for (const Fault& fault : outcome.faults)
    ADD_FAILURE() << fault.signature() << ": " << fault.detail;
  EXPECT_THAT(runner.never_asked(the_case), IsEmpty());
  return outcome.caller_errors;
}

bool has(const std::vector<Fault>& faults, FaultKind kind) {
  return std::ranges::any_of(faults, [&](const Fault& fault) { return fault.kind == kind; });
}

// The closed buffer's memory is reused, and freed again, before the node has the address.
TEST(GraphArgumentRaces, ClosingAnArgumentWhileItIsPassedIsACallerError) {
  const std::vector<Fault> errors = caller_errors("legacy", "eval_breaker",
                                                  "script:0 op add_kernel\n"
                                                  "script:0 schedule[8] mutator:1 of start\n"
                                                  "mutator:0 op close_buffer\n"
                                                  "mutator:1 op allocate\n"
                                                  "mutator:1 reuse \"device memory\":2 of start\n"
                                                  "mutator:2 op drop\n"
                                                  "script:1 op instantiate\n"
                                                  "script:2 op drop\n"
                                                  "script:3 op drop\n"
                                                  "script:4 op launch\n");
  EXPECT_TRUE(has(errors, FaultKind::recycled_use)) << "or nothing was closed";
  EXPECT_TRUE(has(errors, FaultKind::use_after_free)) << "or the node uses something else";
}

// The new owner of the memory frees it without ordering after the launch, which it does not know.
TEST(GraphArgumentRaces, FreeingReusedMemoryOfAClosedArgumentIsACallerError) {
  const std::vector<Fault> errors = caller_errors("legacy", "allocation",
                                                  "script:0 op add_kernel\n"
                                                  "script:0 schedule[9] mutator:1 of start\n"
                                                  "mutator:0 op close_buffer\n"
                                                  "mutator:3 op allocate\n"
                                                  "mutator:3 reuse \"device memory\":2 of start\n"
                                                  "script:1 op instantiate\n"
                                                  "script:2 op launch\n"
                                                  "script:2 argument[1] 1\n"
                                                  "script:3 op drop\n"
                                                  "script:4 op drop\n");
  EXPECT_TRUE(has(errors, FaultKind::recycled_use)) << "or nothing was closed";
  EXPECT_TRUE(has(errors, FaultKind::data_race)) << "or the memory is freed after the launch";
}

// The first task is interrupted by the end of the attribute's former value.
TEST(GraphArgumentRaces, TheLastOfTwoTasksToSetAnAttributeCounts) {
  caller_errors("per_thread", "allocation",
                "script:0 op instantiate\n"
                "script:1 op set_attribute\n"
                "script:6 op create_definition\n"
                "script:14 op set_attribute\n"
                "script:14 schedule[4] mutator:1 of start\n"
                "mutator:0 op create_definition\n"
                "mutator:1 op set_attribute\n");
}

// The handle now belongs to a graph inside an embedded one, which only CUDA knows.
TEST(GraphArgumentRaces, AnUpdateByAHandleInANestedGraphMayFail) {
  caller_errors("legacy", "eval_breaker",
                "script:0 op clone\n"
                "script:0 argument 11\n"
                "script:1 op add_child\n"
                "script:2 op instantiate\n"
                "script:2 argument[1] 11\n"
                "script:3 op create_definition\n"
                "script:3 argument 12\n"
                "script:4 op get_child\n"
                "script:5 op destroy_node\n"
                "script:6 op add_child\n"
                "script:6 argument[2] 12\n"
                "script:7 op add_child\n"
                "script:7 argument[1] 12\n"
                "script:7 reuse[1] \"embedded graph\":0 of script:1\n"
                "script:8 op update\n"
                "script:8 argument[1] 11\n",
                "keep_on_definition");
}

// Another thread instantiates between the condition and the call for its node, which then fails.
TEST(GraphArgumentRaces, AConditionWithoutANodeMayBeRefused) {
  harness::Runner runner;
  int refused = 0;
  for (int turns = 4; turns < 9; ++turns) {
    const harness::Outcome& outcome = runner.run(recorded_case(
        "retain_per_node", "legacy",
        fmt::format("script:0 op add_kernel\n"
                    "script:0 schedule[1] mutator:1 of start\n"
                    "mutator:0 op drop\n"
                    "mutator:1 op add_conditional\n"
                    "mutator:1 failure[2] 1\n"
                    "mutator:1 schedule[{}] script:4 of start\n"
                    "script:4 op load_module\n"
                    "script:7 op instantiate\n"
                    "script:7 schedule[3] mutator:1 of start\n"
                    "mutator:1 schedule[9] \"user object destructors\":1 of mutator:1\n",
                    turns),
        "allocation"));
    EXPECT_EQ(outcome.faults, std::vector<Fault>()) << turns;
    refused += answer_of(runner, "instantiate") == Status::driver_error ? 1 : 0;
  }
  EXPECT_GT(refused, 0) << "or it was never without its node";
}

// The handle of a capture's graph is reported only when the capture has ended.
TEST(GraphArgumentRaces, AReusedHandleBelongsToAnotherGraph) {
  harness::Runner runner;
  const harness::Outcome& outcome =
      runner.run(recorded_case("borrow", "per_thread",
                               "script:0 op add_kernel\n"
                               "script:0 schedule[1] mutator:1 of start\n"
                               "mutator:0 op add_conditional\n"
                               "mutator:1 op destroy_node\n"
                               "mutator:1 schedule script:4 of start\n"
                               "script:1 op get_branch\n"
                               "script:1 argument 10\n"
                               "script:2 op add_kernel\n"
                               "script:2 argument[3] 3\n"
                               "script:2 schedule[12] mutator:1 of start\n"
                               "script:3 op begin_building\n"
                               "script:3 reuse \"embedded graph\":0 of mutator:0\n"
                               "script:16 op close_graph\n",
                               "allocation"));
  ASSERT_FALSE(outcome.faults.empty());
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::recycled_use);
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::handle_reused));
}

// CUDA has the launch already, but the call has not reported it yet.
TEST(GraphArgumentRaces, AnUnorderedReadAndWriteIsACallerError) {
  const std::vector<Fault> errors =
      caller_errors("legacy", "eval_breaker",
                    "script:0 op add_kernel\n"
                    "script:0 argument[3] 2\n"
                    "script:1 op instantiate\n"
                    "script:2 op launch\n"
                    "script:3 op set_params\n"
                    "script:3 argument[1] 2\n"
                    "script:4 op launch\n"
                    "script:4 schedule mutator:1 of start\n"
                    "mutator:0 op flood\n"
                    "mutator:1 op make_cycle\n"
                    "nap:0 of mutator:1 argument 1\n"
                    "mutator:1 schedule[11] script:4 of start\n"
                    "mutator:2 op update\n"
                    "mutator:1 of start schedule[4] script:4 of start\n"
                    "script:4 schedule[39] mutator:1 of start\n"
                    "script:4 schedule[68] mutator:1 of start\n"
                    "mutator:1 of start schedule[7] script:4 of start\n");
  EXPECT_TRUE(has(errors, FaultKind::data_race)) << "or something orders them";
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
