// Every judge of the path goes red when the target misbehaves: each policy here is `own` with one
// thing broken, or a path with one answer broken, and no fault is handed to anybody.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "harness/reproducer.h"
#include "harness/strategies/random_walk.h"
#include "scenarios/argpack/scenario.h"
#include "scenarios/argpack/tests/argpack_cases.h"
#include "targets/argpack/launcher.h"
#include "targets/argpack/own.h"
#include "targets/argpack/script.h"

namespace scenarios::argpack::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Runtime;
using targets::argpack::Argpack;
using targets::argpack::ArgPack;
using targets::argpack::ArrayArgument;
using targets::argpack::Backend;
using targets::argpack::Core;
using targets::argpack::Disposal;
using targets::argpack::ExternalArgument;
using targets::argpack::LaunchContext;
using targets::argpack::Ndarray;
using targets::argpack::Own;
using targets::argpack::PackArgument;
using targets::argpack::Program;
using targets::argpack::Setup;
using targets::argpack::Status;
using targets::argpack::Variable;

/// The path under this policy, and under `Path` instead of the plain script.
template <class Policy, class Path = targets::argpack::Script>
Argpack* make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  return arena.make<Path>(core, *arena.make<Policy>(core));
}

template <Maker maker>
void drive_broken(harness::Scene& scene) {
  drive_path(scene, {}, maker);
}

/// Those of this backend, or all.
std::vector<harness::Config> configs_of(std::optional<Backend> backend) {
  std::vector<harness::Config> configs;
  for (std::size_t i = 0; i < config_count(scenario); ++i) {
    const harness::Config config = harness::config_at(scenario, i);
    if (!backend || config.values[kBackendAxis] == harness::raw(*backend))
      configs.push_back(config);
  }
  return configs;
}

/// The first fault of this kind (and, where it is given, of this use site) within so many runs, as
/// a claim of `own`.
template <Maker maker>
Fault find(FaultKind kind, std::string_view use_site = {}, std::uint64_t runs = 20'000,
           std::optional<Backend> backend = {}) {
  const std::vector<harness::Config> configs = configs_of(backend);
  harness::Scenario broken = scenario;
  broken.drive = drive_broken<maker>;
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const harness::Config config = configs[run % configs.size()];
    const auto& outcome = runner.run(broken, variant_named("own"), config, sim(), walk);
    for (const Fault& fault : outcome.faults)
      if (fault.kind == kind && (use_site.empty() || fault.use_site.view() == use_site))
        return fault;
  }
  ADD_FAILURE() << "no " << harness::to_label(kind).view() << " in " << runs << " runs";
  return {};
}

TEST(ArgpackJudges, OwnItselfPassesThem) {
  harness::Scenario whole = scenario;
  whole.drive = drive_broken<make<Own>>;
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  for (std::uint64_t run = 0; run < 2000; ++run) {
    const harness::Config config = harness::config_at(scenario, run % config_count(scenario));
    const auto& outcome = runner.run(whole, variant_named("own"), config, sim(), walk);
    ASSERT_EQ(first_signature(outcome), "") << run;
  }
}

// ---- service ------------------------------------------------------------------------------------

struct RefusesEverything : Own {
  using Own::Own;
  Status admit(const LaunchContext&, const Program&) override { return Status::context_invalid; }
};
TEST(ArgpackJudges, APolicyThatRefusesEverythingIsRefuted) {
  EXPECT_EQ(find<make<RefusesEverything>>(FaultKind::refusal).detail,
            "answered context_invalid, which nothing accounts for");
}

struct RefusesFreshContexts : Own {
  using Own::Own;
  Status admit(const LaunchContext& context, const Program& program) override {
    const Status status = Own::admit(context, program);
    return status == Status::ok && context.array.bound ? Status::context_spent : status;
  }
};
TEST(ArgpackJudges, ARefusalThatIsNotDueIsAFault) {
  EXPECT_EQ(find<make<RefusesFreshContexts>>(FaultKind::refusal).detail,
            "answered context_spent, which nothing accounts for");
}

struct NeverSpent : Own {
  using Own::Own;
  Status admit(const LaunchContext& context, const Program& program) override {
    const Status status = Own::admit(context, program);
    return status == Status::context_spent ? Status::ok : status;
  }
};
TEST(ArgpackJudges, AProtectionThatIsDueAndDoesNotComeIsAFault) {
  EXPECT_EQ(find<make<NeverSpent>>(FaultKind::refusal, "launch").detail,
            "answered unbound, which nothing accounts for");
}

