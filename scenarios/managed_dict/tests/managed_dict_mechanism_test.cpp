// SPDX-License-Identifier: Apache-2.0
// Which mechanisms look alike, and how their effects differ: the report's hypotheses compared.
#include <gtest/gtest.h>

#include <set>

#include "harness/core/fault/kinds.h"
#include "harness/core/pick/replay.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Outcome;
using md::Address;

const char* const kConfig = "layout=cpython312 compiler=inline";

/// Runs with blocks, in the first of which the writer fires once.
Outcome run_fired(std::string_view variant, std::uint32_t blocks = 2, std::uint32_t kind = 1) {
  Program program;
  for (std::uint32_t i = 0; i < blocks; ++i) program.script(Op::with_block);
  harness::Case the_case = make_case(variant, kConfig, program);
  the_case.tape.push_back(
      {harness::slot_name(0, 0), harness::site_tag(harness::Site::failure), 0, kind});
  static harness::Runner runner;
  return runner.run(the_case);
}

const Fault* crash_of(const Outcome& outcome) {
  return !outcome.faults.empty() && outcome.faults.back().fatal ? &outcome.faults.back() : nullptr;
}

bool shows(const Outcome& outcome, FaultKind kind, harness::Label what) {
  for (const Fault& fault : outcome.faults)
    if (fault.kind == kind && fault.object_kind == what) return true;
  return false;
}

TEST(ManagedDictMechanism, FourMechanismsEndInTheSameCrash) {
  const char* const signature = "wild_access null page used:PyDict_SetItem";
  for (const char* variant :
       {"clear_tag_byte", "encode_twice", "misdirected_decref", "incref_tagged_word"}) {
    const Outcome outcome = run_fired(variant);
    const Fault* crash = crash_of(outcome);
    ASSERT_NE(crash, nullptr) << variant;
    EXPECT_EQ(crash->signature(), signature) << variant;
    EXPECT_EQ(crash->detail, "SIGSEGV at 0xab") << variant;
  }
}

TEST(ManagedDictMechanism, OnlyOneMechanismCountsTheWordWithoutWritingIt) {
  for (const char* variant : {"clear_tag_byte", "encode_twice", "misdirected_decref"}) {
    const Outcome outcome = run_fired(variant);
    EXPECT_TRUE(shows(outcome, FaultKind::wrong_value, "tagged word")) << variant;
    EXPECT_FALSE(shows(outcome, FaultKind::api_misuse, "tagged word")) << variant;
  }
  const Outcome counted = run_fired("incref_tagged_word");
  EXPECT_TRUE(shows(counted, FaultKind::api_misuse, "tagged word"));
  EXPECT_TRUE(shows(counted, FaultKind::wrong_owner, "values"));
  EXPECT_FALSE(shows(counted, FaultKind::wrong_value, "tagged word"))
      << "its word is the legal one";
}

TEST(ManagedDictMechanism, AnEvenCountReadsBackNeverCrashesAndIsCaught) {
  for (const std::uint32_t kind : {1u, 2u}) {
    const Outcome outcome = run_fired("even_tagged_count", 6, kind);
    EXPECT_TRUE(outcome.failed());
    EXPECT_EQ(crash_of(outcome), nullptr) << crash_of(outcome)->signature();
    EXPECT_FALSE(shows(outcome, FaultKind::wrong_value, "attribute"));
    EXPECT_FALSE(shows(outcome, FaultKind::wrong_value, "autocast_step"));
    EXPECT_TRUE(shows(outcome, FaultKind::wrong_owner, "values"));
  }
}

