// SPDX-License-Identifier: Apache-2.0
// The modelled heap has no memory: a failed operation leaves everything valid.
#include <gtest/gtest.h>

#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"
#include "targets/managed_dict/viewer.h"

namespace scenarios::managed_dict::testing {
namespace {

using harness::Outcome;
using md::Address;
using md::Status;

constexpr md::Variable kVariable = 0;

/// Runs `body` in this layout, and expects no fault.
template <class Body>
void expect_nothing(md::Version version, Body body) {
  const Outcome outcome = run_interpreter(
      [&](Interpreter& on) {
        body(on);
        on.judge.heap().judge_all();
      },
      [&](md::Setup& setup) { setup.version = version; });
  EXPECT_EQ(first_signature(outcome), "") << md::kVersionLabels[harness::raw(version)].c_str();
}

// gh-124547: the dict still pointed to the values of a dead instance.
TEST(ManagedDictMemory, ADictThatCannotCopyItsItemsIsEmptyAfterItsInstance) {
  expect_nothing(md::Version::cpython313, [](Interpreter& on) {
    on.program.new_instance(kVariable, md::Class::autocast);
    on.program.access_dict(kVariable);
    EXPECT_EQ(on.inspector.held_view().count, 3u);
    on.core.memory.blocks().limit_pools(0);
    on.program.del_instance(kVariable);
    EXPECT_EQ(on.inspector.held_view().count, 0u);
    EXPECT_EQ(on.inspector.held_view().used, 0u);
    EXPECT_TRUE(on.program.clear_up());
  });
}

TEST(ManagedDictMemory, AFailedStatementChangesNoAttribute) {
  for (const auto version :
       {md::Version::cpython311, md::Version::cpython312, md::Version::cpython313})
    expect_nothing(version, [](Interpreter& on) {
      on.program.new_instance(kVariable, md::Class::autocast);
      on.program.access_dict(kVariable);
      on.core.memory.blocks().limit_pools(0);
      EXPECT_EQ(on.program.delete_attr(kVariable, 0), Status::memory_error);
      EXPECT_EQ(on.inspector.view(kVariable).count, 3u);
      EXPECT_TRUE(on.program.clear_up());
    });
}

TEST(ManagedDictMemory, AnInstanceWithoutValuesLeavesNothingBehind) {
  for (const auto version : {md::Version::cpython311, md::Version::cpython312})
    expect_nothing(version, [](Interpreter& on) {
      on.core.types.named(md::Class::autocast).keys = {};  // For the largest possible chunk.
      on.core.memory.blocks().limit_pools(2);              // For ints and the instance.
      EXPECT_EQ(on.program.new_instance(kVariable, md::Class::autocast), Status::memory_error);
      EXPECT_EQ(on.program.variables().objects[kVariable], 0u);
      EXPECT_EQ(on.inspector.class_references(), 0u);
      EXPECT_EQ(on.core.memory.blocks().open_count(), 2u);
    });
}

TEST(ManagedDictMemory, AFailedBlockExitsItsContexts) {
  expect_nothing(md::Version::cpython313, [](Interpreter& on) {
    const md::Type& no_grad = on.core.types.named(md::Class::no_grad);
    const auto enabled = [&] {
      return on.core.memory.load<std::uint64_t>(no_grad.address + md::kTypeAttributeOffset);
    };
    const Address before = enabled();
    on.core.memory.blocks().limit_pools(2);  // For ints and a _NoGrad.
    EXPECT_EQ(on.program.with_block(3, md::Body::pass), Status::memory_error);
    EXPECT_EQ(enabled(), before);
    EXPECT_EQ(on.inspector.class_references(), 0u);
  });
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
