// SPDX-License-Identifier: Apache-2.0
// The libFuzzer target's mutations of inputs: whole records, within the given size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/core/pick/replay.h"
#include "harness/search/fuzz_records.h"

namespace harness::entries {
namespace {

Decision record(std::uint32_t slot, std::uint32_t value, Site site = Site::op) {
  return {slot_name(0, slot), site_tag(site), 0, value};
}

Records program(std::uint32_t count) {
  Records records;
  for (std::uint32_t i = 0; i < count; ++i) records.push_back(record(i, 100 + i));
  return records;
}

std::vector<std::uint8_t> bytes_of(const Records& records) {
  std::vector<std::uint8_t> bytes(records.size() * sizeof(Decision));
  write_records(records, bytes.data(), bytes.size());
  return bytes;
}

TEST(FuzzRecords, AgreeWithTheDecoder) {
  const Records records = program(3);
  EXPECT_EQ(read_records(bytes_of(records)), records);
  EXPECT_EQ(strategies::decode(bytes_of(records)), canonical(records));
}

TEST(FuzzRecords, ATruncatedRecordIsPaddedWithZeros) {
  const auto bytes = bytes_of(program(2));
  const Records cut = read_records({bytes.data(), bytes.size() - 4});
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_EQ(cut[1].value, 0U);
}

TEST(FuzzRecords, MutantsStayWithinTheLimit) {
  const Records asked{record(7, 70), record(8, 80)};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Mutator mutator(asked, seed);
    EXPECT_LE(mutator.mutate(program(5), 6).size(), 6U);
    EXPECT_LE(mutator.mutate({}, 1).size(), 1U);
  }
}

TEST(FuzzRecords, ALowerLimitGivesASubsetOfTheInput) {
  const Records all = program(6);
  std::set<Records> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Records less = Mutator({}, seed).mutate(all, 5);
    EXPECT_LE(less.size(), 5U);
    for (const Decision& kept : less) EXPECT_THAT(all, ::testing::Contains(kept));
    seen.insert(less);
  }
  EXPECT_GE(seen.size(), 6U) << "each record can be the one to go";
}

TEST(FuzzRecords, QuestionsOfTheLastRunAreCopied) {
  const Decision derived{derive_name(1, 2, 3), site_tag(Site::reuse), 1, 42};
  int met = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Records mutant = Mutator({derived}, seed).mutate(program(2), 8);
    met += std::count(mutant.begin(), mutant.end(), derived) > 0;
  }
  EXPECT_GT(met, 20);
}

TEST(FuzzRecords, ACrossoverTakesEverySlotFromOneParent) {
  Records first = program(8);
  Records second = program(8);
  for (Decision& decision : second) decision.value += 100;
  bool mixed = false;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Records child = Mutator({}, seed).cross(first, second, 16);
    std::set<Name> slots;
    for (const Decision& decision : child) EXPECT_TRUE(slots.insert(decision.activation).second);
    const auto from_first = std::count_if(
        child.begin(), child.end(), [](const Decision& decision) { return decision.value < 200; });
    mixed |= from_first > 0 && from_first < 8;
    EXPECT_EQ(child.size(), 8U);
  }
  EXPECT_TRUE(mixed);
}

TEST(FuzzRecords, TheConfigIsARecordThatMatchesNoQuestion) {
  const Records records{record(0, 1), {kConfigName, kConfigTag, 0, 13}};
  EXPECT_EQ(config_of(records), 13U);
  EXPECT_EQ(config_of(program(2)), 0U);
  EXPECT_EQ(site_of_tag(kConfigTag), -1) << "a tag that is inert";
  EXPECT_FALSE(strategies::is_loose(kConfigName)) << "and speaks of no other activation";
}

}  // namespace
}  // namespace harness::entries
