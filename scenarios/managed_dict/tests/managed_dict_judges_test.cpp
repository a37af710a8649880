// The judges of answers and of bounds go red when the target misbehaves: each test breaks a call of
// the stock interpreter, or one of its parts, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/managed_dict/script.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

/// Hands every call on.
class Wrapper : public md::ManagedDict {
 public:
  explicit Wrapper(md::Core& core)
      : core_(core), path_(*core.runtime.scheduler.arena().make<md::Program>(core)) {}
  Status init() override { return path_.init(); }
  Status new_instance(Variable into, Class of) override { return path_.new_instance(into, of); }
  Status del_instance(Variable variable) override { return path_.del_instance(variable); }
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override {
    return path_.store_attr(variable, attribute, kind);
  }
  Status load_attr(Variable variable, Attribute attribute) override {
    return path_.load_attr(variable, attribute);
  }
  Status delete_attr(Variable variable, Attribute attribute) override {
    return path_.delete_attr(variable, attribute);
  }
  Status access_dict(Variable variable) override { return path_.access_dict(variable); }
  Status replace_dict(Variable variable) override { return path_.replace_dict(variable); }
  Status delete_dict(Variable variable) override { return path_.delete_dict(variable); }
  Status set_class(Variable variable, Class to) override { return path_.set_class(variable, to); }
  Status set_type_attr(Class of) override { return path_.set_type_attr(of); }
  Status subclass(Class of) override { return path_.subclass(of); }
  Status collect() override { return path_.collect(); }
  Status hold_noise(std::uint32_t bytes) override { return path_.hold_noise(bytes); }
  Status drop_noise() override { return path_.drop_noise(); }
  Status with_block(std::uint32_t depth, md::Body body) override {
    return path_.with_block(depth, body);
  }
  Status launch(Variable variable) override { return path_.launch(variable); }
  Status force_compile(md::Function function) override { return path_.force_compile(function); }
  Status deopt(md::Function function) override { return path_.deopt(function); }
  Status compile_step() override { return path_.compile_step(); }
  bool is_defined(Variable variable) const override { return path_.is_defined(variable); }
  Class class_of(Variable variable) const override { return path_.class_of(variable); }
  std::uint32_t noise_count() const override { return path_.noise_count(); }
  md::Version layout() const override { return path_.layout(); }
  const md::HeapView& heap() const override { return path_.heap(); }
  md::View view(Variable variable) override { return path_.view(variable); }
  md::View held_view() override { return path_.held_view(); }
  std::uint64_t class_references() override { return path_.class_references(); }
  std::uint32_t class_version(Class of) override { return path_.class_version(of); }
  bool clear_up() override { return path_.clear_up(); }

 protected:
  /// All instances that there are.
  std::vector<md::Address> instances() const {
    std::vector<md::Address> objects;
    core_.memory.blocks().for_each_live([&](const md::Block& block) {
      if (block.kind == md::BlockKind::instance) objects.push_back(md::object_in(block));
    });
    return objects;
  }

  md::Core& core_;
  md::Program& path_;
};

/// Runs the program on a broken `stock`, and tells kinds and what they are of.
template <class Broken>
std::vector<std::string> run(const Program& program,
                             const char* config = "layout=cpython312 compiler=inline") {
  static harness::Runner runner;
  harness::Scenario broken = scenario;
  broken.drive = [](harness::Scene& scene) {
    drive_path(scene, [](harness::Runtime& runtime, const md::Setup& setup) -> md::ManagedDict* {
      md::Core* core = runtime.scheduler.arena().make<md::Core>(runtime, setup);
      core->writer = runtime.scheduler.arena().make<md::Writer>(*core);
      return runtime.scheduler.arena().make<Broken>(*core);
    });
  };
  std::vector<std::string> words;
  const harness::Case the_case{&broken, variant_named("stock"),
                               harness::parse_config(scenario, config), &sim(), program.tape()};
  for (const harness::Fault& fault : runner.run(the_case).faults)
    words.push_back(std::string(to_label(fault.kind).view()) + " " + fault.object_kind.c_str() +
                    (fault.use_site == harness::Label("bound") ? " bound" : ""));
  return words;
}

Program everything() {
  return Program()
      .script(Op::new_instance, {0, 1})
      .script(Op::store_attr)
      .script(Op::load_attr)
      .script(Op::access_dict)
      .script(Op::with_block)
      .script(Op::subclass)
      .script(Op::launch);
}

TEST(ManagedDictJudges, FindNothingWhereNothingIsBroken) {
  EXPECT_THAT(run<Wrapper>(everything()), IsEmpty());
}

// ---- service ------------------------------------------------------------------------------------

