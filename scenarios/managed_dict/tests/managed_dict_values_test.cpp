// SPDX-License-Identifier: Apache-2.0
// The judge of values reports a reader, or a kernel, that gets another value than the one
// stored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/managed_dict/tests/managed_dict_wrapper.h"

namespace scenarios::managed_dict::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

/// Makes an unrequested dict with each instance.
class MakeDicts final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    const Status status = path_.new_instance(into, of);
    for (const md::Address object : instances()) core_.attributes.materialise(object);
    return status;
  }
};
TEST(ManagedDictValues, AnInstanceHasNoDictUntilRequested) {
  const Program program = Program().script(Op::new_instance);
  EXPECT_THAT(run<MakeDicts>(program), Contains("wrong_value dict"));
}

Program dict_program() {
  return Program()
      .script(Op::new_instance, {0, 1})
      .script(Op::access_dict, {0})
      .script(Op::delete_attr, {0, 0});
}

class DeleteNothing final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status delete_attr(Variable, Attribute) override { return Status::ok; }
};
TEST(ManagedDictValues, ADeletedAttributeIsNotInVars) {
  EXPECT_THAT(run<Wrapper>(dict_program()), IsEmpty());
  EXPECT_THAT(run<DeleteNothing>(dict_program()), Contains("wrong_value vars()"));
}

// The attribute is read after its deletion, and after its dict's.
TEST(ManagedDictValues, ReadingADeletedAttributeFails) {
  const Program program = Program()
                              .script(Op::new_instance, {0, 1})
                              .script(Op::delete_attr, {0, 1})
                              .script(Op::load_attr, {0, 1})
                              .script(Op::delete_dict, {0})
                              .script(Op::load_attr, {0, 2});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
}

/// Removes an attribute and adds it again.
class Reorder final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status load_attr(Variable variable, Attribute attribute) override {
    path_.delete_attr(variable, attribute);
    return path_.store_attr(variable, attribute, ValueKind::boolean);
  }
};
TEST(ManagedDictValues, VarsIsInInsertionOrder) {
  const Program program = Program().script(Op::new_instance, {0, 1}).script(Op::load_attr);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<Reorder>(program), Contains("wrong_value vars()"));
}

class StoreTheOldNumber final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override {
    return stored_++ == 0 ? path_.store_attr(variable, attribute, kind) : Status::ok;
  }

 private:
  int stored_ = 0;
};
TEST(ManagedDictValues, AnAttributeHasTheLastStoredNumber) {
  const Program program =
      Program().script(Op::new_instance).script(Op::store_attr).script(Op::store_attr);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<StoreTheOldNumber>(program), Contains("wrong_value vars()"));
}

class CountOneMore final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status delete_attr(Variable variable, Attribute attribute) override {
    const Status status = path_.delete_attr(variable, attribute);
    for (const md::Address object : instances()) {
      const md::Address used = core_.attributes.look(object).dict + md::kDictUsedOffset;
      core_.memory.store<std::uint64_t>(used, core_.memory.load<std::uint64_t>(used) + 1);
    }
    return status;
  }
};
TEST(ManagedDictValues, ADictCountsItsItems) {
  EXPECT_THAT(run<CountOneMore>(dict_program()), Contains("wrong_value len(vars())"));
}

class EmptyTheHeldDict final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status del_instance(Variable variable) override {
    for (const md::Address object : instances())
      core_.dicts.erase(core_.attributes.look(object).dict, 0);
    return path_.del_instance(variable);
  }
};
TEST(ManagedDictValues, AHeldDictKeepsItsItemsAfterItsInstance) {
  const Program program = Program()
                              .script(Op::new_instance, {0, 1})
                              .script(Op::access_dict, {0})
                              .script(Op::del_instance, {0});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<EmptyTheHeldDict>(program), Contains("wrong_value vars()"));
}

class DetachAtOnce final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status access_dict(Variable variable) override {
    const Status status = path_.access_dict(variable);
    for (const md::Address object : instances())
      core_.dicts.detach(core_.attributes.look(object).dict);
    return status;
  }
};
TEST(ManagedDictValues, ADictSharesTheValuesUntilItMustDetach) {
  EXPECT_THAT(run<DetachAtOnce>(dict_program()), Contains("wrong_value kept in values"));
}

