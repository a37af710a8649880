// SPDX-License-Identifier: Apache-2.0
// `afterlife counters`: exact numbers of deterministic work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/tests/child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Ended counters(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "counters");
  return run_child("afterlife", std::move(arguments));
}

json counted(const std::string& target) {
  const Ended ended = counters({target, "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  return json::parse(ended.out)["counters"];
}

TEST(CliCounters, AreTheSameEveryTime) {
  const Ended first = counters({"example", "--json"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, counters({"example", "--json"}).out);
}

TEST(CliCounters, AreOfSoundVariantsInOrdinaryUseAndInEveryProgram) {
  const json rows = counted("example");
  ASSERT_TRUE(rows.contains("example/retain plain")) << rows;
  EXPECT_TRUE(rows.contains("example/retain replaced_in_flight"));
  for (const auto& [name, row] : rows.items()) {
    EXPECT_THAT(name, StartsWith("example/retain "));
    for (const char* key : {"turns", "questions", "events", "allocations", "calls", "submissions"})
      EXPECT_GT(row[key], 0) << name << " " << key;
  }
  EXPECT_GT(rows["example/retain plain"]["launches"], 0);
}

// The price of a policy shows: what retains calls and allocates more than what borrows, or waits.
TEST(CliCounters, TellVariantsApart) {
  const json retain = counted("example/retain"), borrow = counted("example/borrow");
  EXPECT_NE(retain["example/retain plain"], borrow["example/borrow plain"]);
}

TEST(CliCounters, OfNothingAreOneLine) {
  const Ended unknown = counters({"nosuch"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_EQ(unknown.out, "");
  const Ended missing = counters({"example", "--corpus", "/nosuch"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.out, "");
  EXPECT_THAT(missing.err, HasSubstr("/nosuch/example/seeds/plain: cannot open"));
}

}  // namespace
}  // namespace harness
