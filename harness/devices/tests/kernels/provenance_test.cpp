// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/kernels/symbolize.h"
#include "harness/devices/tests/kernels/kernel_stage.h"

namespace harness {
namespace {

using devices::CapturedWords;
using devices::symbolize;
using testing::BlockEnding;
using testing::KernelStage;

constexpr const char* kStaleSource = "harness/devices/tests/kernels/stale.cu";

/// The line of a file that contains `text`, or 0.
int line_of(const char* file, const std::string& text) {
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    if (line.size() >= text.size() &&
        line.compare(line.size() - text.size(), text.size(), text) == 0)
      return number;
  return 0;
}

// ---- every kind of access, by every way to be stale --------------------------------------------

class StaleAccess : public ::testing::TestWithParam<const char*> {
 protected:
  const char* kernel() const { return GetParam(); }
  BlockEnding run() { return stage_.run(); }
  void submit() { stage_.submit(afterlife_kernels_stale, kernel(), {}, {}, memory_, out_); }

  /// The kernel's own line, if there is a symbolizer.
  void expect_at_its_line(const Fault& fault) {
    const int line = line_of(kStaleSource, std::string("stale: ") + kernel());
    ASSERT_NE(line, 0) << "run from the top of the source tree";
    const std::string place = symbolize(fault.code);
    if (place.empty()) GTEST_SKIP() << "no llvm-symbolizer";
    EXPECT_EQ(place.substr(0, place.find(' ')), "stale.cu:" + std::to_string(line));
  }

  KernelStage stage_;
  std::uint32_t* memory_ = stage_.memory.allocate(16);
  std::uint32_t* out_ = stage_.memory.allocate(16);
};

TEST_P(StaleAccess, IsNotAFaultWhileTheBlockLives) {
  submit();
  EXPECT_EQ(run(), BlockEnding::finished);
  EXPECT_TRUE(stage_.faults().empty());
}

TEST_P(StaleAccess, IsFatalOnceTheBlockIsFreed) {
  submit();
  stage_.memory.free(memory_);
  EXPECT_EQ(run(), BlockEnding::aborted);
  ASSERT_EQ(stage_.faults().size(), 1u);
  const Fault& fault = stage_.faults()[0];
  EXPECT_EQ(fault.kind, FaultKind::use_after_free);
  EXPECT_TRUE(fault.fatal);
  EXPECT_EQ(fault.signature(),
            std::string("use_after_free device memory born:allocate died:free used:") + kernel());
  EXPECT_EQ(fault.activation, 42u);
  expect_at_its_line(fault);
}

TEST_P(StaleAccess, IsReportedOnceTheStorageIsReused) {
  submit();
  stage_.memory.free(memory_);
  const BirthId meant = stage_.memory.id(memory_);
  stage_.memory.allocate_at(memory_, 64);
  EXPECT_EQ(run(), BlockEnding::finished);
  ASSERT_EQ(stage_.faults().size(), 1u);
  const Fault& fault = stage_.faults()[0];
  EXPECT_EQ(fault.kind, FaultKind::recycled_use);
  EXPECT_FALSE(fault.fatal);
  EXPECT_EQ(fault.object, stage_.stage.ledger.life(meant).name);
  EXPECT_EQ(fault.recycler, stage_.stage.ledger.life(stage_.memory.id(memory_)).name);
  EXPECT_NE(fault.object, fault.recycler);
  expect_at_its_line(fault);
}

TEST_P(StaleAccess, IsReportedByAsanWhenOurOracleIsOff) {
#if !HARNESS_ASAN
  GTEST_SKIP() << "only in the asan build";
#else
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  stage_.provenance.set_oracle(false);
  submit();
  stage_.memory.free(memory_);
  const std::string line = std::to_string(line_of(kStaleSource, std::string("stale: ") + kernel()));
  EXPECT_DEATH(run(), "use-after-poison(.|\n)*stale.cu:" + line);
#endif
}

std::string name_of(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Provenance, StaleAccess,
                         ::testing::Values("load_1", "load_2", "load_4", "load_8", "load_16",
                                           "load_32", "store_1", "store_2", "store_4", "store_8",
                                           "store_16", "store_32", "atomic_4", "atomic_8",
                                           "atomic_float", "read_modify_write", "copy_struct_from",
                                           "copy_struct_to", "set_bytes", "set_by_loop",
                                           "copy_bytes_from", "in_helper"),
                         name_of);

TEST(Provenance, TestsEveryStaleKernel) {
  // A kernel that is added to stale.cu is added to the list above.
  EXPECT_EQ(afterlife_kernels_stale.entry_count, 22u);
}

// ---- calls that are never allowed --------------------------------------------------------------

struct Reader : KernelStage {
  BlockEnding read_at(const std::uint8_t* from, std::int64_t distance) {
    return run(afterlife_kernels_pointers, "read_at", {}, {}, from, distance, out);
  }
  FaultKind only_kind() { return faults().size() == 1 ? faults()[0].kind : FaultKind::uncaught; }

