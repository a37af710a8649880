// SPDX-License-Identifier: Apache-2.0
// The judge of boundedness reports a policy (`own` with a single bug) that keeps unusable objects,
// but not if it is unknown whether they are usable.
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/argpack/tests/argpack_broken.h"

namespace scenarios::argpack::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using targets::argpack::ArrayArgument;
using targets::argpack::Backend;
using targets::argpack::Disposal;
using targets::argpack::LaunchContext;
using targets::argpack::Ndarray;
using targets::argpack::Own;
using targets::argpack::Program;
using targets::argpack::Status;

struct FreesAtTheEnd : Own {
  using Own::Own;
  std::uint32_t launches = 0;
  Status before_launch(Program&, LaunchContext& context) override {
    context.array.resolved = context.gradient.resolved = false;
    return Status::ok;
  }
  void synchronized(Program&) override {}
};
TEST(ArgpackBounds, APolicyThatNeverReleasesIsCaughtByTheNextSynchronize) {
  const Fault fault = find<make<FreesAtTheEnd>>(FaultKind::retention, "bound/synchronize");
  EXPECT_FALSE(fault.object_kind.empty());
}

struct GrowsItsQueue : Own {
  using Own::Own;
  Status before_launch(Program&, LaunchContext& context) override {
    context.array.resolved = context.gradient.resolved = false;
    return Status::ok;
  }
};
TEST(ArgpackBounds, AGrowingQueueOfDeferredFreesIsCaughtByLaunches) {
  find<make<GrowsItsQueue>>(FaultKind::retention, "bound/launches");
}
TEST(ArgpackBounds, ADeferredFreeMissingOnAnIdleDeviceIsCaught) {
  find<make<GrowsItsQueue>>(FaultKind::retention, "bound/idle");
}

/// Without a GIL two ops set the member of one pack at the same time, and the one whose fact comes
/// first is the one that stays.
constexpr const char* kTwoSetOneMember = R"(afterlife reproducer 1
path argpack
variant own
config backend=cuda_pool gil=off collector=eval_breaker
device sim
tasks script mutator
script:0 op new_argpack
script:1 op plant
script:12 op call_with_all
script:12 argument[4] 1
new_ndarray:1 of script:12 collect[2] 1
finalize:0 of trap:0 of script:1 schedule[5] mutator
mutator:0 op replace_nested
finalize:0 of "ArgPack wrapper":0 of finalize:0 of trap:0 of script:1 schedule mutator
mutator:0 schedule[18] script:1 of start
finalize:0 of trap:0 of script:1 schedule[20] mutator
end
)";
TEST(ArgpackBounds, AMemberSetByTwoTasksIsNotALeak) {
  const harness::Case held =
      harness::parse_reproducer(kTwoSetOneMember, "two_set_one_member").the_case;
  harness::Runner runner;
  EXPECT_EQ(first_signature(runner.run(held)), "");
  EXPECT_TRUE(runner.never_asked(held).empty());
}

struct DropsRequests : Own {
  using Own::dispose;
  using Own::Own;
  Disposal dispose(Ndarray& array, bool stale) override {
    return array.holders().any() ? Disposal::ignore : Own::dispose(array, stale);
  }
};
TEST(ArgpackBounds, ADroppedFreeRequestIsALeak) { find<make<DropsRequests>>(FaultKind::retention); }

struct LeaksKernels : Own {
  using Own::Own;
  harness::Owned<targets::argpack::Kernel> kept;
  void reset() override {
    Own::reset();
    kept = core_.runtime.host.make<targets::argpack::Kernel>("Kernel", 1);
  }
};
TEST(ArgpackBounds, ASecondKernelOfAProgramIsALeak) {
  EXPECT_EQ(find<make<LeaksKernels>>(FaultKind::retention).detail,
            "2 alive, where the Program owns one");
}

// ---- again ----

/// The CPU launcher treats a resolved pointer as an address, even in a launch that is retried after
/// a failure.
struct ResolvesOnce : Own {
  using Own::Own;
  Status before_launch(Program& program, LaunchContext& context) override {
    const bool array = context.array.resolved;
    const bool gradient = context.gradient.resolved;
    const Status status = Own::before_launch(program, context);
    context.array.resolved = array;
    context.gradient.resolved = gradient;
    return status;
  }
};
TEST(ArgpackBounds, AFailedLaunchIsRetried) {
  find<make<ResolvesOnce>>(FaultKind::wild_access, {}, 60'000, Backend::cpu);
}

/// Holds all launched objects until the context is destroyed, which is longer than allowed.
struct HoldsForTheContext : Own {
  using Own::Own;
  void launched(LaunchContext& context) override {
    if (context.array.bound) context.array.array->holders().add();
    const ArrayArgument array = context.array;
    Own::launched(context);
    context.array = array;
  }
};
constexpr const char* kDropsWhatIsLaunched = R"(afterlife reproducer 1
path argpack
variant own
config backend=cuda_pool gil=on collector=eval_breaker
device sim
tasks script mutator
script:0 op new_argpack
script:1 op new_ndarray
script:1 argument 6
script:2 op make_context
script:2 argument[1] 1
script:3 op launch
script:4 op drop
script:4 argument 6
script:5 op synchronize
end
)";
TEST(ArgpackBounds, AContextThatKeepsItsLaunchIsALeak) {
  harness::Case dropped =
      harness::parse_reproducer(kDropsWhatIsLaunched, "drops_what_is_launched").the_case;
  harness::Runner runner;
  EXPECT_EQ(first_signature(runner.run(dropped)), "");
  harness::Scenario broken = scenario;
  broken.drive = drive_broken<make<HoldsForTheContext>>;
  dropped.scenario = &broken;
  EXPECT_EQ(first_signature(runner.run(dropped)),
            "leak Ndarray born:create_ndarray used:bound/synchronize");
}

}  // namespace
}  // namespace scenarios::argpack::testing
