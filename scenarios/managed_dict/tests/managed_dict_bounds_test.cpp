// SPDX-License-Identifier: Apache-2.0
// The judge of bounds reports a stock interpreter of which one part leaks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/managed_dict/tests/managed_dict_wrapper.h"

namespace scenarios::managed_dict::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

/// Deletes the name, but keeps the object until the end.
class KeepInstances final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status del_instance(Variable variable) override {
    for (const Address object : instances()) {
      core_.objects.incref(object);
      kept_.push_back(object);
    }
    return path_.del_instance(variable);
  }
  bool clear_up() override {
    for (const Address object : kept_) core_.objects.decref(object);
    return path_.clear_up();
  }

 protected:
  using Address = md::Address;
  std::pmr::vector<Address> kept_;
};
TEST(ManagedDictBounds, AnInstanceEndsWithItsLastName) {
  Program program;
  for (int i = 0; i < 3; ++i) program.script(Op::new_instance).script(Op::del_instance);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepInstances>(program), Contains("leak instance bound"));
}

/// The collector does nothing until the end.
class CollectNothing final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status collect() override { return Status::ok; }
};
TEST(ManagedDictBounds, ACycleEndsWhenCollected) {
  Program program;
  for (int i = 0; i < 2; ++i)
    program.script(Op::new_instance).script(Op::store_attr, {0, 0, 3}).script(Op::del_instance);
  program.script(Op::collect);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<CollectNothing>(program), Contains("leak instance bound"));
}

// The collector skips a cycle that the dict of vars() keeps; when that dict is dropped, the cycle
// stays until the next collection.
TEST(ManagedDictBounds, ACycleKeptByVarsEndsAtTheNextCollection) {
  Program program;
  program.script(Op::new_instance)
      .script(Op::store_all, {0, 3})
      .script(Op::store_guarded)
      .script(Op::access_dict)
      .script(Op::new_instance, {1})  // Into the same variable, by its argument on tapes.
      .script(Op::collect)
      .script(Op::access_dict);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  program.script(Op::collect);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<CollectNothing>(program), Contains("leak instance bound"));
}

/// Frees noise only at the end.
class KeepNoise final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status drop_noise() override { return Status::ok; }
};
TEST(ManagedDictBounds, FreesAreImmediate) {
  const Program program = Program().script(Op::hold_noise).script(Op::drop_noise);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepNoise>(program), Contains("leak noise bound"));
}

/// Keeps a reference to every number that was an attribute.
class KeepNumbers final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override {
    const Status status = path_.store_attr(variable, attribute, kind);
    for (const md::Address object : instances())
      if (const md::Address value = core_.attributes.get(object, attribute)) {
        core_.objects.incref(value);
        kept_.push_back(value);
      }
    return status;
  }
  bool clear_up() override {
    for (const md::Address object : kept_) core_.objects.decref(object);
    return path_.clear_up();
  }

 private:
  std::pmr::vector<md::Address> kept_;
};
TEST(ManagedDictBounds, AValueEndsWithItsLastAttribute) {
  Program program;
  program.script(Op::new_instance);
  for (int i = 0; i < 30; ++i) program.script(Op::store_attr);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepNumbers>(program), Contains("leak int bound"));
}

/// Allocates a block of the kind whenever a dict is requested, and frees it at the end.
template <md::BlockKind kind>
class KeepBlocks final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status access_dict(Variable variable) override {
    kept_.push_back(core_.allocator.malloc(24, kind));
    return path_.access_dict(variable);
  }
  bool clear_up() override {
    for (const md::Address block : kept_) core_.allocator.free(block);
    return path_.clear_up();
  }

 private:
  std::pmr::vector<md::Address> kept_;
};
TEST(ManagedDictBounds, ADictItsTableAndItsValuesEndWithTheirInstance) {
  Program program;
  program.script(Op::new_instance);
  for (int i = 0; i < 5; ++i) program.script(Op::access_dict);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepBlocks<md::BlockKind::dict>>(program), Contains("leak dict bound"));
  EXPECT_THAT(run<KeepBlocks<md::BlockKind::table>>(program), Contains("leak table bound"));
  EXPECT_THAT(run<KeepBlocks<md::BlockKind::values>>(program), Contains("leak values bound"));
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