struct LetsExportedStorageMove : Own {
  using Own::bound;
  using Own::Own;
  using Own::unbound;
  void bound(LaunchContext&, ExternalArgument&, const harness::Ref&) override {}
  void unbound(LaunchContext&, ExternalArgument&) override {}
  void launched(LaunchContext& context) override {
    context.external.bound = false;
    Own::launched(context);
  }
};
TEST(ArgpackJudges, StorageThatMovesUnderAContextIsAFault) {
  EXPECT_EQ(
      find<make<LetsExportedStorageMove>>(FaultKind::refusal, "resize_external").detail,
      "answered ok, where buffer_error is due: exported storage cannot be resized, as numpy's "
      "BufferError");
}

// A path that is broken by an answer stands between the scenario and a whole one.
class Broken : public Argpack {
 public:
  Broken(Core& core, targets::argpack::Policy& policy) : path_(core, policy) {}

  Status init() override { return path_.init(); }
  Status reset() override { return path_.reset(); }
  Status synchronize() override { return path_.synchronize(); }
  Status flush() override { return path_.flush(); }
  Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                     Variable array) override {
    return path_.new_argpack(into, depth, value, array);
  }
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override {
    return path_.set_scalar(pack, level, value);
  }
  Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) override {
    return path_.replace_nested(pack, level, value);
  }
  Status set_nested(Variable pack, std::uint32_t level, Variable child) override {
    return path_.set_nested(pack, level, child);
  }
  Status get_nested(Variable into, Variable pack, std::uint32_t level) override {
    return path_.get_nested(into, pack, level);
  }
  Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) override {
    return path_.new_ndarray(into, value, with_gradient);
  }
  Status fill(Variable array, std::int32_t value) override { return path_.fill(array, value); }
  Status set_gradient(Variable array) override { return path_.set_gradient(array); }
  Status drop_gradient(Variable array) override { return path_.drop_gradient(array); }
  Status new_external(Variable into, targets::argpack::Storage storage,
                      std::int32_t value) override {
    return path_.new_external(into, storage, value);
  }
  Status resize_external(Variable external) override { return path_.resize_external(external); }
  Status to_numpy(Variable array) override { return path_.to_numpy(array); }
  Status alias(Variable into, Variable from) override { return path_.alias(into, from); }
  Status drop(Variable variable) override { return path_.drop(variable); }
  Status make_cycle(Variable variable) override { return path_.make_cycle(variable); }
  Status plant(targets::argpack::Mischief mischief, Variable victim, std::int32_t value) override {
    return path_.plant(mischief, victim, value);
  }
  Status collect(std::uint32_t generation) override { return path_.collect(generation); }
  targets::argpack::Kind kind(Variable variable) const override { return path_.kind(variable); }
  std::uint32_t depth(Variable variable) const override { return path_.depth(variable); }
  Status call(const targets::argpack::Arguments& arguments) override {
    return path_.call(arguments);
  }
  Status make_context(Variable into) override { return path_.make_context(into); }
  Status set_arg_argpack(Variable context, Variable pack) override {
    return path_.set_arg_argpack(context, pack);
  }
  Status set_arg_ndarray(Variable context, Variable array) override {
    return path_.set_arg_ndarray(context, array);
  }
  Status set_arg_ndarray_with_grad(Variable context, Variable array) override {
    return path_.set_arg_ndarray_with_grad(context, array);
  }
  Status set_arg_external(Variable context, Variable external) override {
    return path_.set_arg_external(context, external);
  }
  Status set_arg_scalar(Variable context, std::int32_t value) override {
    return path_.set_arg_scalar(context, value);
  }
  Status compile(Variable context) override { return path_.compile(context); }
  Status launch(Variable context, bool returns) override { return path_.launch(context, returns); }
  Status drop_all() override { return path_.drop_all(); }
  harness::Interpreter& interpreter() override { return path_.interpreter(); }

 protected:
  targets::argpack::Script path_;
};

struct LaunchesNothing : Broken {
  using Broken::Broken;
  Status call(const targets::argpack::Arguments&) override { return Status::ok; }
};
TEST(ArgpackJudges, ACallThatAnswersOkAndLaunchesNothingIsAFault) {
  EXPECT_EQ((find<make<Own, LaunchesNothing>>)(FaultKind::refusal).detail,
            "answered ok and did not do it");
}

struct NeverReturnsValues : Broken {
  using Broken::Broken;
  Status call(const targets::argpack::Arguments& arguments) override {
    targets::argpack::Arguments others = arguments;
    others.returns = false;
    return path_.call(others);
  }
};
TEST(ArgpackJudges, AValueThatNeverComesBackIsAFault) {
  EXPECT_EQ((find<make<Own, NeverReturnsValues>>)(FaultKind::refusal).detail,
            "answered ok and did not do it");
}