template <Status answer>
class RefuseAll final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable, Class) override { return answer; }
  Status with_block(std::uint32_t, md::Body) override { return answer; }
};
TEST(ManagedDictJudges, APathThatRefusesEverythingIsRefuted) {
  EXPECT_THAT(run<RefuseAll<Status::memory_error>>(everything()), Contains("refusal new_instance"));
  EXPECT_THAT(run<RefuseAll<Status::driver_error>>(Program().script(Op::with_block)),
              Contains("refusal with_block"));
}

class ForgetAttributes final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status load_attr(Variable, Attribute) override { return Status::attribute_error; }
};
TEST(ManagedDictJudges, AnAttributeThatWasStoredIsThere) {
  EXPECT_THAT(run<ForgetAttributes>(everything()), Contains("refusal load_attr"));
}

class InventAttributes final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status load_attr(Variable, Attribute) override { return Status::ok; }
};
TEST(ManagedDictJudges, AnAttributeThatWasNotStoredIsNot) {
  const Program program = Program().script(Op::new_instance).script(Op::load_attr, {0, 3});
  EXPECT_THAT(run<InventAttributes>(program), Contains("wrong_value answer"));
}

class RefuseLaunches final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status launch(Variable) override { return Status::type_error; }
};
TEST(ManagedDictJudges, NumbersAreLaunchedWith) {
  EXPECT_THAT(run<RefuseLaunches>(everything()), Contains("refusal launch"));
}

class SubclassNever final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status subclass(Class) override { return Status::type_error; }
};
TEST(ManagedDictJudges, AClassIsSubclassedOnce) {
  EXPECT_THAT(run<SubclassNever>(everything()), Contains("refusal subclass"));
}

// ---- bounds -------------------------------------------------------------------------------------

/// Deletes the name, and keeps the object until the end.
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
TEST(ManagedDictJudges, AnInstanceGoesWithItsLastName) {
  Program program;
  for (int i = 0; i < 3; ++i) program.script(Op::new_instance).script(Op::del_instance);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepInstances>(program), Contains("retention instance bound"));
}

/// The collector finds nothing before the end.
class CollectNothing final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status collect() override { return Status::ok; }
};
TEST(ManagedDictJudges, ACycleGoesWhenItIsCollected) {
  Program program;
  for (int i = 0; i < 2; ++i)
    program.script(Op::new_instance).script(Op::store_attr, {0, 0, 3}).script(Op::del_instance);
  program.script(Op::collect);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<CollectNothing>(program), Contains("retention instance bound"));
}

/// Frees noise at the end.
class KeepNoise final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status drop_noise() override { return Status::ok; }
};
TEST(ManagedDictJudges, WhatIsFreedIsFreedAtOnce) {
  const Program program = Program().script(Op::hold_noise).script(Op::drop_noise);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepNoise>(program), Contains("retention noise bound"));
}

/// Keeps a reference to every number that an attribute had.
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
TEST(ManagedDictJudges, AValueGoesWithItsLastAttribute) {
  Program program;
  program.script(Op::new_instance);
  for (int i = 0; i < 30; ++i) program.script(Op::store_attr);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepNumbers>(program), Contains("retention int bound"));
}

/// Allocates a block of the kind whenever a dict is asked for, and frees it at the end.
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
TEST(ManagedDictJudges, ADictItsTableAndItsValuesGoWithTheirInstance) {
  Program program;
  program.script(Op::new_instance);
  for (int i = 0; i < 5; ++i) program.script(Op::access_dict);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepBlocks<md::BlockKind::dict>>(program), Contains("retention dict bound"));
  EXPECT_THAT(run<KeepBlocks<md::BlockKind::table>>(program), Contains("retention table bound"));
  EXPECT_THAT(run<KeepBlocks<md::BlockKind::values>>(program), Contains("retention values bound"));
}

/// A dict that nobody asked for, with each instance.
class MakeDicts final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    const Status status = path_.new_instance(into, of);
    for (const md::Address object : instances()) core_.attributes.materialise(object);
    return status;
  }
};
TEST(ManagedDictJudges, AnInstanceHasNoDictBeforeSomebodyAsks) {
  const Program program = Program().script(Op::new_instance);
  EXPECT_THAT(run<MakeDicts>(program), Contains("wrong_value dict"));
}

// ---- what a reader meets ------------------------------------------------------------------------

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
TEST(ManagedDictJudges, WhatIsDeletedIsNoLongerInVars) {
  EXPECT_THAT(run<Wrapper>(dict_program()), IsEmpty());
  EXPECT_THAT(run<DeleteNothing>(dict_program()), Contains("wrong_value vars()"));
}

// The same attribute is read after it was deleted, and after its dict was.
TEST(ManagedDictJudges, WhatIsDeletedIsReadAsGone) {
  const Program program = Program()
                              .script(Op::new_instance, {0, 1})
                              .script(Op::delete_attr, {0, 1})
                              .script(Op::load_attr, {0, 1})
                              .script(Op::delete_dict, {0})
                              .script(Op::load_attr, {0, 2});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
}