/// Detaches the values from the dict that it releases.
class DetachHeld final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status replace_dict(Variable variable) override {
    for (const md::Address object : instances())
      core_.dicts.detach(core_.attributes.look(object).dict);
    return path_.replace_dict(variable);
  }
};
TEST(ManagedDictValues, AHeldDictSharesTheValuesToo) {
  const Program program = Program()
                              .script(Op::new_instance, {0, 1})
                              .script(Op::access_dict, {0})
                              .script(Op::replace_dict, {0});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<DetachHeld>(program), Contains("wrong_value kept in values"));
}

/// Allocates one block more than an instance needs.
class WasteInstances final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    if (kept_ == 0) kept_ = core_.allocator.malloc(80, md::BlockKind::instance);
    return path_.new_instance(into, of);
  }
  bool clear_up() override {
    core_.allocator.free(kept_);
    return path_.clear_up();
  }

 private:
  md::Address kept_ = 0;
};
TEST(ManagedDictValues, AnInstanceHasTheSizeOfItsLayout) {
  EXPECT_THAT(run<WasteInstances>(Program().script(Op::new_instance)),
              Contains("wrong_value instance bytes"));
}

class ForgetEmbedded final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    const Status status = path_.new_instance(into, of);
    for (const md::Address object : instances())
      core_.memory.store<std::uint8_t>(
          core_.attributes.look(object).values + md::kInlineEmbeddedOffset, 0);
    return status;
  }
};
TEST(ManagedDictValues, InlineValuesAreFlaggedAsEmbedded) {
  const Program program = Program().script(Op::new_instance);
  EXPECT_THAT(run<Wrapper>(program, "layout=cpython313 compiler=inline"), IsEmpty());
  EXPECT_THAT(run<ForgetEmbedded>(program, "layout=cpython313 compiler=inline"),
              Contains("wrong_value embedded"));
}

class KeepClass final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status set_class(Variable variable, Class) override {
    return path_.set_class(variable, path_.variables().classes[variable]);
  }
};
TEST(ManagedDictValues, AnInstanceHasItsClass) {
  const Program program = Program().script(Op::new_instance).script(Op::set_class, {0, 2});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepClass>(program), Contains("wrong_value class"));
}

/// Takes an additional reference to the class, and records it.
class CountClassTwice final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    core_.objects.incref(core_.types.named(of).address);
    return path_.new_instance(into, of);
  }
};
TEST(ManagedDictValues, EachInstanceHoldsAReferenceToItsClass) {
  const Program program = Program().script(Op::new_instance);
  EXPECT_THAT(run<CountClassTwice>(program), Contains("wrong_value class references"));
}

class KeepVersion final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status set_type_attr(Class of) override {
    const md::Type& type = core_.types.named(of);
    const std::uint32_t version = core_.types.version(type);
    const Status status = path_.set_type_attr(of);
    core_.memory.store<std::uint32_t>(type.address + md::kTypeVersionOffset, version);
    return status;
  }
};
TEST(ManagedDictValues, AModifiedClassHasANewVersion) {
  const Program program = Program()
                              .script(Op::new_instance)
                              .script(Op::force_compile)
                              .script(Op::store_attr)
                              .script(Op::set_type_attr, {0});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepVersion>(program), Contains("wrong_value class version"));
}

/// Each instance gets the initial, empty keys of its class.
class ForgetKeys final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    core_.types.named(of).keys = {};
    return path_.new_instance(into, of);
  }
};
TEST(ManagedDictValues, AnInstanceGetsNoMoreRoomThanThePreviousOne) {
  const Program program =
      Program().script(Op::new_instance).script(Op::del_instance).script(Op::new_instance);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<ForgetKeys>(program), Contains("wrong_value room"));
}

/// The same object has another number at the launch.
class LaunchAnotherNumber final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status launch(Variable variable) override {
    constexpr Attribute kScale = 2;
    for (const md::Address object : instances())
      if (const md::Address number = core_.attributes.get(object, kScale))
        core_.memory.store<std::uint32_t>(number + md::kDigitOffset, 7);
    return path_.launch(variable);
  }
};
TEST(ManagedDictValues, AKernelRunsWithTheNumbersThatWereStored) {
  const Program program = Program().script(Op::new_instance, {0, 1}).script(Op::launch);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<LaunchAnotherNumber>(program), Contains("wrong_value autocast_step"));
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