struct FailsForNoReason : Broken {
  using Broken::Broken;
  Status fill(Variable, std::int32_t) override { return Status::driver_error; }
};
TEST(ArgpackJudges, AFailureThatNobodyInjectedIsAFault) {
  EXPECT_EQ((find<make<Own, FailsForNoReason>>)(FaultKind::refusal).detail,
            "answered driver_error, which nothing accounts for");
}

struct KeepsFailuresToItself : Broken {
  using Broken::Broken;
  Status synchronize() override {
    path_.synchronize();
    return Status::ok;
  }
};
TEST(ArgpackJudges, AFailureThatIsNotAnsweredIsAFault) {
  EXPECT_EQ((find<make<Own, KeepsFailuresToItself>>)(FaultKind::refusal, "synchronize", 20'000,
                                                     Backend::gfx)
                .detail,
            "answered ok, though a CUDA call of its own failed");
}

struct BindsMoreThanItWasGiven : Broken {
  using Broken::Broken;
  Status set_arg_ndarray(Variable context, Variable array) override {
    return path_.set_arg_ndarray_with_grad(context, array);
  }
};
TEST(ArgpackJudges, AGradientThatNobodyAskedForIsAFault) {
  EXPECT_EQ((find<make<Own, BindsMoreThanItWasGiven>>)(FaultKind::refusal).detail,
            "answered ok and bound something else");
}

struct BindsLessThanItWasGiven : Broken {
  using Broken::Broken;
  Status call(const targets::argpack::Arguments& arguments) override {
    targets::argpack::Arguments fewer = arguments;
    fewer.external = targets::argpack::kNothing;
    return path_.call(fewer);
  }
};
TEST(ArgpackJudges, AnArgumentThatIsLeftOutIsAFault) {
  EXPECT_EQ((find<make<Own, BindsLessThanItWasGiven>>)(FaultKind::refusal, "call").detail,
            "answered ok and bound something else");
}

struct SubmitsNothing : Broken {
  using Broken::Broken;
  Status flush() override { return Status::ok; }
};
TEST(ArgpackJudges, AFlushThatSubmitsNothingIsAFault) {
  const Fault fault = find<make<Own, SubmitsNothing>>(FaultKind::refusal, "flush");
  EXPECT_NE(fault.detail.find("kernels were submitted"), std::string::npos) << fault.detail;
}

struct FinishesNothing : Broken {
  using Broken::Broken;
  Status synchronize() override { return Status::ok; }
};
TEST(ArgpackJudges, ASynchronizeThatWaitsForNothingIsAFault) {
  find<make<Own, FinishesNothing>>(FaultKind::refusal, "synchronize");
}

/// Launches each kernel once more, on arguments of its own.
struct LaunchesTwice : Own {
  using Own::Own;
  void launched(LaunchContext& context) override {
    if (core_.setup.backend == Backend::cuda_pool && context.depth == 1) again(context);
    Own::launched(context);
  }
  void again(LaunchContext& context) {
    CUdeviceptr arguments = 0;
    CUdeviceptr results = 0;
    if (cuMemAlloc(&arguments, sizeof context.arguments) != CUDA_SUCCESS ||
        cuMemAlloc(&results, sizeof context.results) != CUDA_SUCCESS)
      return;
    cuMemcpyHtoD(arguments, &context.arguments, sizeof context.arguments);
    targets::argpack::submit(core_, {{arguments, results}, 1, 0});
    cuStreamSynchronize(nullptr);
    cuMemFree(arguments);
    cuMemFree(results);
  }
};
TEST(ArgpackJudges, AKernelThatRunsTwiceIsAFault) {
  const Fault fault = find<make<LaunchesTwice>>(FaultKind::refusal, "clear_up");
  EXPECT_NE(fault.detail.find("kernels have run"), std::string::npos) << fault.detail;
}

// ---- boundedness --------------------------------------------------------------------------------

