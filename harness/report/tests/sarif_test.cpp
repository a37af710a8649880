// SPDX-License-Identifier: Apache-2.0
// A case as SARIF: the rows of its drawing are in threadFlows, one per task and stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/cli/tests/toys_child.h"
#include "harness/devices/tests/cuda_stage.h"
#include "harness/report/sarif.h"

namespace harness::reports {
namespace {

using harness::testing::failing_tape;
using harness::testing::run_toys;
using harness::testing::toy_case;
using nlohmann::json;
using ::testing::HasSubstr;

class Sarif : public ::testing::Test {
 protected:
  const json& result() const { return log_["runs"][0]["results"][0]; }
  const json& flows() const { return result()["codeFlows"][0]["threadFlows"]; }
  const Timeline& drawn() const { return drawn_; }
  const json& log() const { return log_; }
  const Outcome& outcome() const { return outcome_; }

 private:
  Runner runner_;
  Case the_case_ = toy_case("borrow", failing_tape());
  const Outcome& outcome_ = runner_.run(the_case_);
  Telling telling_{the_case_, outcome_, runner_.world(), 0};
  Timeline drawn_ = timeline(telling_);
  json log_ = json::parse(case_sarif(telling_, "a b.repro"));
};

/// Returns the numbers of the rows in which a lane has a part.
std::set<std::size_t> rows_of(const Timeline& timeline, std::size_t lane) {
  std::set<std::size_t> rows;
  for (std::size_t i = 0; i < timeline.rows.size(); ++i)
    for (const Mark& mark : timeline.rows[i].marks)
      if (mark.lane == lane) rows.insert(i + 1);
  return rows;
}

TEST_F(Sarif, HasAThreadFlowPerTaskAndStreamInOrder) {
  std::map<std::string, std::set<std::size_t>> expected, found;
  for (std::size_t lane = 0; lane < drawn().lanes.size(); ++lane)
    if (drawn().lanes[lane].kind != LaneKind::object && !rows_of(drawn(), lane).empty())
      expected[drawn().lanes[lane].name] = rows_of(drawn(), lane);
  for (const json& flow : flows()) {
    std::size_t last = 0;
    for (const json& step : flow["locations"]) {
      const std::size_t order = step["executionOrder"];
      EXPECT_GT(order, last);
      EXPECT_EQ(step["location"]["message"]["text"], drawn().rows.at(order - 1).text);
      EXPECT_EQ(step["state"]["turn"]["text"], std::to_string(drawn().rows[order - 1].turn));
      found[flow["id"]].insert(last = order);
    }
  }
  EXPECT_EQ(found, expected);
  EXPECT_GE(found.size(), 2u);
}

TEST_F(Sarif, NamesTheFaultAndItsFile) {
  EXPECT_EQ(result()["partialFingerprints"]["afterlifeSignature/v1"],
            outcome().faults.front().signature());
  EXPECT_EQ(log()["runs"][0]["tool"]["driver"]["rules"][0]["id"], result()["ruleId"]);
  const json& location = result()["locations"][0];
  EXPECT_EQ(location["physicalLocation"]["artifactLocation"]["uri"], "a%20b.repro");
  EXPECT_EQ(location["logicalLocations"][0]["fullyQualifiedName"], "toy/borrow");
}

TEST_F(Sarif, TheFaultIsEssential) {
  std::size_t essential = 0;
  for (const json& flow : flows())
    for (const json& step : flow["locations"]) essential += step["importance"] == "essential";
  EXPECT_GE(essential, 2u) << "the death, and the use";
}

TEST(CliSarif, ARunWithoutAFaultHasNoResult) {
  const Folder folder;
  const std::string file = folder / "plain.repro", log = folder / "plain.sarif";
  std::ofstream(file) << "afterlife reproducer 1\npath toy\nvariant retain\n"
                         "config boxes=one temper=calm\ndevice sim\nend\n";
  const Ended ended = run_toys({"replay", file, "--sarif", log});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("log written to " + log));
  EXPECT_EQ(json::parse(read_file(log))["runs"][0]["results"], json::array());
  EXPECT_EQ(run_toys({"replay", folder.path(), "--sarif", log}).code, 3);
  EXPECT_THAT(run_toys({"replay", file, "--sarif", file}).err, HasSubstr("no log replaces"));
}

}  // namespace
}  // namespace harness::reports
