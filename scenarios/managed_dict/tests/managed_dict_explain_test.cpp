// SPDX-License-Identifier: Apache-2.0
// `explain` on cases found and minimized by a search; and instruments change nothing.
#include "scenarios/managed_dict/explain/explain.h"

#include <gtest/gtest.h>

#include <map>

#include "harness/search/search.h"
#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {
extern const harness::Scenario scenario;

namespace {

using harness::Case;
using harness::InstrumentSet;
using harness::Outcome;
using harness::Runner;

/// Class of each writer, as in the path's README. Variants without a class write nothing.
const std::map<std::string, std::string, std::less<>> kClasses{{"clear_tag_byte", "a"},
                                                               {"subtract_from_tag_byte", "a"},
                                                               {"move_tag_byte", "a"},
                                                               {"encode_twice", "b"},
                                                               {"misdirected_decref", "b"},
                                                               {"clear_gc_flag_off_header", "b"},
                                                               {"straddling_store", "b"},
                                                               {"clear_tag_of_two_bytes", "b"},
                                                               {"subtract_from_four_bytes", "b"},
                                                               {"store_sixteen_bytes", "b"},
                                                               {"stale_pointer_store", "c"},
                                                               {"stale_byte_store", "c"},
                                                               {"stale_memset", "c"},
                                                               {"insertion_order_overrun", "c"},
                                                               {"release_before_store", "c"},
                                                               {"torn_word_store", "e"},
                                                               {"stale_cache_value", "h"},
                                                               {"incref_tagged_word", "f"},
                                                               {"decref_tagged_word", "f"},
                                                               {"balanced_tagged_count", "f"},
                                                               {"even_tagged_count", "f"},
                                                               {"incref_decoded_values", "g"}};

std::string name_of(std::size_t variant) { return scenario.variants[variant].name.c_str(); }

const harness::DeviceInfo& sim() { return *find(harness::tables::devices(), "sim"); }

/// Writers that rarely act get a longer search.
harness::SearchResult search(Runner& runner, std::size_t variant) {
  harness::SearchOptions options;
  options.strategy = find(harness::tables::strategies(), "random_walk");
  options.device = &sim();
  options.second_limit = 0;
  options.finding_limit = 6;
  options.minimize_limits.run_limit = 500;
  harness::SearchResult result;
  for (options.run_limit = 3000; result.findings.empty() && options.run_limit < 100'000;
       options.run_limit *= 4)
    result = harness::search(runner, scenario, variant, options);
  return result;
}

/// Runs the case until its instruments are complete.
void observe(Runner& runner, const Case& the_case, ManagedInstruments& instruments) {
  do runner.run(the_case, instruments);
  while (instruments.wants_another_run());
}

TEST(ManagedDictExplain, EveryUnsoundVariantHasAClass) {
  for (const harness::VariantInfo& variant : scenario.variants)
    EXPECT_EQ(kClasses.contains(variant.name.view()),
              variant.claim.kind == harness::ClaimKind::unsound)
        << variant.name.view();
}

/// Returns the classes that a diagnosis names: "c|e" has two; "d", "-" and "vacuous" have none.
std::string accused(const std::string& kind) {
  if (kind == "vacuous") return "";
  std::string letters = kind;
  std::erase_if(letters, [](char one) { return one == '|' || one == '-' || one == 'd'; });
  return letters;
}

/// Counts of the diagnoses for the cases of one class.
struct Tally {
  std::size_t named = 0;    ///< Only the right class.
  std::size_t among = 0;    ///< The right class and others, because the record fits them all.
  std::size_t nothing = 0;  ///< No class.
  std::size_t wrong = 0;    ///< Only other classes.
  void add(const std::string& kind, const std::string& truth) {
    const std::string letters = accused(kind);
    const bool right = letters.find(truth) != std::string::npos;
    ++(letters.empty() ? nothing : !right ? wrong : letters == truth ? named : among);
  }
};

// Without the debug allocator the conclusion is wrong: stray counts look like
// recycling.
TEST(ManagedDictExplain, NamesTheRightClassInMinimizedCasesOrNone) {
  constexpr InstrumentSet kNoAllocator =
      instrument_bit(Instrument::debug_allocator) | instrument_bit(Instrument::crash_report);
  Runner runner;
  std::size_t misled = 0, counted = 0;
  std::map<std::string, Tally> tallies;
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant) {
    if (!kClasses.contains(name_of(variant))) continue;
    const std::string& truth = kClasses.at(name_of(variant));
    const harness::SearchResult result = search(runner, variant);
    EXPECT_FALSE(result.findings.empty()) << name_of(variant);
    for (const harness::Finding& finding : result.findings) {
      ManagedInstruments instruments(false);
      observe(runner, finding.reproducer.the_case, instruments);
      tallies[truth].add(instruments.diagnose(0).kind, truth);
      EXPECT_EQ(tallies[truth].wrong, 0U)
          << name_of(variant) << ": " << finding.signature << ": " << instruments.diagnose(0).kind;
      misled += truth == "f" && instruments.diagnose(kNoAllocator).kind == "d";
      counted += truth == "f";
    }
  }
  for (const auto& [truth, count] : tallies)
    EXPECT_GT(2 * count.named, count.among + count.nothing) << truth;
  EXPECT_GE(misled, counted - counted / 10) << "of " << counted;
}

