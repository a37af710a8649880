// Which window a death is in: by who had the thing, and by who had lost it before.
#include <gtest/gtest.h>

#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument::testing {
namespace {

// Variables, as tapes call them.
constexpr std::uint32_t kBuffer = 1, kOther = 2, kDefinition = 10, kClone = 11, kNode = 13;

int window_of_first(std::string_view variant, const Program& program) {
  harness::Runner runner;
  const harness::Outcome& outcome =
      runner.run(make_case(variant, "default_stream=legacy collector=eval_breaker", program));
  return outcome.windows.empty() ? -1 : outcome.windows[0];
}

// The definition goes too, but had not kept it for a while.
TEST(GraphArgumentWindows, WhatAChangedNodeHadIsLostByTheChangeWhateverGoesThen) {
  Program program = Program().script(Op::add_kernel).script(Op::instantiate);
  program.script(Op::set_params, {0, kOther, kOther}).script(Op::drop, {kDefinition});
  program.script(Op::drop, {kNode}).script(Op::drop, {kBuffer}).script(Op::launch);
  EXPECT_EQ(window_of_first("slot_table", program), harness::raw(Window::r6));
}

TEST(GraphArgumentWindows, WhatADestroyedNodeHadIsLostToItsClonesByThat) {
  Program program = Program().script(Op::add_kernel).script(Op::clone, {kClone});
  program.script(Op::destroy_node).script(Op::drop, {kBuffer});
  program.script(Op::instantiate, {0, kClone}).script(Op::launch);
  EXPECT_EQ(window_of_first("slot_table", program), harness::raw(Window::r6));
}

// The node has its new parameters, and the call failed: its argument is not attached.
TEST(GraphArgumentWindows, WhatCouldNotBeAttachedToAChangedNodeIsLostByThat) {
  Program program = Program().script(Op::add_kernel).script(Op::instantiate);
  program.script(Op::set_params, {0, kOther, kOther}).script(Op::update);
  program.script(Op::drop, {kOther}).script(Op::launch);
  harness::Case the_case =
      make_case("user_object_tuple", "default_stream=legacy collector=eval_breaker", program);
  constexpr std::uint16_t kAttach = 2;  // After what the kernel's library is attached by.
  the_case.tape.push_back(
      {harness::slot_name(0, 2), harness::site_tag(harness::Site::failure), kAttach, 1});
  harness::Runner runner;
  const harness::Outcome& outcome = runner.run(the_case);
  ASSERT_FALSE(outcome.windows.empty());
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::r16));
}

// Another node's bare address of it makes it nobody's mistake but the policy's.
TEST(GraphArgumentWindows, WhoHasItByItsBufferTellsMoreThanABareAddress) {
  constexpr std::uint32_t kChase = 4;
  Program program = Program().script(Op::clone, {kClone}).script(Op::add_memset, {0, kClone});
  program.script(Op::add_kernel, {0, kDefinition, 0, kChase}).script(Op::drop, {kBuffer});
  program.script(Op::instantiate, {0, kClone}).script(Op::launch);
  EXPECT_EQ(window_of_first("user_object_tuple", program), harness::raw(Window::r2));
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