/// Takes an attribute away and puts it back.
class Reorder final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status load_attr(Variable variable, Attribute attribute) override {
    path_.delete_attr(variable, attribute);
    return path_.store_attr(variable, attribute, ValueKind::boolean);
  }
};
TEST(ManagedDictJudges, VarsIsInTheOrderOfInsertion) {
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
TEST(ManagedDictJudges, AnAttributeIsTheNumberThatWasStoredLast) {
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
TEST(ManagedDictJudges, ADictCountsWhatItHas) {
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
TEST(ManagedDictJudges, ADictThatIsHeldKeepsItsItemsWhenItsInstanceGoes) {
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
TEST(ManagedDictJudges, ADictIsOverTheValuesUntilItMustNot) {
  EXPECT_THAT(run<DetachAtOnce>(dict_program()), Contains("wrong_value kept in values"));
}

/// Takes the values out of the dict that it lets go of.
class DetachHeld final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status replace_dict(Variable variable) override {
    for (const md::Address object : instances())
      core_.dicts.detach(core_.attributes.look(object).dict);
    return path_.replace_dict(variable);
  }
};
TEST(ManagedDictJudges, SoIsADictThatIsHeld) {
  const Program program = Program()
                              .script(Op::new_instance, {0, 1})
                              .script(Op::access_dict, {0})
                              .script(Op::replace_dict, {0});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<DetachHeld>(program), Contains("wrong_value kept in values"));
}

/// One block more than an instance needs.
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
TEST(ManagedDictJudges, AnInstanceIsAsLargeAsItsLayoutSays) {
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
TEST(ManagedDictJudges, InlineValuesSayThatTheyAreEmbedded) {
  const Program program = Program().script(Op::new_instance);
  EXPECT_THAT(run<Wrapper>(program, "layout=cpython313 compiler=inline"), IsEmpty());
  EXPECT_THAT(run<ForgetEmbedded>(program, "layout=cpython313 compiler=inline"),
              Contains("wrong_value embedded"));
}

class KeepClass final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status set_class(Variable variable, Class) override {
    return path_.set_class(variable, path_.class_of(variable));
  }
};
TEST(ManagedDictJudges, AnInstanceIsOfTheClassItWasGiven) {
  const Program program = Program().script(Op::new_instance).script(Op::set_class, {0, 2});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepClass>(program), Contains("wrong_value class"));
}

/// Takes a reference of the class too many, and remembers that it did.
class CountClassTwice final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    core_.objects.incref(core_.types.named(of).address);
    return path_.new_instance(into, of);
  }
};
TEST(ManagedDictJudges, AClassHasAReferenceOfEachInstance) {
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
TEST(ManagedDictJudges, AModifiedClassHasAnotherVersion) {
  const Program program = Program()
                              .script(Op::new_instance)
                              .script(Op::force_compile)
                              .script(Op::store_attr)
                              .script(Op::set_type_attr, {0});
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<KeepVersion>(program), Contains("wrong_value class version"));
}

/// Each instance finds the keys of its class as they were at first.
class ForgetKeys final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status new_instance(Variable into, Class of) override {
    core_.types.named(of).keys = {};
    return path_.new_instance(into, of);
  }
};
TEST(ManagedDictJudges, AnInstanceGetsNoMoreRoomThanTheOneBefore) {
  const Program program =
      Program().script(Op::new_instance).script(Op::del_instance).script(Op::new_instance);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<ForgetKeys>(program), Contains("wrong_value room"));
}

// ---- kernels ------------------------------------------------------------------------------------

/// Another number is in the same object by the time it is launched with.
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
TEST(ManagedDictJudges, AKernelRunsWithTheNumbersThatWereStored) {
  const Program program = Program().script(Op::new_instance, {0, 1}).script(Op::launch);
  EXPECT_THAT(run<Wrapper>(program), IsEmpty());
  EXPECT_THAT(run<LaunchAnotherNumber>(program), Contains("wrong_value autocast_step"));
}

// ---- memory -------------------------------------------------------------------------------------

/// The heap has no memory from the second statement on.
class Starve final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status access_dict(Variable variable) override {
    core_.memory.blocks().limit_pools(0);
    return path_.access_dict(variable);
  }
};
TEST(ManagedDictJudges, WhatThereIsNoMemoryForIsNoRefusal) {
  const Program program = Program().script(Op::new_instance).script(Op::access_dict);
  EXPECT_THAT(run<Starve>(program), IsEmpty());
}

class PretendToStarve final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status access_dict(Variable) override { return Status::memory_error; }
};
TEST(ManagedDictJudges, WhatThereIsMemoryForIs) {
  const Program program = Program().script(Op::new_instance).script(Op::access_dict);
  EXPECT_THAT(run<PretendToStarve>(program), Contains("refusal access_dict"));
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
