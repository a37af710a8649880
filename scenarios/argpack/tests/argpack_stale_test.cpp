// SPDX-License-Identifier: Apache-2.0
// Wrappers from before a reset: Taichi binds, writes and reads their objects like any others, and
// `own` refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/core/fault/kinds.h"
#include "harness/core/intervention/intervention.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/argpack/enabled_ops.h"
#include "scenarios/argpack/tests/argpack_broken.h"
#include "scenarios/argpack/windows.h"

namespace scenarios::argpack::testing {
namespace {

using harness::FaultKind;
using harness::Outcome;
using targets::argpack::Own;
using targets::argpack::Status;

// ---- programs -----------------------------------------------------------------------------------

/// Arguments on a tape for variable 0 (a pack) and variable 5 (an array), if they are from before a
/// reset.
constexpr const char* kStalePack = "14";
constexpr const char* kStaleArray = "19";

/// Makes a pack and an array, resets, makes others, and continues with `rest`.
std::string program(std::string_view variant, const std::string& rest) {
  return "afterlife reproducer 1\npath argpack\nvariant " + std::string(variant) +
         "\nconfig backend=cuda_pool gil=on collector=eval_breaker\ndevice sim\n"
         "tasks script mutator\nscript:0 op new_argpack\nscript:1 op new_ndarray\n"
         "script:1 argument 6\nscript:2 op reset\nscript:3 op new_argpack\n"
         "script:4 op new_ndarray\nscript:4 argument 7\n" +
         rest + "end\n";
}

Outcome replay(harness::Runner& runner, std::string_view variant, const std::string& rest) {
  return runner.run(harness::parse_reproducer(program(variant, rest), "test").the_case);
}

/// An op in the program's sixth slot with a stale wrapper, and the use site of the fault.
struct Use {
  std::string rest;
  const char* use_site;
};

std::string op_with(const std::string& op, const std::string& stale) {
  return "script:5 op " + op + "\nscript:5 argument " + stale + "\n";
}

std::vector<Use> uses() {
  const std::string bind = "script:5 op make_context\nscript:6 op set_arg_";
  return {{op_with("call", kStalePack), "launch_kernel/nested_pack"},
          {op_with("set_scalar", kStalePack), "ArgPack::write"},
          {op_with("replace_nested", kStalePack), "ArgPack::write"},
          {op_with("fill", kStaleArray), "fill"},
          {op_with("to_numpy", kStaleArray), "to_numpy"},
          {bind + "ndarray\nscript:6 argument[1] 19\n", "set_arg_ndarray"},
          {bind + "ndarray_with_grad\nscript:6 argument[1] 19\n", "set_arg_ndarray_with_grad"}};
}

TEST(ArgpackStale, AWrapperFromBeforeAResetUsesADeadObject) {
  harness::Runner runner;
  for (const Use& use : uses()) {
    const Outcome outcome = replay(runner, "borrow", use.rest);
    ASSERT_EQ(outcome.faults.size(), 1u) << use.rest;
    EXPECT_EQ(outcome.faults[0].kind, FaultKind::use_after_free);
    EXPECT_EQ(outcome.faults[0].death_site.view(), "reset");
    EXPECT_EQ(outcome.faults[0].use_site.view(), use.use_site);
    EXPECT_EQ(outcome.windows[0], harness::raw(Window::stale_wrapper)) << use.use_site;
  }
}

TEST(ArgpackStale, OwnRefusesEachSuchUseWithStaleObject) {
  harness::Runner runner;
  for (const Use& use : uses()) {
    const Outcome outcome = replay(runner, "own", use.rest);
    EXPECT_EQ(first_signature(outcome), "") << use.rest;
    const auto& events = runner.history().events();
    const auto last = std::find_if(events.rbegin(), events.rend(), [](const harness::Event& event) {
      return event.kind == harness::EventKind::op && event.task == 0;
    });
    ASSERT_NE(last, events.rend());
    EXPECT_EQ(last->value, harness::raw(Status::stale_object)) << use.rest;
  }
}

TEST(ArgpackStale, APackAtTheAddressOfAStaleOneIsReadInItsPlace) {
  harness::Runner runner;
  const std::string rest =
      op_with("call", kStalePack) + "start order 1\nscript:3 reuse[14] ArgPack:9 of script:0\n";
  const Outcome outcome = replay(runner, "borrow", rest);
  ASSERT_EQ(outcome.faults.size(), 2u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::recycled_use);
  EXPECT_EQ(outcome.faults[0].use_site.view(), "launch_kernel/pack");
  for (std::size_t i = 0; i < outcome.faults.size(); ++i)
    EXPECT_EQ(outcome.windows[i], harness::raw(Window::stale_wrapper));
}

// Allocation numbers restart in the next program's table, so that another array has the same one.
TEST(ArgpackStale, AKeptArrayIsUsedDespiteAReusedNumber) {
  harness::Runner runner;
  const std::string rest = op_with("fill", kStaleArray);
  harness::Intervention kept({.object = "Ndarray", .let_go = "reset"});
  const harness::Intervention::Current current(kept);
  EXPECT_EQ(first_signature(replay(runner, "borrow", rest)), "");
  EXPECT_GT(kept.served_count(), 1u) << "by its wrapper, and by its number";
}

// ---- a policy that lets them pass ---------------------------------------------------------------

struct UsesWhatIsStale : Own {
  using Own::Own;
  Status admit_stale() override { return Status::ok; }
};
TEST(ArgpackStale, APolicyThatBindsAStaleObjectIsRefuted) {
  EXPECT_EQ(
      find<make<UsesWhatIsStale>>(FaultKind::use_after_free, "set_arg_argpack").death_site.view(),
      "reset");
}

// ---- offered ops --------------------------------------------------------------------------------

TEST(ArgpackStale, StaleUsesAreOfferedOnlyIfAFreshUseIsPossible) {
  Situation now;
  now.census = {.packs = 3, .deep = 3, .arrays = 32, .stale = 3 | 32};
  const Ops uses = ops(Op::call, Op::set_scalar, Op::replace_nested, Op::fill, Op::make_context);
  EXPECT_EQ(applicable(now) & uses, 0u);
  now.census.stale = 1;
  EXPECT_EQ(applicable(now) & uses, uses);
}

TEST(ArgpackStale, OnlyStaleAndGeneralThemesUseStaleObjects) {
  Situation now;
  now.census = {.packs = 3, .stale = 1};
  EXPECT_EQ(now.stale(now.census.packs), 1u);
  now.uses_stale = false;
  EXPECT_EQ(now.stale(now.census.packs), 0u);
  EXPECT_EQ(now.usable(now.census.packs), 2u);
  std::size_t count = 0;
  for (const Theme& theme : themes()) count += theme.uses_stale;
  EXPECT_TRUE(themes()[0].uses_stale);
  EXPECT_EQ(count, 2u);
}

}  // namespace
}  // namespace scenarios::argpack::testing