struct FreesAtTheEnd : Own {
  using Own::Own;
  std::uint32_t launches = 0;
  Status before_launch(Program&, LaunchContext& context) override {
    context.array.resolved = context.gradient.resolved = false;
    return Status::ok;
  }
  void synchronized(Program&) override {}
};
TEST(ArgpackJudges, APolicyThatNeverLetsGoIsCaughtByTheNextSynchronize) {
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
TEST(ArgpackJudges, AQueueOfDeferredFreesThatGrowsIsCaughtByLaunches) {
  find<make<GrowsItsQueue>>(FaultKind::retention, "bound/launches");
}
TEST(ArgpackJudges, ADeferredFreeThatAnIdleDeviceDoesNotBringIsCaught) {
  find<make<GrowsItsQueue>>(FaultKind::retention, "bound/idle");
}

/// Without a GIL two ops set the member of one pack at a time, and the one whose fact came first is
/// the one that stays: what hangs below its pack is in use, too.
constexpr const char* kTwoSetOneMember = R"(afterlife reproducer 1
path argpack
variant own
config backend=amdgpu gil=off collector=eval_breaker
device sim
tasks script mutator
script:0 op new_argpack
script:0 argument 5
script:0 argument[1] 3
script:1 op new_argpack
script:2 op call
script:2 lag 1
mutator:0 op drop
mutator:1 op replace_nested
nap:0 of mutator:1 argument 2
script:3 op call
script:3 schedule[41] mutator
script:6 op new_argpack
script:6 schedule[6] mutator
mutator:1 schedule[59] script:1 of start
script:8 op set_nested
script:8 argument 5
script:8 schedule[4] mutator
script:9 op call
end
)";
TEST(ArgpackJudges, WhatHangsBelowAMemberThatTwoSetAtATimeIsNoRetention) {
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
    return array.holder_count > 0 ? Disposal::ignore : Own::dispose(array, stale);
  }
};
TEST(ArgpackJudges, ARequestThatIsDroppedAndNotDeferredIsRetention) {
  find<make<DropsRequests>>(FaultKind::retention);
}

struct LeaksKernels : Own {
  using Own::Own;
  harness::Owned<targets::argpack::Kernel> kept;
  void reset() override {
    Own::reset();
    kept = core_.runtime.host.make<targets::argpack::Kernel>("Kernel", 1);
  }
};
TEST(ArgpackJudges, ASecondKernelIsMoreThanAProgramOwns) {
  EXPECT_EQ(find<make<LeaksKernels>>(FaultKind::retention).detail,
            "2 alive, where the Program owns one");
}

// ---- again ----

/// What the CPU launcher has resolved once it takes for an address, also in a launch that is tried
/// again because the first one failed.
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
TEST(ArgpackJudges, ALaunchThatFailedIsTriedAgain) {
  find<make<ResolvesOnce>>(FaultKind::wild_access, {}, 60'000, Backend::cpu);
}

/// Who holds what was launched until the context goes: longer than anybody may.
struct HoldsForTheContext : Own {
  using Own::Own;
  void launched(LaunchContext& context) override {
    if (context.array.bound) ++context.array.array->holder_count;
    const ArrayArgument array = context.array;
    Own::launched(context);
    context.array = array;
  }
};
TEST(ArgpackJudges, AContextThatKeepsWhatItHasLaunchedIsRetention) {
  find<make<HoldsForTheContext>>(FaultKind::retention, "bound/synchronize");
}

// ---- values -------------------------------------------------------------------------------------

struct WritesOtherScalars : Broken {
  using Broken::Broken;
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override {
    return path_.set_scalar(pack, level, value + 1);
  }
};
TEST(ArgpackJudges, AValueThatNobodyHandedOutIsAFault) {
  EXPECT_EQ((find<make<Own, WritesOtherScalars>>)(FaultKind::wrong_value).object_kind.view(),
            "value");
}

struct ForgetsTheScalar : Own {
  using Own::Own;
  Status before_launch(Program& program, LaunchContext& context) override {
    context.scalar = 0;
    return Own::before_launch(program, context);
  }
};
TEST(ArgpackJudges, AnArgumentThatTheKernelNeverGotIsAFault) {
  const Fault fault = find<make<ForgetsTheScalar>>(FaultKind::wrong_value);
  EXPECT_TRUE(fault.object_kind.view().starts_with("pack")) << fault.object_kind.view();
}

struct ForgetsTheGradient : Own {
  using Own::Own;
  Status before_launch(Program& program, LaunchContext& context) override {
    const Status status = Own::before_launch(program, context);
    if (context.gradient.bound) unbound(context, context.gradient);
    context.gradient = {};
    return status;
  }
};
TEST(ArgpackJudges, AGradientThatWasNeverWrittenIsAFault) {
  EXPECT_EQ(find<make<ForgetsTheGradient>>(FaultKind::wrong_value, {}, 60'000).object_kind.view(),
            "gradient");
}

}  // namespace
}  // namespace scenarios::argpack::testing
