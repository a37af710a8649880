// SPDX-License-Identifier: Apache-2.0
// Source lines in PTX that refers to the source that it was compiled from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/device_code/ptx/image.h"

namespace harness::ptx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kText = R"(.version 8.3
.target sm_80
.address_size 64
.visible .entry first(.param .u64 p)
{
.reg .b32 %r<3>;
.loc 1 12 5
mov.u32 %r1, 1;
add.s32 %r1, %r1, 1;
.loc 2 7 3, function_name $L__info, inlined_at 1 13 1
add.s32 %r1, %r1, 2;
.loc 1 0 0
add.s32 %r1, %r1, 3;
.loc 3 99 0
add.s32 %r1, %r1, 4;
.loc 1 13 1
ret;
}
.visible .entry third(.param .u64 p)
{
.reg .b32 %r<3>;
.loc 1 21 5
.loc 4 152 3, function_name $L__info, inlined_at 1 21 5
.loc 4 145 4, function_name $L__info, inlined_at 4 152 3
mov.u32 %r1, 1;
.loc 4 145 4, function_name $L__info, inlined_at 1 30 9
add.s32 %r1, %r1, 1;
.loc 4 145 4
add.s32 %r1, %r1, 1;
ret;
}
.visible .entry second(.param .u64 p)
{
ret;
}
.file 1 "/some/where/kernel.cu"
.file 2 "helper.cuh", 1700000000, 512
.file 4 "/toolkit/include/texture_indirect_functions.h"
)";

/// Returns the text between the last occurrence of one word, and another word.
std::string between(const std::string& all, const std::string& from, const std::string& to) {
  const std::size_t begin = all.rfind(from);
  return begin == std::string::npos ? "" : all.substr(begin, all.find(to, begin) - begin);
}

TEST(PtxSourceLine, FollowsTheLastLocOfTheFunction) {
  const std::string all = source_of(kText);
  const std::string first = between(all, "static void f_first", "static void f_second");
  EXPECT_THAT(first, HasSubstr("#line 12 \"/some/where/kernel.cu\"\n"));
  EXPECT_THAT(first, HasSubstr("#line 7 \"helper.cuh\"\n"));
  EXPECT_THAT(first, Not(HasSubstr("#line 0"))) << "line 0 is the compiler's own";
  EXPECT_THAT(first, HasSubstr("#line 15 \"module.ptx\"\n")) << "there is no file 3";
  const std::string second = between(all, "static void f_second", "afterlife.ptx");
  EXPECT_THAT(second, Not(HasSubstr("kernel.cu"))) << "it has no .loc";
}

/// A function of the toolkit's that is one instruction stands instead of its call.
TEST(PtxSourceLine, OfAnInlinedFetchIsTheLineOfItsCall) {
  const std::string third = between(source_of(kText), "static void f_third", "afterlife.ptx");
  EXPECT_THAT(third, HasSubstr("#line 21 \"/some/where/kernel.cu\"\n"));
  EXPECT_THAT(third, HasSubstr("#line 30\n"));
  EXPECT_THAT(third, HasSubstr("#line 145 \"/toolkit/include/texture_indirect_functions.h\"\n"));
}

TEST(PtxSourceLine, IsRepeatedForStatementsOnTheSameLine) {
  const std::string all = source_of(kText);
  const std::string twelve = between(all, "#line 12 \"/some/where/kernel.cu\"", "helper");
  EXPECT_THAT(twelve.substr(1), HasSubstr("#line 12\n")) << "a second statement in line 12";
}

}  // namespace
}  // namespace harness::ptx
