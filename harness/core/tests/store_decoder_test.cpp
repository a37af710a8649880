// SPDX-License-Identifier: Apache-2.0
// Decoding a store backwards from the next instruction, whose address a debug register's trap
// reports.
#include "harness/core/instruments/store_decoder.h"

#include <gtest/gtest.h>

#include <vector>

namespace harness::instruments {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uintptr_t kWord = 0x7000'0000'0018;
constexpr std::uintptr_t kNext = 0x4010'00ab;

/// All registers point 0x18 bytes before the word, but for rcx, which is an index of 3.
DecodedStore decoded(const Bytes& code, std::uintptr_t place = kWord) {
  GeneralRegisters registers;
  registers.fill(kWord - 0x18);
  registers[1] = 3;
  return decode_store(code, kNext, registers, place, 8);
}

struct Row {
  const char* what;
  Bytes code;
  std::uint8_t width;
  std::intptr_t offset;  ///< Start of the store, relative to the word.
};

TEST(StoreDecoder, DecodesWidthAndAddressOfEveryKindOfStore) {
  const std::vector<Row> rows{
      {"mov %rax,0x18(%rdi)", {0x48, 0x89, 0x47, 0x18}, 8, 0},
      {"mov %eax,0x18(%rdi)", {0x89, 0x47, 0x18}, 4, 0},
      {"mov %ax,0x18(%rdi)", {0x66, 0x89, 0x47, 0x18}, 2, 0},
      {"mov %al,0x18(%rdi)", {0x88, 0x47, 0x18}, 1, 0},
      {"movb $0x96,0x18(%rdi)", {0xc6, 0x47, 0x18, 0x96}, 1, 0},
      {"movq $0,0x18(%r13)", {0x49, 0xc7, 0x45, 0x18, 0, 0, 0, 0}, 8, 0},
      {"andb $0xfe,0x18(%rbx)", {0x80, 0x63, 0x18, 0xfe}, 1, 0},
      {"andw $0xfffe,0x18(%rbx)", {0x66, 0x83, 0x63, 0x18, 0xfe}, 2, 0},
      {"subl $1,0x18(%rbx)", {0x83, 0x6b, 0x18, 0x01}, 4, 0},
      {"decq 0x18(%rbx)", {0x48, 0xff, 0x4b, 0x18}, 8, 0},
      {"lock xadd %rax,0x18(%rbx)", {0xf0, 0x48, 0x0f, 0xc1, 0x43, 0x18}, 8, 0},
      {"movups %xmm0,0x10(%rdi)", {0x0f, 0x11, 0x47, 0x10}, 16, -8},
      {"vmovdqu %ymm0,0x10(%rdi)", {0xc5, 0xfe, 0x7f, 0x47, 0x10}, 32, -8},
      {"movq %xmm0,0x18(%rdi)", {0x66, 0x0f, 0xd6, 0x47, 0x18}, 8, 0},
      {"mov %rax,(%rdi,%rcx,8)", {0x48, 0x89, 0x04, 0xcf}, 8, 0},
      {"mov %al,0x1b(%rdi)", {0x88, 0x47, 0x1b}, 1, 3},
  };
  for (const Row& row : rows) {
    const DecodedStore store = decoded(row.code);
    EXPECT_EQ(store.width, row.width) << row.what;
    EXPECT_EQ(static_cast<std::intptr_t>(store.address - kWord), row.offset) << row.what;
  }
}

TEST(StoreDecoder, DecodesTheInstructionThatEndsAtTheAddress) {
  // Two stores: the second one is asked for.
  EXPECT_EQ(decoded({0x48, 0x89, 0x47, 0x18, 0x88, 0x47, 0x18}).width, 1);
  EXPECT_EQ(decoded({0x90, 0x90, 0x48, 0x89, 0x47, 0x18}).width, 8);
}

TEST(StoreDecoder, DecodesNoStoreToAnotherAddress) {
  EXPECT_EQ(decoded({0x48, 0x8b, 0x47, 0x18}).width, 0) << "a load";
  EXPECT_EQ(decoded({0x48, 0x39, 0x47, 0x18}).width, 0) << "a comparison";
  EXPECT_EQ(decoded({0x83, 0x7b, 0x18, 0x01}).width, 0) << "another";
  EXPECT_EQ(decoded({0x48, 0x89, 0x47, 0x28}).width, 0) << "a store to another place";
  EXPECT_EQ(decoded({0x48, 0x89, 0xc7}).width, 0) << "to a register";
  EXPECT_EQ(decoded({0xf3, 0x48, 0xab}).width, 0) << "rep stos, which it does not know";
  EXPECT_EQ(decoded({}).width, 0);
}

}  // namespace
}  // namespace harness::instruments