  std::uint8_t* out = memory.allocate<std::uint8_t>(1);
  std::uint8_t* block = memory.allocate<std::uint8_t>(100);
  std::uint8_t* other = memory.allocate<std::uint8_t>(100);
};

TEST(Provenance, AllowsTheLastByteOfABlock) {
  Reader reader;
  reader.block[99] = 7;
  EXPECT_EQ(reader.read_at(reader.block, 99), BlockEnding::finished);
  EXPECT_EQ(*reader.out, 7);
  EXPECT_TRUE(reader.faults().empty());
}

TEST(Provenance, ReportsTheByteAfterABlockAsWild) {
  Reader reader;
  EXPECT_EQ(reader.read_at(reader.block, 100), BlockEnding::aborted);
  EXPECT_EQ(reader.only_kind(), FaultKind::wild_access);
}

TEST(Provenance, ReportsALiveBlockNotPassedToTheLaunchAsWild) {
  Reader reader;
  EXPECT_EQ(reader.read_at(reader.block, reader.other - reader.block), BlockEnding::aborted);
  EXPECT_EQ(reader.only_kind(), FaultKind::wild_access);
  EXPECT_EQ(reader.faults()[0].birth_site, Label("allocate"));
}

TEST(Provenance, NeverTouchesAnAddressOutsideTheDevice) {
  Reader reader;
  for (const std::int64_t distance : {std::int64_t{0}, std::int64_t{1} << 40, std::int64_t{-1}}) {
    const auto* nowhere = reinterpret_cast<const std::uint8_t*>(std::uint64_t{0});
    EXPECT_EQ(reader.read_at(nowhere, distance), BlockEnding::aborted);
    EXPECT_EQ(reader.faults().back().kind, FaultKind::wild_access);
    EXPECT_TRUE(reader.faults().back().birth_site.empty());
  }
}

TEST(Provenance, ReportsAPointerThatDiedBeforeTheLaunchAsStale) {
  Reader reader;
  reader.memory.free(reader.block);
  EXPECT_EQ(reader.read_at(reader.block, 0), BlockEnding::aborted);
  EXPECT_EQ(reader.only_kind(), FaultKind::use_after_free);
}

TEST(Provenance, ReportsStorageReusedBeforeTheKernelAsRecycled) {
  Reader reader;
  reader.memory.free(reader.block);
  reader.submit(afterlife_kernels_pointers, "read_at", {}, {}, reader.block, std::int64_t{0},
                reader.out);
  reader.memory.allocate_at(reader.block, 100);
  EXPECT_EQ(reader.run(), BlockEnding::finished);
  EXPECT_EQ(reader.only_kind(), FaultKind::recycled_use);
}

TEST(Provenance, StopsAtTheEndOfAShorterNewBlock) {
  Reader reader;
  reader.submit(afterlife_kernels_pointers, "read_at", {}, {}, reader.block, std::int64_t{50},
                reader.out);
  reader.memory.free(reader.block);
  reader.memory.allocate_at(reader.block, 50);
  EXPECT_EQ(reader.run(), BlockEnding::aborted);
  EXPECT_EQ(reader.only_kind(), FaultKind::use_after_free);
}

TEST(Provenance, ReportsALifetimeOncePerBlockOfALaunch) {
  KernelStage stage;
  auto* memory = stage.memory.allocate(4);
  auto* out = stage.memory.allocate(1);
  stage.submit(afterlife_kernels_pointers, "read_often", {3}, {8}, memory, out);
  stage.memory.free(memory);
  stage.memory.allocate_at(memory, 16);
  EXPECT_EQ(stage.run(), BlockEnding::finished);
  EXPECT_EQ(stage.faults().size(), 3u);
}

TEST(Provenance, IgnoresAccessesOutsideALaunch) {
  Reader reader;
  const KernelEntry& entry = KernelStage::entry(afterlife_kernels_pointers, "read_at");
  std::uint8_t host = 3;
  std::uint8_t result = 0;
  const std::uint8_t* from = &host;
  std::uint8_t* to = &result;
  std::int64_t distance = 0;
  void* const parameters[] = {&from, &distance, &to};
  entry.call(parameters);
  EXPECT_EQ(result, 3);
  EXPECT_TRUE(reader.faults().empty());
}

// ---- authority follows the pointer -------------------------------------------------------------

struct Chaser : KernelStage {
  Chaser() {
    data[0] = 5;
    write_pointer(table);
  }
  /// A copy from the host brings the pointer to `target`.
  void write_pointer(std::uint32_t** target) {
    *target = data;
    provenance.wrote_now(reinterpret_cast<std::uint64_t>(target), target, 8);
  }
  void submit_follow(std::uint32_t** from, const char* kernel = "follow") {
    submit(afterlife_kernels_pointers, kernel, {}, {}, from, out);
  }
  BlockEnding follow(std::uint32_t** from, const char* kernel = "follow") {
    submit_follow(from, kernel);
    return run();
  }
  void recycle() {
    memory.free(data);
    memory.allocate_at(data, 64);
  }
  FaultKind only_kind() { return faults().size() == 1 ? faults()[0].kind : FaultKind::uncaught; }