// Repetition separates them: clearing the low bit twice changes nothing, subtracting does.
TEST(ManagedDictMechanism, ClearingIsIdempotentAndSubtractingIsNot) {
  run_interpreter([](Interpreter& on) {
    const Address object = make_no_grad(on);
    const Address byte = object + md::kWordOffset;
    const auto value = on.core.memory.load<std::uint8_t>(byte);
    for (int i = 0; i < 2; ++i)
      on.core.memory.store<std::uint8_t>(byte, on.core.memory.load<std::uint8_t>(byte) & 0xfe);
    EXPECT_EQ(on.core.memory.load<std::uint8_t>(byte), value - 1);
    on.core.memory.store<std::uint8_t>(byte, value);
    for (int i = 0; i < 2; ++i) on.core.objects.decrement(object + md::kWordOffset);
    EXPECT_EQ(on.core.memory.load<std::uint8_t>(byte), value - 2);
    EXPECT_TRUE(md::is_values(on.core.attributes.word(object))) << "it looks valid again";
  });
}

// k stray references: the next chunk is k bytes early, and its word's low byte is 0x97-k.
TEST(ManagedDictMechanism, StrayCountsMoveTheNextChunkByTheirNumber) {
  for (const int k : {-3, -2, -1, 1, 2, 3}) {
    run_interpreter([&](Interpreter& on) {
      const Address object = make_no_grad(on);
      const std::uint64_t word = on.core.attributes.word(object);
      for (int i = 0; i < k; ++i) on.core.objects.increment(word);
      for (int i = 0; i > k; --i) on.core.objects.decrement(word);
      on.core.objects.decref(object);
      const Address next = on.core.attributes.make(on.core.types.named(md::Class::no_grad));
      EXPECT_EQ(next, object);
      EXPECT_EQ(on.core.attributes.word(next), word - static_cast<std::uint64_t>(k));
    });
  }
}

/// Returns the prefix byte after a reference was taken and given up through the word.
std::uint32_t prefix_after_balance(bool fixed_program) {
  std::uint32_t prefix = 0;
  run_interpreter(
      [&](Interpreter& on) {
        const std::uint64_t word = on.core.attributes.word(make_no_grad(on));
        on.core.objects.increment(word);
        on.core.objects.decrement(word);
        prefix = on.core.memory.load<std::uint8_t>(word);
      },
      [&](md::Setup& setup) { setup.placement.fixed_program = fixed_program; });
  return prefix;
}

TEST(ManagedDictMechanism, ABalancedPairSticksWhereBit23OfTheValueIsSet) {
  EXPECT_EQ(prefix_after_balance(false), 8u);
  EXPECT_EQ(prefix_after_balance(true), 9u) << "True is at 0x90....: only INCREF counts";
}

TEST(ManagedDictMechanism, AMisdirectedDecrefIsGatedByBit31OfTheWord) {
  for (const bool bit31 : {false, true})
    run_interpreter(
        [&](Interpreter& on) {
          const Address object = make_no_grad(on);
          const std::uint64_t word = on.core.attributes.word(object);
          on.core.objects.decrement(object + md::kWordOffset);
          EXPECT_EQ(on.core.attributes.word(object), bit31 ? word : word - 1);
        },
        [&](md::Setup& setup) { setup.placement.heap_bit31 = bit31; });
}

/// Records stores to the tagged word: module, width and change.
class Stores final : public md::MemoryObserver {
 public:
  void stored(const md::Store& store) override {
    const auto first = store.offset;
    const auto last = first + store.width - 1;
    constexpr std::int32_t kWordInBlock = md::kPreheaderBytes + md::kWordOffset;
    if (store.kind != md::BlockKind::instance || last < kWordInBlock || first >= kWordInBlock + 8)
      return;
    if (store.module == md::Module::jit || store.module == md::Module::collector)
      seen.insert({store.width, store.before - store.after});
  }
  std::set<std::pair<int, std::uint64_t>> seen;
};

/// Records a run's first store to a word by compiled code or an unknown module.
class Widths final : public md::MemoryObserver {
 public:
  void began(md::Version) override { first_ = true; }
  void stored(const md::Store& store) override {
    constexpr std::int32_t kWordInBlock = md::kPreheaderBytes + md::kWordOffset;
    const bool in_word = store.offset + store.width > kWordInBlock &&
                         store.offset < kWordInBlock + static_cast<std::int32_t>(md::kWord);
    const bool theirs = store.module == md::Module::jit || store.module == md::Module::unknown;
    if (!first_ || store.kind != md::BlockKind::instance || !in_word || !theirs) return;
    seen_.insert({store.whole, store.offset - store.part - kWordInBlock});
    first_ = false;
  }
  /// Returns pairs of width and offset in the word.
  std::set<std::pair<int, int>> take() { return std::exchange(seen_, {}); }

