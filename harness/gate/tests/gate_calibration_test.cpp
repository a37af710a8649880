// SPDX-License-Identifier: Apache-2.0
// `afterlife gate` with foreign benchmarks: their output formats, and the gate's error rates for
// them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/gate/benchmark_output.h"
#include "harness/gate/rates.h"
#include "harness/gate/tests/gate_child.h"

namespace harness {
namespace {

using gate::read_output;
using gate::Reading;
using nlohmann::json;
using testing::run_toys;
using testing::Words;

TEST(BenchmarkOutput, ReadsTheTimesOfNvBench) {
  const char* const text = R"({"benchmarks": [
    {"name": "copy", "states": [
      {"name": "Device=0 N=1", "is_skipped": false, "summaries": [
        {"tag": "nv/cold/time/cpu/mean", "data": [{"name": "value", "value": "9e-3"}]},
        {"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "type": "float64",
                                                   "value": "2.5e-06"}]}]},
      {"name": "Device=0 N=2", "is_skipped": false, "summaries": [
        {"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "value": 4e-06}]},
        {"tag": "nv/cold/time/gpu/min", "data": [{"name": "value", "value": 3e-06}]}]},
      {"name": "Device=0 N=3", "is_skipped": true, "summaries": []}]}]})";
  const Reading reading = read_output(text);
  ASSERT_EQ(reading.size(), 2u);
  EXPECT_DOUBLE_EQ(reading.at("copy Device=0 N=1"), 2500);
  EXPECT_DOUBLE_EQ(reading.at("copy Device=0 N=2"), 3000);
}

TEST(BenchmarkOutput, ReadsLinesOfNumbersWithNamesBeforeOrBehind) {
  const Reading reading = read_output("parse json: 12.5\n3e2 copy\nsort=7\n\nparse json: 11\n");
  const Reading wanted{{"parse json", 11}, {"copy", 300}, {"sort", 7}};
  EXPECT_EQ(reading, wanted);
  EXPECT_EQ(read_output("5\n4\n6\n"), (Reading{{"value", 4}}));
}

TEST(BenchmarkOutput, RefusesOutputWithoutANumberOrATime) {
  for (const char* text : {"copy: fast", "1 2", "copy 3 ms",
                           "{\"benchmarks\": [{\"name\": \"a\", \"states\": [{\"name\": \"s\", "
                           "\"summaries\": []}]}]}"})
    EXPECT_THROW(read_output(text), std::runtime_error) << text;
}

TEST(Rates, WelchDistinguishesDifferentMeans) {
  std::vector<double> first, second;
  for (int i = 0; i < 40; ++i) {
    first.push_back(100 + i % 5);
    second.push_back(101 + i % 5);
  }
  EXPECT_LT(gate::welch(first, second), 0.01);
  EXPECT_EQ(gate::welch(first, first), 1);
}

/// A command that prints a number near 100, which differs by so much from run to run.
Words noisy(double share) {
  return {"awk", fmt::format("BEGIN {{ srand(); \"od -An -N4 -tu4 /dev/urandom\" | getline x; "
                             "printf \"%.6f\\n\", 100 * (1 + {} * x / 4294967296) }}",
                             share)};
}

json calibrated(const Words& command, int code) {
  Words all{"gate", "--calibrate", "400", "--json", "--"};
  all.insert(all.end(), command.begin(), command.end());
  const Ended ended = run_toys(all);
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  return json::parse(ended.out);
}

double share_of(const json& rate) {
  return rate["count"].get<double>() / rate["total"].get<double>();
}

TEST(CliGateCalibrate, ReportsDetectionRatesWhichDependOnTheNoise) {
  const json quiet = calibrated(noisy(0.001), 0);
  ASSERT_EQ(quiet["rows"].size(), 3u) << quiet;
  EXPECT_EQ(quiet["rounds"], 400);
  for (const json& row : quiet["rows"])
    if (row["planted"] == "unchanged")
      EXPECT_EQ(row["called_slower"]["count"], 0);
    else
      EXPECT_EQ(share_of(row["called_slower"]), 1) << row;
  const json loud = calibrated(noisy(1.0), 1);
  for (const json& row : loud["rows"])
    if (row["planted"] == "+3 %") EXPECT_LT(row["called_slower"]["high"], 0.9) << row;
}

TEST(CliGateCalibrate, PrintsATableWithIntervals) {
  const Ended ended = run_toys({"gate", "--calibrate", "400", "--", "sh", "-c", "echo 100"});
  EXPECT_THAT(ended.out, ::testing::HasSubstr("by the U test"));
  EXPECT_THAT(ended.out, ::testing::HasSubstr("0.0 % (0.0 to "));
}

TEST(CliGateCalibrate, NeedsOneCommandAndEnoughRounds) {
  testing::expect_only_line(run_toys({"gate", "--calibrate", "400"}), 3, "expected one command");
  testing::expect_only_line(run_toys({"gate", "--calibrate", "400", "--", "true", "--", "true"}), 3,
                            "expected one command");
  testing::expect_only_line(run_toys({"gate", "--calibrate", "12", "--", "echo", "100"}), 2,
                            "12 rounds were measured, but one comparison may take 320");
}

}  // namespace
}  // namespace harness
