// SPDX-License-Identifier: Apache-2.0
// `afterlife price`: its table and its JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness/base/tests/child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Ended price(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "price");
  return run_child("afterlife", std::move(arguments));
}

TEST(CliPrice, IsTheSameEveryTime) {
  const Ended first = price({"example", "--json"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, price({"example", "--json"}).out);
  EXPECT_THAT(first.out, Not(HasSubstr("host_seconds")));
  EXPECT_NE(first.out, price({"example", "--json", "--seed", "2"}).out);
}

TEST(CliPrice, HasEveryVariantInEveryClass) {
  const json paths = json::parse(price({"--json"}).out)["paths"];
  const json listed = json::parse(run_child("afterlife", {"list", "--json"}).out)["paths"];
  ASSERT_EQ(paths.size(), listed.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    ASSERT_EQ(paths[i]["classes"].size(), 3u);
    for (const json& priced : paths[i]["classes"]) {
      EXPECT_EQ(priced["variants"].size(), listed[i]["variants"].size());
      EXPECT_GT(priced["compared"], 0) << paths[i]["path"] << " " << priced["class"];
    }
  }
}

TEST(CliPrice, SaysThatAVariantFailsInsteadOfItsPrice) {
  const json classes = json::parse(price({"example", "--json"}).out)["paths"][0]["classes"];
  const json& borrow = classes[1]["variants"][0];
  EXPECT_EQ(borrow["variant"], "borrow");
  EXPECT_EQ(borrow["price"], nullptr);
  EXPECT_EQ(borrow["failures"]["replaced_in_flight"], 2);
  EXPECT_GT(classes[2]["variants"][0]["price"]["launches"], 0);
  const std::string table = price({"example"}).out;
  EXPECT_THAT(table, HasSubstr("fails  fails"));
  EXPECT_THAT(table, HasSubstr("borrow survives 0 of 2: replaced_in_flight 2"));
}

TEST(CliPrice, IsOneRowOfEveryVariantInBrief) {
  const Ended brief = price({"--brief"});
  EXPECT_EQ(brief.code, 0) << brief.err;
  std::set<std::string> rows;
  std::istringstream in(brief.out);
  for (std::string line; std::getline(in, line);) rows.insert(line.substr(0, line.find(' ')));
  const json list = json::parse(run_child("afterlife", {"list", "--json"}).out);
  for (const json& path : list["paths"])
    for (const json& variant : path["variants"])
      EXPECT_TRUE(rows.contains(variant["variant"].get<std::string>())) << variant["variant"];
}

// Cheap in ordinary use, and no price where it fails.
TEST(CliPrice, SaysInBriefWhereACheapVariantFails) {
  const std::string brief = price({"example", "--brief"}).out;
  EXPECT_THAT(brief, ContainsRegex("borrow +46 .* fails 2/2 +fails [1-9][0-9]*/100\n"));
  EXPECT_THAT(brief, ContainsRegex("retain +46 .* 1[.]000 +1[.][0-9]+\n"));
  EXPECT_EQ(price({"example", "--brief", "--time"}).code, 3);
}

TEST(CliPrice, TellsHostTimeOnlyWhereItIsAskedFor) {
  const json timed = json::parse(price({"example", "--time", "--json"}).out);
  EXPECT_GT(timed["paths"][0]["classes"][0]["variants"][0]["host_seconds"], 0);
  EXPECT_THAT(price({"example", "--time", "--drawn", "1"}).out, HasSubstr("ns/op  ratio"));
}

TEST(CliPrice, OfNothingIsOneLine) {
  const Ended unknown = price({"nosuch"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_EQ(unknown.out, "");
  const Ended missing = price({"example", "--corpus", "/nosuch"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.out, "");
  EXPECT_THAT(missing.err, HasSubstr("/nosuch/example/seeds/plain: cannot open"));
}

}  // namespace
}  // namespace harness
