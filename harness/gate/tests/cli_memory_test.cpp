// SPDX-License-Identifier: Apache-2.0
// `afterlife memory`: the memory use of a search, which does not grow without a leak.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/tests/child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Ended memory(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "memory");
  return run_child("afterlife", std::move(arguments));
}

TEST(CliMemory, TheMemoryOfASearchDoesNotGrow) {
  const Ended ended = memory({"example", "--runs", "4000", "--json"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const json found = json::parse(ended.out);
  ASSERT_TRUE(found["variants"].contains("example/retain")) << ended.out;
  EXPECT_EQ(found["variants"].size(), 1U);
  EXPECT_EQ(found["variants"]["example/retain"]["growth_per_million_runs"], 0);
  EXPECT_GT(found["peak_bytes"], 1 << 20);
}

// A search of what is unsound keeps its findings, and yet no run costs anything.
TEST(CliMemory, TakesAVariantByName) {
  const Ended ended = memory({"example/borrow", "--runs", "640"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("example/borrow"));
  EXPECT_THAT(ended.out, HasSubstr(" bytes at most\n"));
}

TEST(CliMemory, WrongArgumentsAreAUsageError) {
  EXPECT_EQ(memory({"nosuch"}).code, 3);
  EXPECT_EQ(memory({"example", "--runs", "63"}).code, 3);
}

}  // namespace
}  // namespace harness
