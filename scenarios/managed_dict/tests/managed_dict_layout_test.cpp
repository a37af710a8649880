// SPDX-License-Identifier: Apache-2.0
// The facts of the layouts, as observed with a hardware watchpoint on CPython 3.12.1.
#include <gtest/gtest.h>

#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using md::Address;

/// Records the writers of one word.
class WordWatch final : public md::MemoryObserver {
 public:
  struct Write {
    md::Module module;
    std::uint64_t after;
  };
  void stored(const md::Store& store) override {
    if (store.kind == md::BlockKind::instance && store.offset == kWordInBlock)
      writes.push_back({store.module, store.after});
  }
  std::vector<Write> writes;

 private:
  static constexpr std::int32_t kWordInBlock = md::kPreheaderBytes + md::kWordOffset;
};

TEST(ManagedDictLayout, AWarmInstanceHas48BytesAndItsChunk24) {
  run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    const md::Block* block = on.core.memory.find(object);
    EXPECT_EQ(block->bytes, 48u);
    EXPECT_EQ(object - block->begin, 0x20u);
    const Address values = on.core.attributes.look(object).values;
    const md::Block* chunk = on.core.memory.find(values);
    EXPECT_EQ(chunk->bytes, 24u);
    EXPECT_EQ(chunk->capacity, 32u);
    EXPECT_EQ(values - chunk->begin, 8u);
  });
}

TEST(ManagedDictLayout, TheValuesEndIn8AndTheWordIn7) {
  run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    EXPECT_EQ(on.core.attributes.look(object).values % 16, 8u);
    EXPECT_EQ(on.core.attributes.word(object) % 16, 7u);
    EXPECT_EQ(on.core.memory.load<std::uint8_t>(on.core.attributes.word(object)), 8)
        << "the word is the address of the prefix byte";
  });
}

// The report's watchpoint was there, because of a sign error.
TEST(ManagedDictLayout, TheWordAfterAnObjectBelongsToTheNextInstance) {
  run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    const Address next = make_no_grad(on);
    EXPECT_EQ(object + 0x18, next + md::kWordOffset);
  });
}

TEST(ManagedDictLayout, AddressesAreReusedAndIdentitiesAreNot) {
  run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    const harness::BirthId id = on.core.memory.find(object)->id;
    const std::uint64_t word = on.core.attributes.word(object);
    on.core.objects.decref(object);
    const Address again = make_no_grad(on);
    EXPECT_EQ(again, object);
    EXPECT_EQ(on.core.attributes.word(again), word);
    EXPECT_NE(on.core.memory.find(again)->id, id);
  });
}

// Zeroed, set to values, set to a dict, cleared: nothing else, whatever is stored, loaded or
// collected.
TEST(ManagedDictLayout, TheLifeOfAWordOnStockHasFourWrites) {
  WordWatch watch;
  Address dict = 0;
  run_interpreter(
      [&](Interpreter& on) {
        const Address object = make_no_grad(on);
        for (int i = 0; i < 3; ++i) {
          on.core.attributes.set(object, 0, on.core.types.boolean(i % 2 != 0));
          on.core.attributes.get(object, 0);
          on.core.collector.collect();
        }
        EXPECT_EQ(watch.writes.size(), 2u);
        dict = on.core.attributes.materialise(object);
        on.core.objects.decref(object);
      },
      [&](md::Setup& setup) { setup.observers.memory = &watch; });
  ASSERT_EQ(watch.writes.size(), 4u);
  EXPECT_EQ(watch.writes[0].after, 0u);
  EXPECT_EQ(watch.writes[1].after % 2, 1u);
  EXPECT_EQ(watch.writes[2].after, dict);
  EXPECT_EQ(watch.writes[3].after, 0u);
}

TEST(ManagedDictLayout, OlderAndNewerLayoutsHaveNoTag) {
  for (const md::Version version : {md::Version::cpython311, md::Version::cpython313}) {
    run_interpreter(
        [](Interpreter& on) {
          const Address object = make_no_grad(on);
          EXPECT_EQ(on.core.attributes.word(object), 0u);
          const Address dict = on.core.attributes.materialise(object);
          EXPECT_EQ(on.core.attributes.word(object), dict);
        },
        [&](md::Setup& setup) { setup.version = version; });
  }
}

