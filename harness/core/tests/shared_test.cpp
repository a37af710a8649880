// SPDX-License-Identifier: Apache-2.0
// Shared segments: hidden generations, words written in separate turns, and the program's own
// values.
#include "harness/core/shared/shared.h"
#include "harness/core/fault/kinds.h"

#include <gtest/gtest.h>

#include "harness/core/intervention/order.h"
#include "harness/core/tests/run_tasks.h"

namespace harness {
namespace {

struct MemInfo {
  std::uint64_t base = 0;
  std::uint32_t bytes = 0;
  std::uint32_t offset = 0;
  std::array<std::uint64_t, 3> counts{};
};

constexpr Generation kFirst{1};
constexpr Generation kSecond{2};

TEST(Shared, AWordReadInItsOwnGenerationIsNotAFault) {
  testing::Stage stage;
  testing::Plain plain;
  stage.run(plain, [&] {
    Shared<int> state(stage.scheduler, "sync_state", 5);
    EXPECT_EQ(state.read(), 5);
    state.write(7, kFirst);
    EXPECT_EQ(state.read(kFirst), 7);
    EXPECT_EQ(state.read(Generation::any), 7);
  });
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(Shared, AWordOfAnotherGenerationIsAFaultEvenWhenItsValueIsRight) {
  testing::Stage stage;
  testing::Plain plain;
  int seen = 0;
  stage.run(plain, [&] {
    Shared<int> state(stage.scheduler, "mem_info_src");
    {
      const SiteScope site(stage.scheduler, "setup_start");
      state.write(7, kFirst);
      state.write(7, kSecond);
    }
    const SiteScope site(stage.scheduler, "alltoallv_unmap");
    seen = state.read(kFirst);
  });
  EXPECT_EQ(seen, 7);
  const Fault fault = stage.only_fault();
  EXPECT_EQ(fault.signature(),
            "ghost_generation mem_info_src born:setup_start used:alltoallv_unmap");
  EXPECT_FALSE(fault.fatal);
  EXPECT_EQ(fault.detail, "word 0 is of generation 2, where generation 1 reads");
}

/// Writes for one, then for the other, and reads for the first under an order.
int read_late(testing::Stage& stage, Order& order) {
  testing::Plain plain;
  const Order::Current current(order);
  int seen = 0;
  stage.run(plain, [&] {
    Shared<int> state(stage.scheduler, "mem_info_src");
    state.write(7, kFirst);
    state.write(9, kSecond);
    seen = state.read(kFirst);
  });
  return seen;
}

TEST(Shared, AnEnforcedOrderKeepsTheWordForALateReader) {
  testing::Stage stage;
  Order order("mem_info_src", {}, {});
  EXPECT_EQ(read_late(stage, order), 7);
  EXPECT_TRUE(stage.history.faults().empty());
  EXPECT_EQ(order.kept_count(), 1u);
}

TEST(Shared, AnOrderOfAnotherWordDoesNotKeepThisOne) {
  testing::Stage stage;
  Order order("sync_state", {}, {});
  EXPECT_EQ(read_late(stage, order), 9);
  EXPECT_EQ(stage.history.faults().size(), 1u);
  EXPECT_EQ(order.kept_count(), 0u);
}

TEST(Shared, AFaultNamesTheWriterOfTheOtherGenerationAndItsTime) {
  testing::Stage stage;
  testing::Plain plain;
  stage.begin(plain);
  Shared<int> state(stage.scheduler, "mem_info_src");
  Tick written = 0;
  stage.scheduler.spawn("writer", [&] {
    const SiteScope site(stage.scheduler, "setup_start");
    state.write(1, kSecond);
    written = stage.scheduler.now();
  });
  stage.scheduler.spawn("reader", [&] { state.read(kFirst); });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  const Fault fault = stage.only_fault();
  EXPECT_EQ(fault.writer.site, Label("setup_start"));
  EXPECT_EQ(fault.writer.tick, written);
  EXPECT_GT(written, 0u);
  EXPECT_EQ(fault.writer.task, 0);
}

TEST(Shared, AWordNeverWrittenHasNoGeneration) {
  testing::Stage stage;
  testing::Plain plain;
  stage.run(plain, [&] {
    Shared<int> state(stage.scheduler, "slot", 3);
    EXPECT_EQ(state.read(kFirst), 3);
  });
  EXPECT_EQ(stage.only_fault().kind, FaultKind::ghost_generation);
}

TEST(Shared, ReadingAMemberOfASlotReadsItsWordsOnly) {
  testing::Stage stage;
  testing::Plain plain;
  stage.run(plain, [&] {
    SharedSlot<MemInfo> slot(stage.scheduler, "slot");
    slot.write({11, 12, 13, {14, 15, 16}}, kFirst);
    EXPECT_EQ(slot.read(kFirst).counts[2], 16u);
    slot.write(&MemInfo::counts, 1, std::uint64_t{25}, kSecond);
    EXPECT_EQ(slot.read(&MemInfo::offset, kFirst), 13u);
    EXPECT_EQ(slot.read(&MemInfo::counts, 1, kSecond), 25u);
    EXPECT_EQ(slot.read(&MemInfo::counts, 2, kFirst), 16u);
    EXPECT_EQ(slot.peek().base, 11u);
    EXPECT_EQ(slot.generation(&MemInfo::base), kFirst);
  });
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(Shared, ACopyOfAStructReportsAtMostOneFault) {
  testing::Stage stage;
  testing::Plain plain;
  stage.run(plain, [&] {
    SharedSlot<MemInfo> slot(stage.scheduler, "slot");
    slot.write({}, kSecond);
    slot.read(kFirst);
  });
  EXPECT_EQ(stage.only_fault().kind, FaultKind::ghost_generation);
}

// With the other task in between any two words, the reader sees half of each: a torn struct.
TEST(Shared, AStructWriteCanBePreemptedBetweenWords) {
  testing::Stage stage;
  testing::Alternate alternate;
  stage.begin(alternate);
  SharedSlot<MemInfo> slot(stage.scheduler, "slot");
  slot.write({1, 1, 1, {1, 1, 1}}, kFirst);  // Outside the tasks: at once.
  MemInfo seen;
  stage.scheduler.spawn("writer", [&] { slot.write({2, 2, 2, {2, 2, 2}}, kSecond); });
  stage.scheduler.spawn("reader", [&] { seen = slot.read(kSecond); });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  const bool torn = seen.base != seen.counts[2] || stage.history.faults().size() == 1;
  EXPECT_TRUE(torn);
  EXPECT_EQ(slot.peek().counts[2], 2u);
}

TEST(Shared, AnUpdateIsOneStep) {
  testing::Stage stage;
  testing::Alternate alternate;
  stage.begin(alternate);
  Shared<std::uint32_t> count(stage.scheduler, "count");
  for (int i = 0; i < 4; ++i)
    stage.scheduler.spawn("rank", [&] {
      for (int j = 0; j < 10; ++j) count.update([](std::uint32_t value) { return value + 1; });
    });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_EQ(count.peek(), 40u);
}

TEST(Shared, APollerSleepsUntilTheWordIsWritten) {
  testing::Stage stage;
  testing::Plain plain;
  stage.begin(plain);
  Shared<int> flag(stage.scheduler, "flag");
  stage.scheduler.spawn("poller", [&] {
    while (flag.read() == 0) stage.scheduler.pause();
  });
  stage.scheduler.spawn("writer", [&] { flag.write(1); });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_LT(stage.scheduler.now(), 20u);
}

TEST(Shared, PollingAWordThatIsNeverWrittenIsALivelock) {
  testing::Stage stage;
  testing::Plain plain;
  stage.begin(plain);
  Shared<int> flag(stage.scheduler, "flag");
  stage.scheduler.spawn("poller", [&] {
    while (flag.read() == 0) stage.scheduler.pause();
  });
  EXPECT_EQ(stage.scheduler.run(), Ending::livelock);
}

}  // namespace
}  // namespace harness
