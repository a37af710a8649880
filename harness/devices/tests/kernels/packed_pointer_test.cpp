// SPDX-License-Identifier: Apache-2.0
// Pointers in copied memory are found at every byte offset, regardless of the bytes around them.
#include <array>
#include <cstring>

#include "harness/devices/tests/kernels/kernel_stage.h"

namespace harness {
namespace {

using devices::CapturedWords;
using testing::KernelStage;

TEST(PackedPointer, IsFoundAtEveryByteOfARecord) {
  KernelStage stage;
  const auto* block = stage.memory.allocate<std::uint8_t>(100);
  const auto pointer = reinterpret_cast<std::uint64_t>(block);
  for (std::uint32_t offset = 0; offset < 32; ++offset)
    for (const std::uint32_t count : {offset + 8, 48u}) {
      std::array<std::byte, 48> bytes;
      bytes.fill(std::byte{0xee});
      std::memcpy(bytes.data() + offset, &pointer, sizeof pointer);
      CapturedWords words;
      stage.provenance.capture(bytes.data(), count, words);
      ASSERT_EQ(words.size(), 1u) << "at " << offset << " of " << count;
      EXPECT_EQ(words[0].offset, offset);
      EXPECT_EQ(words[0].id, stage.memory.id(block));
    }
}

}  // namespace
}  // namespace harness