  std::uint32_t* data = memory.allocate(16);
  std::uint32_t* out = memory.allocate(1);
  std::uint32_t** table = memory.allocate<std::uint32_t*>(4);
  std::uint32_t** copy = memory.allocate<std::uint32_t*>(8);
};

TEST(Provenance, AuthorizesALoadedPointer) {
  Chaser chaser;
  EXPECT_EQ(chaser.follow(chaser.table), BlockEnding::finished);
  EXPECT_EQ(chaser.follow(chaser.table, "follow_halves"), BlockEnding::finished);
  EXPECT_EQ(*chaser.out, 5u);
  EXPECT_TRUE(chaser.faults().empty());
}

TEST(Provenance, DoesNotAuthorizeAnAddressThatWasNotCopied) {
  Chaser chaser;
  chaser.table[1] = chaser.data;  // Behind all's back.
  EXPECT_EQ(chaser.follow(chaser.table + 1), BlockEnding::aborted);
  EXPECT_EQ(chaser.only_kind(), FaultKind::wild_access);
}

TEST(Provenance, FindsAStalePointerInDeviceMemory) {
  Chaser chaser;
  chaser.memory.free(chaser.data);
  EXPECT_EQ(chaser.follow(chaser.table), BlockEnding::aborted);
  EXPECT_EQ(chaser.only_kind(), FaultKind::use_after_free);
}

TEST(Provenance, FindsAStalePointerInDeviceMemoryToReusedStorage) {
  Chaser chaser;
  chaser.recycle();
  EXPECT_EQ(chaser.follow(chaser.table), BlockEnding::finished);
  EXPECT_EQ(chaser.only_kind(), FaultKind::recycled_use);
}

TEST(Provenance, UsesThePointerCopiedLast) {
  Chaser chaser;
  chaser.recycle();
  chaser.write_pointer(chaser.table);
  EXPECT_EQ(chaser.follow(chaser.table), BlockEnding::finished);
  EXPECT_TRUE(chaser.faults().empty());
}

TEST(Provenance, CapturesTheTargetOfAPointerAtTheCall) {
  Chaser chaser;
  CapturedWords words;
  chaser.provenance.capture(&chaser.data, 8, words);  // The call.
  ASSERT_EQ(words.size(), 1u);
  chaser.recycle();
  chaser.copy[2] = chaser.data;  // The copy, later.
  chaser.provenance.wrote(reinterpret_cast<std::uint64_t>(chaser.copy + 2), words);
  EXPECT_EQ(chaser.follow(chaser.copy + 2), BlockEnding::finished);
  EXPECT_EQ(chaser.only_kind(), FaultKind::recycled_use);
}

TEST(Provenance, TracksAPointerThroughADeviceCopy) {
  Chaser chaser;
  chaser.copy[3] = chaser.table[0];
  chaser.provenance.copied(reinterpret_cast<std::uint64_t>(chaser.copy + 3),
                           reinterpret_cast<std::uint64_t>(chaser.table), 8);
  EXPECT_EQ(chaser.follow(chaser.copy + 3), BlockEnding::finished);
  EXPECT_TRUE(chaser.faults().empty());
  chaser.recycle();
  chaser.follow(chaser.copy + 3);
  EXPECT_EQ(chaser.only_kind(), FaultKind::recycled_use);
}

/// A kernel that stores the pointer for the next one.
struct Carrier {
  const char* kernel;
  int offset;  ///< Offset of the pointer in the copied memory; -1: it is a parameter.
};

class CarryingKernel : public ::testing::TestWithParam<Carrier> {
 protected:
  void carry() {
    if (GetParam().offset < 0) {
      chaser_.run(afterlife_kernels_pointers, GetParam().kernel, {}, {}, chaser_.copy,
                  chaser_.data);
    } else {
      chaser_.write_pointer(pack_ + GetParam().offset);
      chaser_.run(afterlife_kernels_pointers, GetParam().kernel, {}, {}, chaser_.copy, pack_);
    }
    slot_ = chaser_.copy + std::max(GetParam().offset, 0);
    ASSERT_EQ(*slot_, chaser_.data);
  }