/// Calls `look` for a number of runs, faulty or not.
template <class Look>
void for_some_runs(std::size_t variant, std::size_t count, Look look) {
  Runner runner;
  const auto strategy = find(harness::tables::strategies(), "random_walk")->make(7);
  for (std::size_t i = 0; i < count; ++i) {
    const harness::Config config = config_at(scenario, i % config_count(scenario));
    const Outcome& outcome = runner.run(scenario, variant, config, sim(), *strategy);
    look(runner, Case{&scenario, variant, config, &sim(), outcome.tape});
  }
}

TEST(ManagedDictExplain, FindsNothingInLegalPrograms) {
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant) {
    if (kClasses.contains(name_of(variant))) continue;
    for_some_runs(variant, 300, [&](Runner& runner, const Case& the_case) {
      ManagedInstruments instruments(false);
      observe(runner, the_case, instruments);
      const std::string kind = instruments.diagnose(0).kind;
      EXPECT_TRUE(kind == "d" || kind == "vacuous") << name_of(variant) << ": " << kind;
    });
  }
}

/// All results of a run.
struct Seen {
  std::vector<harness::Fault> faults;
  harness::Tape tape;
  std::uint64_t trace;
  std::uint64_t reached;
  bool operator==(const Seen&) const = default;
};

Seen seen(const Runner& runner, const Outcome& outcome) {
  return {outcome.faults, outcome.tape, runner.trace_hash(), outcome.reached};
}

TEST(ManagedDictExplain, ObservationChangesNeitherVerdictNorTrace) {
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant)
    for_some_runs(variant, 60, [&](Runner& runner, const Case& the_case) {
      const Seen plain = seen(runner, runner.run(the_case));
      for (const bool hardware : {false, true}) {
        ManagedInstruments instruments(hardware);
        do EXPECT_EQ(seen(runner, runner.run(the_case, instruments)), plain) << name_of(variant);
        while (instruments.wants_another_run());
      }
    });
}

TEST(ManagedDictExplain, TheHardwareWatchAgreesWithTheInstrumentation) {
  if (const std::string& why_not = harness::instruments::HardwareWatch::why_not(); !why_not.empty())
    GTEST_SKIP() << why_not;
  std::uint64_t writes = 0;
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant)
    for_some_runs(variant, 12, [&](Runner& runner, const Case& the_case) {
      ManagedInstruments with(true), without(false);
      observe(runner, the_case, with);
      observe(runner, the_case, without);
      EXPECT_EQ(with.diagnose(0).kind, without.diagnose(0).kind);
      EXPECT_EQ(with.record(), without.record());
      EXPECT_EQ(with.hardware().unaccounted, 0U) << name_of(variant);
      writes += with.hardware().writes;
    });
  EXPECT_GT(writes, 0U);
}

TEST(ManagedDictExplainPlanted, AnUninstrumentedWriteIsSeenByTheHardware) {
  if (const std::string& why_not = harness::instruments::HardwareWatch::why_not(); !why_not.empty())
    GTEST_SKIP() << why_not;
  alignas(8) std::byte heap[64] = {};
  auto* words = reinterpret_cast<volatile std::uint64_t*>(heap);
  constexpr targets::managed_dict::Address kBase = 0x7f0000000000;
  HardwareSeen counts;
  WordWatch watch({}, counts);
  watch.mapped(kBase, heap);
  watch.born(kBase + 8);
  words[1] = 0x97;
  watch.stored(kBase + 8, 8);
  EXPECT_EQ(counts.writes, 1U);
  EXPECT_EQ(counts.unaccounted, 0U);
  words[1] = 0x96;
  watch.stored(kBase + 16, 8);
  EXPECT_EQ(counts.unaccounted, 1U);
  watch.died(kBase + 8);
  words[1] = 0;
  watch.settle();
  EXPECT_EQ(counts.writes, 2U);
}

}  // namespace
}  // namespace scenarios::managed_dict
