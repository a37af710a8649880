// SPDX-License-Identifier: Apache-2.0
// T1-T10 (the headers of judges/) report planted faults: each test plants a single one in the
// interpreter.
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using harness::FaultKind;
using harness::Outcome;
using md::Address;

constexpr md::Attribute kPrev = 0;

void expect_one(const Outcome& outcome, FaultKind kind, harness::Label what) {
  ASSERT_EQ(outcome.faults.size(), 1u) << first_signature(outcome);
  EXPECT_EQ(outcome.faults[0].kind, kind);
  EXPECT_EQ(outcome.faults[0].object_kind.view(), what.view());
}

TEST(ManagedDictOracle, WithoutADefectNothingIsFound) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    on.core.code_observer().attribute_read(object, kPrev, on.core.attributes.get(object, kPrev));
    on.judge.heap().judge_all();
    on.core.objects.decref(object);
    on.judge.heap().judge_all();
  });
  EXPECT_EQ(first_signature(outcome), "");
}

TEST(ManagedDictOracle, T1AWordThatIsNeitherValuesNorDict) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address word = make_no_grad(on) + md::kWordOffset;
    on.core.memory.store<std::uint64_t>(word, on.core.memory.load<std::uint64_t>(word) - 1);
    on.judge.heap().judge_all();
  });
  expect_one(outcome, FaultKind::wrong_value, "tagged word");
}

TEST(ManagedDictOracle, T1AWordOfAnotherInstance) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    const Address other = make_no_grad(on);
    on.core.memory.store<std::uint64_t>(object + md::kWordOffset, on.core.attributes.word(other));
    on.judge.heap().judge_all();
  });
  expect_one(outcome, FaultKind::recycled_use, "tagged word");
}

TEST(ManagedDictOracle, T2AChangedPrefixIsSeenWhenTheChunkIsFreed) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address values = on.core.attributes.look(make_no_grad(on)).values;
    on.core.memory.store<std::uint8_t>(values + md::kPrefixByteOffset, 9);
    on.core.allocator.free_values(values);
  });
  ASSERT_EQ(outcome.faults.size(), 2u) << first_signature(outcome);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::wrong_owner) << "free() got a pointer one byte off";
  EXPECT_EQ(outcome.faults[1].object_kind.view(), "prefix");
}

TEST(ManagedDictOracle, T2AChunkThatBeginsOneByteEarlyIsMisaligned) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    on.core.objects.increment(on.core.attributes.word(object));
    on.core.objects.decref(object);
    on.core.attributes.make(on.core.types.named(md::Class::no_grad));
    on.judge.heap().judge_all();
  });
  bool misaligned = false;
  for (const harness::Fault& fault : outcome.faults)
    misaligned |= fault.object_kind == harness::Label("misaligned values");
  EXPECT_TRUE(misaligned);
}

TEST(ManagedDictOracle, T3ABlockWithTwoOwnersEndsTheRun) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address block = on.core.allocator.malloc(24, md::BlockKind::noise);
    on.core.allocator.free(block);
    on.core.allocator.free(block);
    on.core.allocator.malloc(24, md::BlockKind::noise);
    on.core.allocator.malloc(24, md::BlockKind::noise);
    ADD_FAILURE() << "the run went on";
  });
  ASSERT_EQ(outcome.faults.size(), 2u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::double_free);
  EXPECT_EQ(outcome.faults[1].kind, FaultKind::recycled_use);
  EXPECT_TRUE(outcome.faults[1].fatal);
}

TEST(ManagedDictOracle, T4AnotherValueThanTheLastOneStored) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    const Address values = on.core.attributes.look(object).values;
    on.core.memory.store<std::uint64_t>(values, on.core.types.boolean(false));
    on.core.code_observer().attribute_read(object, kPrev, on.core.attributes.get(object, kPrev));
  });
  expect_one(outcome, FaultKind::wrong_value, "attribute");
}

TEST(ManagedDictOracle, T4ACountedPointerInRemainingValues) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    on.judge.heap().judge_left();
    on.core.objects.increment(on.core.attributes.look(object).values);
    on.judge.heap().judge_left();
  });
  expect_one(outcome, FaultKind::wrong_value, "attribute");
}

TEST(ManagedDictOracle, ACountThatIsWrongIsSeenAndNotReported) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    EXPECT_FALSE(on.judge.heap().finds_miscount());
    on.core.objects.increment(object);
    EXPECT_TRUE(on.judge.heap().finds_miscount());
  });
  EXPECT_EQ(first_signature(outcome), "");
}

TEST(ManagedDictOracle, T4AnotherValueThanItsClassHas) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    constexpr md::Class kOf = md::Class::no_grad;
    on.core.jit.compile(md::Function::enter);
    on.core.caches.fill_type(kOf, on.core.types.named(kOf), on.core.types.boolean(false));
    const Address value = on.core.jit.load_type_attr(md::Function::enter, kOf);
    on.core.code_observer().class_attribute_read(kOf, value);
  });
  expect_one(outcome, FaultKind::wrong_value, "class attribute");
}