  Chaser chaser_;
  std::uint32_t** pack_ = chaser_.memory.allocate<std::uint32_t*>(6);
  std::uint32_t** slot_ = nullptr;
};

TEST_P(CarryingKernel, PassesOnTheAuthorization) {
  carry();
  EXPECT_EQ(chaser_.follow(slot_), BlockEnding::finished);
  EXPECT_EQ(*chaser_.out, 5u);
  EXPECT_TRUE(chaser_.faults().empty());
}

TEST_P(CarryingKernel, PassesOnTheOriginalOwner) {
  carry();
  chaser_.recycle();
  EXPECT_EQ(chaser_.follow(slot_), BlockEnding::finished);
  EXPECT_EQ(chaser_.only_kind(), FaultKind::recycled_use);
}

TEST_P(CarryingKernel, PassesOnTheEndOfItsLifetime) {
  carry();
  chaser_.memory.free(chaser_.data);
  EXPECT_EQ(chaser_.follow(slot_), BlockEnding::aborted);
  EXPECT_EQ(chaser_.only_kind(), FaultKind::use_after_free);
}

INSTANTIATE_TEST_SUITE_P(Provenance, CarryingKernel,
                         ::testing::Values(Carrier{"keep", -1}, Carrier{"keep_atomically", -1},
                                           Carrier{"copy_pack", 0}, Carrier{"copy_pack", 5},
                                           Carrier{"copy_pair", 0}, Carrier{"copy_pair", 1},
                                           Carrier{"copy_bytes", 0}, Carrier{"copy_bytes", 5}),
                         [](const auto& info) {
                           return std::string(info.param.kernel) + "_" +
                                  (info.param.offset < 0 ? "parameter"
                                                         : std::to_string(info.param.offset));
                         });

TEST(Provenance, TracksAPointerInACopiedStruct) {
  Chaser chaser;
  auto* pack = chaser.memory.allocate<std::uint64_t>(6);
  pack[0] = reinterpret_cast<std::uint64_t>(chaser.data);
  pack[1] = 1;
  chaser.provenance.wrote_now(reinterpret_cast<std::uint64_t>(pack), pack, 48);
  EXPECT_EQ(chaser.run(afterlife_kernels_pointers, "follow_pack", {}, {}, pack, chaser.out),
            BlockEnding::finished);
  EXPECT_EQ(*chaser.out, 5u);
  EXPECT_TRUE(chaser.faults().empty());
}

TEST(Provenance, WalksAListOfBlocks) {
  KernelStage stage;
  struct Node {
    Node* next;
    std::uint64_t value;
  };
  Node* head = nullptr;
  Node* third = nullptr;
  for (std::uint64_t i = 0; i < 500; ++i) {
    Node* node = stage.memory.allocate<Node>(1);
    *node = {head, i};
    stage.provenance.wrote_now(reinterpret_cast<std::uint64_t>(node), node, sizeof(Node));
    head = node;
    if (i == 3) third = node;
  }
  auto* out = stage.memory.allocate<std::uint64_t>(1);
  EXPECT_EQ(stage.run(afterlife_kernels_pointers, "walk", {}, {}, head, out),
            BlockEnding::finished);
  EXPECT_EQ(*out, 500u * 499 / 2);
  EXPECT_TRUE(stage.faults().empty());
  stage.memory.free(third);
  EXPECT_EQ(stage.run(afterlife_kernels_pointers, "walk", {}, {}, head, out), BlockEnding::aborted);
  ASSERT_EQ(stage.faults().size(), 1u);
  EXPECT_EQ(stage.faults()[0].kind, FaultKind::use_after_free);
}

TEST(Provenance, ClearsTheShadowWhenARunBegins) {
  Chaser chaser;
  chaser.provenance.begin();
  EXPECT_EQ(chaser.follow(chaser.table), BlockEnding::aborted);
  EXPECT_EQ(chaser.only_kind(), FaultKind::wild_access);
}

TEST(Provenance, SeparatesLaunchesWithInterleavedBlocks) {
  Chaser chaser;
  chaser.submit_follow(chaser.table);
  chaser.launch.grid = {2};
  chaser.runner.run_block(chaser.launch, 0);
  devices::Launch other;
  auto* from = reinterpret_cast<const std::uint8_t*>(chaser.copy);
  std::int64_t distance = reinterpret_cast<const std::uint8_t*>(chaser.data) - from;
  auto* out = reinterpret_cast<std::uint8_t*>(chaser.out);
  void* const parameters[] = {&from, &distance, &out};
  other.prepare(KernelStage::entry(afterlife_kernels_pointers, "read_at"), parameters);
  chaser.provenance.authorise(other);
  EXPECT_EQ(chaser.runner.run_block(other, 0), BlockEnding::aborted);
  EXPECT_EQ(chaser.runner.run_block(chaser.launch, 1), BlockEnding::finished);
  EXPECT_EQ(chaser.only_kind(), FaultKind::wild_access);
}

// ---- sanitizers --------------------------------------------------------------------------------

TEST(Provenance, UndefinedBehaviourSanitizerIsOn) {
#if !HARNESS_ASAN
  GTEST_SKIP() << "only in the asan build";
#else
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  volatile int most = 2147483647;
  EXPECT_DEATH(most = most + 1, "signed integer overflow");
#endif
}

TEST(Symbolize, IsEmptyOutsideCode) {
  EXPECT_EQ(symbolize(1), "");
  std::uint64_t data = 0;
  EXPECT_EQ(symbolize(reinterpret_cast<std::uintptr_t>(&data)), "");
}

}  // namespace
}  // namespace harness
