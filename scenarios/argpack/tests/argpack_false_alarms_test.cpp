// SPDX-License-Identifier: Apache-2.0
// Correct runs that look wrong to a judge with incomplete knowledge. Each was found in a search of
// ten million runs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/run.h"
#include "harness/search/reproducer/reproducer.h"

namespace scenarios::argpack::testing {
namespace {

harness::Case recorded_case(std::string_view config, std::string_view decisions) {
  const std::string text = fmt::format(
      "afterlife reproducer 1\npath argpack\nvariant own\nconfig {}\ndevice sim\n"
      "tasks script mutator\n{}end\n",
      config, decisions);
  return harness::parse_reproducer(text, "a test's").the_case;
}

/// Runs the sound variant with choices in the format of a reproducer, all of which must be used.
void expect_nothing(std::string_view config, std::string_view decisions) {
  harness::Runner runner;
  const harness::Case the_case = recorded_case(config, decisions);
  const harness::Outcome& outcome = runner.run(the_case);
  for (const harness::Fault& fault : outcome.faults) ADD_FAILURE() << fault.signature();
  EXPECT_FALSE(outcome.vacuous);
  EXPECT_THAT(runner.never_asked(the_case), ::testing::IsEmpty());
}

// A finalizer replaces a member from before the reset, and is delayed.
TEST(ArgpackFalseAlarms, AMemberReplacedWithoutAGilIsTheOldOneUntilThen) {
  expect_nothing("backend=cpu gil=off collector=allocation", R"(script:0 op new_external
script:1 op new_argpack
script:1 argument 5
script:2 op plant
script:2 argument 6
script:12 op call_with_all
script:12 argument 5
new_argpack:0 of script:12 lag 1
mutator:0 op plant
mutator:0 argument 2
mutator:0 argument[1] 9
mutator:1 op plant
mutator:2 op plant
mutator:2 collect 1
new_argpack:0 of script:12 lag[2] 1
new_argpack:0 of script:12 schedule[38] mutator
finalize:0 of trap:0 of mutator:0 schedule script:1 of start
new_argpack:0 of script:12 lag[4] 1
new_ndarray:1 of script:12 schedule[10] mutator
call:3 of script:12 schedule[5] "legacy stream":0 of start
call:3 of script:12 schedule[20] mutator
finalize:0 of trap:0 of mutator:1 schedule[20] script:1 of start
script:14 op call
)");
}

// The child fits the parent that the variable refers to by then, but not the one that was loaded.
TEST(ArgpackFalseAlarms, AParentDroppedAfterItsLoadKeepsItsDepth) {
  expect_nothing("backend=cpu gil=on collector=eval_breaker", R"(script:0 op new_argpack
script:1 op call_often
script:2 op drop
script:2 schedule mutator
mutator:0 op get_nested
mutator:1 op set_nested
mutator:1 schedule[2] script:1 of start
script:3 op new_argpack
)");
}

// The device was idle when the call began, but then a finalizer made a pack.
TEST(ArgpackFalseAlarms, ALaunchWithFinalizersThatQueueWorkFindsADeviceBusy) {
  expect_nothing("backend=cuda_cache gil=on collector=eval_breaker", R"(script:0 op new_argpack
script:1 op new_argpack
script:2 op call_often
call:0 of script:2 schedule[3] mutator
mutator:2 op get_nested
mutator:5 op plant
call:1 of script:2 collect[1] 1
finalize:0 of trap:0 of mutator:5 lag[1] 1
)");
}

// The mutator is filling the only context, to which the script would bind another pack: none is
// left to choose.
TEST(ArgpackFalseAlarms, AContextIsFilledByOneTaskAtATime) {
  const harness::Case the_case =
      recorded_case("backend=cpu gil=off collector=eval_breaker", R"(start order 1
script:0 op new_argpack
script:0 argument 5
script:0 argument[1] 3
script:1 op get_nested
script:2 op call
script:2 argument[3] 1
script:3 op replace_nested
finalize:0 of "ArgPack wrapper":0 of script:3 schedule[1] mutator
mutator:0 op make_context
mutator:0 argument[1] 1
set_arg_argpack:3 of mutator:0 schedule[13] script:1 of start
script:4 op set_arg_argpack
script:4 argument[1] 5
mutator:1 op launch
)");
  harness::Runner runner;
  const harness::Outcome& outcome = runner.run(the_case);
  for (const harness::Fault& fault : outcome.faults) ADD_FAILURE() << fault.signature();
  EXPECT_EQ(runner.never_asked(the_case).size(), 1u) << "which pack";
}

}  // namespace
}  // namespace scenarios::argpack::testing