TEST(ManagedDictLayout, InlineValuesRemainValidWhenADictSharesThem) {
  run_interpreter(
      [](Interpreter& on) {
        const Address object = make_no_grad(on);
        const Address dict = on.core.attributes.materialise(object);
        EXPECT_EQ(on.core.attributes.look(object).values, object + 16 + 8);
        EXPECT_EQ(on.core.dicts.get(dict, 0), on.core.types.boolean(true));
      },
      [](md::Setup& setup) { setup.version = md::Version::cpython313; });
}

TEST(ManagedDictLayout, SharedKeysShrinkWhileAClassIsYoung) {
  run_interpreter(
      [](Interpreter& on) {
        md::Type& type = on.core.types.named(md::Class::no_grad);
        const std::uint32_t first =
            on.core.memory.find(on.core.attributes.look(make_no_grad(on)).values)->bytes;
        for (int i = 0; i < 40; ++i) make_no_grad(on);
        const std::uint32_t last =
            on.core.memory.find(on.core.attributes.look(make_no_grad(on)).values)->bytes;
        EXPECT_GT(first, 200u);
        EXPECT_EQ(last, 24u);
        EXPECT_EQ(type.keys.size(), 2u);
      },
      [](md::Setup& setup) { setup.warm_up = 0; });
}

TEST(ManagedDictLayout, MoreAttributesThanKeysMoveToADict) {
  for (const md::Version version :
       {md::Version::cpython312, md::Version::cpython311, md::Version::cpython313}) {
    const harness::Outcome outcome = run_interpreter(
        [](Interpreter& on) {
          const Address object = make_no_grad(on);
          for (md::Attribute i = 1; i < 31; ++i)
            EXPECT_EQ(on.core.attributes.set(object, i, on.core.types.boolean(i % 2 != 0)),
                      md::Status::ok);
          for (md::Attribute i = 1; i < 31; ++i)
            EXPECT_EQ(on.core.attributes.get(object, i), on.core.types.boolean(i % 2 != 0));
          EXPECT_NE(on.core.attributes.look(object).dict, 0u);
          on.core.objects.decref(object);
        },
        [&](md::Setup& setup) { setup.version = version; });
    EXPECT_EQ(first_signature(outcome), "");
  }
}

// ---- counting ---------------------------------------------------------------------------------

TEST(ManagedDictCounts, ImmortalsAreNotCounted) {
  run_interpreter([](Interpreter& on) {
    const Address object = on.core.types.boolean(true);
    on.core.objects.incref(object);
    on.core.objects.decref(object);
    EXPECT_EQ(on.core.memory.load<std::uint64_t>(object), md::kImmortal);
  });
}

TEST(ManagedDictCounts, IncrefSaturatesAtTheWrapAndDecrefAtTheSign) {
  run_interpreter([](Interpreter& on) {
    const Address number = on.core.objects.new_number(7);
    const auto balanced = [&](std::uint64_t count) {
      on.core.memory.store<std::uint64_t>(number, count);
      on.core.objects.increment(number);
      on.core.objects.decrement(number);
      return on.core.memory.load<std::uint64_t>(number);
    };
    EXPECT_EQ(balanced(5), 5u);
    EXPECT_EQ(balanced(0x8000'0000), 0x8000'0001u) << "only the first of the two counts";
    EXPECT_EQ(balanced(0xffff'ffff), 0xffff'ffffu) << "neither does";
  });
}

TEST(ManagedDictCounts, ACycleIsCollectedWithItsValues) {
  for (const md::Version version :
       {md::Version::cpython312, md::Version::cpython311, md::Version::cpython313})
    for (const bool has_dict : {false, true}) {
      const harness::Outcome outcome = run_interpreter(
          [&](Interpreter& on) {
            const Address object = make_no_grad(on);
            on.core.attributes.set(object, 0, object);
            if (has_dict) on.core.attributes.materialise(object);
            const Address kept = make_no_grad(on);
            on.core.objects.decref(object);
            EXPECT_NE(on.judge.state().instances.find(object), nullptr);
            EXPECT_EQ(on.core.collector.collect(), has_dict ? 2u : 1u);
            EXPECT_EQ(on.judge.state().instances.find(object), nullptr);
            EXPECT_NE(on.judge.state().instances.find(kept), nullptr);
            on.judge.heap().judge_all();
          },
          [&](md::Setup& setup) { setup.version = version; });
      EXPECT_EQ(first_signature(outcome), "");
    }
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