 private:
  std::set<std::pair<int, int>> seen_;
  bool first_ = true;
};

// All widths that the report could have met: 1, 2, 4, 8 and 16 bytes, a memset(), and a byte
// through a stale pointer.
TEST(ManagedDictMechanism, WritersOfEveryWidthAreSeenAsWideAsTheyAre) {
  using Widths_ = std::set<std::pair<int, int>>;
  const std::vector<std::pair<std::string_view, Widths_>> expected{
      {"clear_tag_byte", {{1, 0}}},           {"clear_tag_of_two_bytes", {{2, 0}}},
      {"subtract_from_four_bytes", {{4, 0}}}, {"straddling_store", {{8, -4}}},
      {"torn_word_store", {{8, 0}}},          {"store_sixteen_bytes", {{16, -8}}},
      {"stale_byte_store", {{1, 0}}},         {"stale_memset", {{9, -8}, {10, -8}, {16, -8}}}};
  harness::Runner runner;
  for (const auto& [variant, widths] : expected) {
    static Widths watching;
    harness::Scenario watched = scenario;
    watched.drive = [](harness::Scene& scene) { drive_shaped(scene, kWholeShape, &watching); };
    const auto walk = harness::find(harness::tables::strategies(), "random_walk")->make(1);
    for (int i = 0; i < 4000; ++i)
      runner.run(watched, variant_named(variant), harness::parse_config(scenario, kConfig), sim(),
                 *walk);
    EXPECT_EQ(watching.take(), widths) << variant;
  }
}

// The report's class (e): bytes of two words, neither of which has its tag cleared. They cannot
// give a low byte of 0x96: a legal word ends in 7 or f, a dict in 0.
TEST(ManagedDictMechanism, ATornWordCrashesLikeTheReportAndNeverEndsIn96) {
  harness::Runner runner;
  const auto walk = harness::find(harness::tables::strategies(), "random_walk")->make(5);
  std::size_t crashes = 0, torn = 0;
  for (int i = 0; i < 60'000; ++i) {
    const Outcome outcome = runner.run(scenario, variant_named("torn_word_store"),
                                       harness::parse_config(scenario, kConfig), sim(), *walk);
    const Fault* crash = crash_of(outcome);
    crashes += crash != nullptr && crash->detail == "SIGSEGV at 0xab";
    for (const Fault& fault : outcome.faults) {
      if (fault.object_kind != harness::Label("tagged word")) continue;
      ++torn;
      EXPECT_EQ(fault.detail.find("96 instead"), std::string::npos) << fault.detail;
    }
  }
  EXPECT_GE(crashes, 1U);
  EXPECT_GE(torn, 20U);
}

// A run with an instrument equals one without.
TEST(ManagedDictMechanism, AnObserverDoesNotChangeARun) {
  static Stores stores;
  harness::Scenario watched = scenario;
  watched.drive = [](harness::Scene& scene) { drive_shaped(scene, kWholeShape, &stores); };
  harness::Runner runner;
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant) {
    const auto walk = harness::find(harness::tables::strategies(), "random_walk")->make(variant);
    for (int i = 0; i < 50; ++i) {
      const harness::Config config = harness::config_at(scenario, static_cast<std::size_t>(i) % 6);
      const Outcome plain = runner.run(scenario, variant, config, sim(), *walk);
      const std::uint64_t trace = runner.trace_hash();
      runner.run(harness::Case{&watched, variant, config, &sim(), plain.tape});
      ASSERT_EQ(runner.trace_hash(), trace) << scenario.variants[variant].name.view() << " " << i;
    }
  }
  EXPECT_GE(stores.seen.size(), 3u) << "no one was watched";
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
