// SPDX-License-Identifier: Apache-2.0
// The judge of statuses reports a stock interpreter of which a call is refused without a reason, or
// returns ok and does nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/managed_dict/tests/managed_dict_wrapper.h"

namespace scenarios::managed_dict::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

TEST(ManagedDictService, FindNothingInASoundVariant) {
  EXPECT_THAT(run<Wrapper>(everything()), IsEmpty());
}

template <Status answer>
class RefuseAll final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable, Class) override { return answer; }
  Status with_block(std::uint32_t, md::Body) override { return answer; }
};
TEST(ManagedDictService, APathThatRefusesEverythingIsRefuted) {
  EXPECT_THAT(run<RefuseAll<Status::memory_error>>(everything()), Contains("refusal new_instance"));
  EXPECT_THAT(run<RefuseAll<Status::driver_error>>(Program().script(Op::with_block)),
              Contains("refusal with_block"));
}

class ForgetAttributes final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status load_attr(Variable, Attribute) override { return Status::attribute_error; }
};
TEST(ManagedDictService, AStoredAttributeExists) {
  EXPECT_THAT(run<ForgetAttributes>(everything()), Contains("refusal load_attr"));
}

class InventAttributes final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status load_attr(Variable, Attribute) override { return Status::ok; }
};
TEST(ManagedDictService, AnAttributeNotStoredDoesNotExist) {
  const Program program = Program().script(Op::new_instance).script(Op::load_attr, {0, 3});
  EXPECT_THAT(run<InventAttributes>(program), Contains("wrong_value answer"));
}

class RefuseLaunches final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status launch(Variable) override { return Status::type_error; }
};
TEST(ManagedDictService, KernelsReceiveTheStoredNumbers) {
  EXPECT_THAT(run<RefuseLaunches>(everything()), Contains("refusal launch"));
}

class SubclassNever final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status subclass(Class) override { return Status::type_error; }
};
TEST(ManagedDictService, AClassIsSubclassedOnce) {
  EXPECT_THAT(run<SubclassNever>(everything()), Contains("refusal subclass"));
}

/// The heap has no memory from the second statement on.
class Starve final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status access_dict(Variable variable) override {
    core_.memory.blocks().limit_pools(0);
    return path_.access_dict(variable);
  }
};
TEST(ManagedDictService, AFailureWithoutMemoryIsNotARefusal) {
  const Program program = Program().script(Op::new_instance).script(Op::access_dict);
  EXPECT_THAT(run<Starve>(program), IsEmpty());
}

class PretendToStarve final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status access_dict(Variable) override { return Status::memory_error; }
};
TEST(ManagedDictService, AFailureDespiteMemoryIsARefusal) {
  const Program program = Program().script(Op::new_instance).script(Op::access_dict);
  EXPECT_THAT(run<PretendToStarve>(program), Contains("refusal access_dict"));
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
