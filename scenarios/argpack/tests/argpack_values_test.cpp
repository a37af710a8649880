// SPDX-License-Identifier: Apache-2.0
// The judges of values report a target that invents, forgets or does not write values: each policy
// here is `own` with a single bug, or a path with a single wrong result.
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "scenarios/argpack/tests/argpack_broken.h"

namespace scenarios::argpack::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using targets::argpack::LaunchContext;
using targets::argpack::Own;
using targets::argpack::Program;
using targets::argpack::Status;
using targets::argpack::Variable;

struct WritesOtherScalars : WholePacks {
  using WholePacks::WholePacks;
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override {
    return path_.set_scalar(pack, level, value + 1);
  }
};
TEST(ArgpackValues, AnUnknownValueIsAFault) {
  EXPECT_EQ(find<break_path<WritesOtherScalars>>(FaultKind::wrong_value).object_kind.view(),
            "value");
}

struct ForgetsTheScalar : Own {
  using Own::Own;
  Status before_launch(Program& program, LaunchContext& context) override {
    context.scalar = 0;
    return Own::before_launch(program, context);
  }
};
TEST(ArgpackValues, AnArgumentNotPassedToTheKernelIsAFault) {
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
TEST(ArgpackValues, AnUnwrittenGradientIsAFault) {
  EXPECT_EQ(find<make<ForgetsTheGradient>>(FaultKind::wrong_value, {}, 60'000).object_kind.view(),
            "gradient");
}

}  // namespace
}  // namespace scenarios::argpack::testing
