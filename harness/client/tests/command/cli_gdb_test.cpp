// SPDX-License-Identifier: Apache-2.0
// `replay --gdb`: gdb stops where the fault is reported, with the sources found.
#include <cstdlib>
#include <string>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::run_toys;
using testing::script;
using testing::Words;

class CliGdb : public testing::RunStage {
 protected:
  void SetUp() override {
    testing::RunStage::SetUp();
    if (!IsSkipped() && std::system("gdb --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "no gdb here";
  }
};

TEST_F(CliGdb, AReproducerStopsWithItsFaultReported) {
  const std::string file = folder_ / "case.repro";
  write_file(file, testing::reproducer_text(testing::toy_case("borrow", testing::failing_tape())));
  const Ended ended = run_toys({"replay", file, "--gdb"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("void History::add(Fault fault) {"));
}

TEST_F(CliGdb, AFindingStopsItsOwnProgramInTheCallThatMeetsTheFault) {
  const auto result = found({"--runs", "30"}, {"python3", script("collected.py")}, 1);
  const Ended ended = run_toys({"replay", result["findings"][0]["file"], "--gdb"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("void History::add(Fault fault) {"));
  EXPECT_THAT(ended.out, ContainsRegex("#[0-9]+ .*cuMemsetD8Async"));
}

TEST_F(CliGdb, AHangStopsWithTheStacksOfAllThreads) {
  const auto result = found({"--runs", "8"}, {"python3", script("deadlocking.py")}, 1);
  const Ended ended = run_toys({"replay", result["findings"][0]["file"], "--gdb"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("#[0-9]+ .*hangs"));
  EXPECT_THAT(ended.out, HasSubstr("Thread 2 "));
}

TEST_F(CliGdb, WhatItWouldNotDoIsRefused) {
  const std::string repro = "corpus/graph_argument/repros/borrow-argument_dropped.repro";
  for (const Words& with :
       {Words{"--why"}, Words{"--html", folder_ / "page.html"}, Words{"corpus/argpack/repros"}}) {
    Words words{"replay", repro, "--gdb"};
    words.insert(words.end(), with.begin(), with.end());
    testing::expect_one_line(run_toys(words), 3, "--gdb");
  }
}

}  // namespace
}  // namespace harness
