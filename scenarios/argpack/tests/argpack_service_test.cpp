// SPDX-License-Identifier: Apache-2.0
// The judge of service reports a target with a bug: each policy here is `own` with a single bug, or
// a path with a single wrong result, and no fault is passed to the judges.
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/strategies/random_walk.h"
#include "scenarios/argpack/tests/argpack_broken.h"
#include "targets/argpack/launcher.h"

namespace scenarios::argpack::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using targets::argpack::Backend;
using targets::argpack::ExternalArgument;
using targets::argpack::LaunchContext;
using targets::argpack::Own;
using targets::argpack::Program;
using targets::argpack::Status;
using targets::argpack::Variable;

TEST(ArgpackService, OwnPasses) {
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

struct RefusesEverything : Own {
  using Own::Own;
  Status admit(const LaunchContext&, const Program&) override { return Status::context_invalid; }
};
TEST(ArgpackService, APolicyThatRefusesEverythingIsRefuted) {
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
TEST(ArgpackService, AnUnjustifiedRefusalIsAFault) {
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
TEST(ArgpackService, AMissingProtectionIsAFault) {
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
TEST(ArgpackService, StorageMovedUnderAContextIsAFault) {
  EXPECT_EQ(
      find<make<LetsExportedStorageMove>>(FaultKind::refusal, "resize_external").detail,
      "answered ok, where buffer_error is due: exported storage cannot be resized, as numpy's "
      "BufferError");
}

struct LaunchesNothing : WholeCalls {
  using WholeCalls::WholeCalls;
  Status call(const targets::argpack::Arguments&) override { return Status::ok; }
};
TEST(ArgpackService, ACallThatReturnsOkWithoutALaunchIsAFault) {
  EXPECT_EQ(find<break_path<LaunchesNothing>>(FaultKind::refusal).detail,
            "answered ok and did not do it");
}

struct NeverReturnsValues : WholeCalls {
  using WholeCalls::WholeCalls;
  Status call(const targets::argpack::Arguments& arguments) override {
    targets::argpack::Arguments others = arguments;
    others.returns = false;
    return path_.call(others);
  }
};
TEST(ArgpackService, AMissingResultIsAFault) {
  EXPECT_EQ(find<break_path<NeverReturnsValues>>(FaultKind::refusal).detail,
            "answered ok and did not do it");
}

struct FailsForNoReason : WholeArrays {
  using WholeArrays::WholeArrays;
  Status fill(Variable, std::int32_t) override { return Status::driver_error; }
};
TEST(ArgpackService, AFailureThatWasNotInjectedIsAFault) {
  EXPECT_EQ(find<break_path<FailsForNoReason>>(FaultKind::refusal).detail,
            "answered driver_error, which nothing accounts for");
}

struct KeepsFailuresToItself : WholePrograms {
  using WholePrograms::WholePrograms;
  Status synchronize() override {
    path_.synchronize();
    return Status::ok;
  }
};
TEST(ArgpackService, AnUnreportedFailureIsAFault) {
  EXPECT_EQ(find<break_path<KeepsFailuresToItself>>(FaultKind::refusal, "synchronize", 60'000,
                                                    Backend::gfx)
                .detail,
            "answered ok, although one of its CUDA calls failed");
}

struct BindsMoreThanItWasGiven : WholeContexts {
  using WholeContexts::WholeContexts;
  Status set_arg_ndarray(Variable context, Variable array) override {
    return path_.set_arg_ndarray_with_grad(context, array);
  }
};
TEST(ArgpackService, AnUnrequestedGradientIsAFault) {
  EXPECT_EQ(find<break_path<BindsMoreThanItWasGiven>>(FaultKind::refusal).detail,
            "answered ok and bound something else");
}

struct BindsLessThanItWasGiven : WholeCalls {
  using WholeCalls::WholeCalls;
  Status call(const targets::argpack::Arguments& arguments) override {
    targets::argpack::Arguments fewer = arguments;
    fewer.external = targets::argpack::kNothing;
    return path_.call(fewer);
  }
};
TEST(ArgpackService, AnOmittedArgumentIsAFault) {
  EXPECT_EQ(find<break_path<BindsLessThanItWasGiven>>(FaultKind::refusal, "call").detail,
            "answered ok and bound something else");
}

struct SubmitsNothing : WholePrograms {
  using WholePrograms::WholePrograms;
  Status flush() override { return Status::ok; }
};
TEST(ArgpackService, AFlushThatSubmitsNothingIsAFault) {
  const Fault fault = find<break_path<SubmitsNothing>>(FaultKind::refusal, "flush");
  EXPECT_NE(fault.detail.find("kernels were submitted"), std::string::npos) << fault.detail;
}

struct FinishesNothing : WholePrograms {
  using WholePrograms::WholePrograms;
  Status synchronize() override { return Status::ok; }
};
TEST(ArgpackService, ASynchronizeThatWaitsForNothingIsAFault) {
  find<break_path<FinishesNothing>>(FaultKind::refusal, "synchronize");
}

/// Launches each kernel a second time with its own arguments.
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
TEST(ArgpackService, AKernelThatRunsTwiceIsAFault) {
  const Fault fault = find<make<LaunchesTwice>>(FaultKind::refusal, "clear_up");
  EXPECT_NE(fault.detail.find("kernels have run"), std::string::npos) << fault.detail;
}

}  // namespace
}  // namespace scenarios::argpack::testing
