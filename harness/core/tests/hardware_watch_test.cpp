// SPDX-License-Identifier: Apache-2.0
// The hardware watch. On a machine without one, the tests are skipped with the reason.
#include "harness/core/instruments/hardware_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <vector>

#include "harness/core/instruments/code_place.h"
#include "harness/core/instruments/watch_rota.h"

namespace harness::instruments {
namespace {

using ::testing::HasSubstr;

/// Not inlined and without instrumentation: one function, one store.
template <class Word>
__attribute__((noinline, no_sanitize("address", "thread", "undefined"))) void put(void* place,
                                                                                  Word value) {
  *static_cast<volatile Word*>(place) = value;
}

class TestHardwareWatch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HardwareWatch::why_not().empty()) GTEST_SKIP() << HardwareWatch::why_not();
  }
  alignas(8) unsigned char bytes[64] = {};
};

TEST_F(TestHardwareWatch, SeesAStoreAndNamesTheFunction) {
  HardwareWatch watch;
  ASSERT_TRUE(watch.watch(bytes, 8));
  put<std::uint64_t>(bytes, 0x97);
  ASSERT_EQ(watch.writes().size(), 1U);
  const HardwareWatch::Write& write = watch.writes()[0];
  EXPECT_EQ(write.place, bytes);
  EXPECT_EQ(write.before, 0U);
  EXPECT_EQ(write.after, 0x97U);
  const CodePlace place = code_place(write.code - 1);
  EXPECT_EQ(place.module, std::filesystem::read_symlink("/proc/self/exe").filename());
  EXPECT_THAT(place.function, HasSubstr("put"));
}

#if defined(__x86_64__)
// Some virtual machines deliver the trap without its register. Here, the kernel writes, which the
// watch does not see, and an instruction traps in that way.
TEST_F(TestHardwareWatch, AttributesATrapWithoutAnAddressToTheChangedBytes) {
  HardwareWatch watch;
  ASSERT_TRUE(watch.watch(bytes, 8));
  ASSERT_TRUE(watch.watch(bytes + 8, 8));
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const std::uint64_t word = 0x97;
  ASSERT_EQ(write(pipe_ends[1], &word, sizeof(word)), 8);
  ASSERT_EQ(read(pipe_ends[0], bytes + 8, sizeof(word)), 8);
  for (const int end : pipe_ends) close(end);
  asm volatile(".byte 0xf1");  // int1
  ASSERT_EQ(watch.writes().size(), 1U);
  EXPECT_EQ(watch.writes()[0].place, bytes + 8);
  EXPECT_EQ(watch.writes()[0].after, word);
}
#endif

TEST_F(TestHardwareWatch, SeesStoresOfAnyWidthThatOverlapTheByte) {
  HardwareWatch watch;
  ASSERT_TRUE(watch.watch(bytes + 8, 1));
  put<std::uint8_t>(bytes + 8, 1);
  put<std::uint64_t>(bytes + 8, 2);
  put<std::uint32_t>(bytes + 6, 0x00030000);  // Straddles it.
  put<std::uint64_t>(bytes, ~0ULL);           // Ends before it.
  put<std::uint8_t>(bytes + 9, 9);            // Beside it.
  std::vector<std::uint64_t> seen;
  for (const auto& write : watch.writes()) seen.push_back(write.after);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(TestHardwareWatch, HasFourRegistersAndReusesThem) {
  HardwareWatch watch;
  for (std::size_t i = 0; i < HardwareWatch::kRegisterCount; ++i)
    EXPECT_TRUE(watch.watch(bytes + 8 * i, 8)) << i;
  EXPECT_FALSE(watch.watch(bytes + 40, 8));
  watch.forget(bytes + 8);
  EXPECT_EQ(watch.watched_count(), 3U);
  EXPECT_TRUE(watch.watch(bytes + 40, 8));
  put<std::uint64_t>(bytes + 8, 1);
  put<std::uint64_t>(bytes + 40, 5);
  ASSERT_EQ(watch.writes().size(), 1U);
  EXPECT_EQ(watch.writes()[0].place, bytes + 40);
}

TEST_F(TestHardwareWatch, CountsHitsThatItCannotKeep) {
  HardwareWatch watch(2);
  ASSERT_TRUE(watch.watch(bytes, 8));
  for (std::uint64_t i = 0; i < 5; ++i) put<std::uint64_t>(bytes, i);
  EXPECT_EQ(watch.writes().size(), 2U);
  EXPECT_EQ(watch.lost_count(), 3U);
}

TEST_F(TestHardwareWatch, SeesNothingAfterItsDestruction) {
  {
    HardwareWatch watch;
    ASSERT_TRUE(watch.watch(bytes, 8));
  }
  put<std::uint64_t>(bytes, 1);  // Would be the end, were the watchpoint still set.
  HardwareWatch watch;
  EXPECT_TRUE(watch.writes().empty());
}

TEST(WatchRota, EveryObjectIsWatchedInExactlyOneTurn) {
  constexpr std::size_t kThings = 11;
  const std::size_t turns = WatchRota::turns_for(kThings);
  EXPECT_EQ(turns, 3U);
  for (std::size_t nth = 0; nth < kThings; ++nth) {
    std::size_t watched = 0;
    for (std::size_t turn = 0; turn < turns; ++turn) watched += WatchRota{turn, turns}.wants(nth);
    EXPECT_EQ(watched, 1U) << nth;
  }
  for (std::size_t nth = 0; nth < kThings; ++nth) EXPECT_TRUE(WatchRota{}.wants(nth));
}

TEST(CodePlace, NamesAFunctionThatIsNotExportedAndNothingOutsideCode) {
  const auto code = reinterpret_cast<std::uintptr_t>(&put<std::uint16_t>);
  EXPECT_THAT(code_place(code + 1).function, HasSubstr("put"));
  EXPECT_EQ(code_place(1).module, "");
  EXPECT_EQ(code_place(1).function, "");
}

}  // namespace
}  // namespace harness::instruments