TEST(ManagedDictOracle, T5AReferenceThatWasNotTaken) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    on.core.objects.increment(make_no_grad(on));
    on.judge.heap().judge_all();
  });
  expect_one(outcome, FaultKind::wrong_value, "reference count");
}

TEST(ManagedDictOracle, T5AnImmortalWhoseCountChanged) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    on.core.memory.store<std::uint64_t>(on.core.types.boolean(true), md::kImmortal + 1);
    on.judge.heap().judge_all();
  });
  expect_one(outcome, FaultKind::wrong_value, "reference count");
}

TEST(ManagedDictOracle, T5NoneIsCountedBefore312) {
  const auto before = [](md::Setup& setup) { setup.version = md::Version::cpython311; };
  const Outcome outcome = run_interpreter(
      [](Interpreter& on) {
        on.core.objects.incref(on.core.types.none());
        on.judge.heap().judge_all();  // Correct so far.
        on.core.objects.increment(on.core.types.none());
        on.judge.heap().judge_all();
      },
      before);
  expect_one(outcome, FaultKind::wrong_value, "reference count");
}

TEST(ManagedDictOracle, T6FreeOfWhatMallocDidNotReturn) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    on.core.allocator.free(on.core.allocator.malloc(24, md::BlockKind::noise) + 1);
  });
  expect_one(outcome, FaultKind::wrong_owner, "noise");
}

TEST(ManagedDictOracle, T6AWriteToTheBytePastABlock) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address block = on.core.allocator.malloc(24, md::BlockKind::noise);
    on.core.memory.store<std::uint8_t>(block + 24, 1);
    on.core.allocator.free(block);
  });
  expect_one(outcome, FaultKind::wrong_value, "padding");
}

TEST(ManagedDictOracle, T7CompiledCodeThatCountsATaggedWord) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address word = on.core.attributes.word(make_no_grad(on));
    const md::ModuleScope module(on.core.memory, md::Module::jit);
    on.core.objects.increment(word);
    on.core.memory.store<std::uint8_t>(word, 8);  // The same value: only the action is wrong.
  });
  expect_one(outcome, FaultKind::api_misuse, "tagged word");
}

TEST(ManagedDictOracle, T8WithoutACompiledStoreARunShowsNothing) {
  harness::Runner runner;
  const Program program = Program().script(Op::with_block);
  const char* config = "layout=cpython312 compiler=inline";
  EXPECT_FALSE(runner.run(make_case("stock", config, program)).vacuous);
  EXPECT_TRUE(runner.run(make_case("skip_compilation", config, program)).vacuous);
  const Program uncompiled = Program().script(Op::new_instance).script(Op::load_attr);
  EXPECT_TRUE(runner.run(make_case("stock", config, uncompiled)).vacuous);
}

TEST(ManagedDictOracle, T9ACacheThatMissesThatItsTypeWasModified) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const md::Type& type = on.core.types.named(md::Class::no_grad);
    on.core.caches.fill(on.core.caches.store_cache(0), type, kPrev);
    on.core.memory.store<std::uint32_t>(type.address + md::kTypeVersionOffset, 0);
    on.judge.heap().judge_all();
  });
  expect_one(outcome, FaultKind::wrong_value, "cache entry");
}

TEST(ManagedDictOracle, T9ACacheOfATypeThatHasNoVersion) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const md::Type& type = on.core.types.named(md::Class::no_grad);
    on.core.caches.store_cache(0).fill({type.address, 0, kPrev, 0, 0});
    on.judge.heap().judge_all();
  });
  expect_one(outcome, FaultKind::wrong_value, "cache entry");
}

TEST(ManagedDictOracle, T10ACacheWhoseValueHasDied) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address number = on.core.objects.new_number(7);
    on.core.caches.fill_type(md::Class::no_grad, on.core.types.named(md::Class::no_grad), number);
    on.core.objects.decref(number);
    on.judge.heap().judge_all();
  });
  expect_one(outcome, FaultKind::use_after_free, "cache entry");
}

TEST(ManagedDictOracle, AnUnmappedAddressIsTheModeledCrash) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    on.core.memory.load<std::uint64_t>(0xab);
    ADD_FAILURE() << "the run went on";
  });
  expect_one(outcome, FaultKind::wild_access, "null page");
  EXPECT_TRUE(outcome.faults[0].fatal);
}

TEST(ManagedDictOracle, ANullThatWasCountedIsASmallIntegerTakenForAnObject) {
  const Outcome outcome =
      run_interpreter([](Interpreter& on) { on.core.memory.load<std::uint64_t>(1); });
  expect_one(outcome, FaultKind::wild_access, "small integer");
}

TEST(ManagedDictOracle, AFreedBlockIsTheModeledCrash) {
  const Outcome outcome = run_interpreter([](Interpreter& on) {
    const Address block = on.core.allocator.malloc(24, md::BlockKind::noise);
    on.core.allocator.free(block);
    on.core.memory.load<std::uint64_t>(block);
    ADD_FAILURE() << "the run went on";
  });
  expect_one(outcome, FaultKind::use_after_free, "noise");
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
