// SPDX-License-Identifier: Apache-2.0
// The time limit of `afterlife gate`, and signals, during measurement and computation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "harness/gate/sample_file.h"
#include "harness/gate/tests/gate_child.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using testing::benchmarks_json;
using testing::gate_arguments;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::printing;
using testing::run_gate;
using testing::run_toys;
using testing::shell;
using ::testing::StartsWith;
using testing::Words;

TEST(CliGate, CtrlCShowsTheMeasurements) {
  const Folder folder;
  const Words slow = shell("sleep 0.02; echo x >> " + (folder / "log") + "; echo 100");
  Child child("afterlife_toys", gate_arguments({"--rounds", "100000"}, slow, slow));
  while (read_file(folder / "log").size() < 40) std::this_thread::yield();
  child.signal(SIGINT);
  const Ended ended = child.wait(std::chrono::seconds(60));
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.out, MatchesRegex("(.|\n)*stopped: 1 benchmark: 1 undecided; [0-9]+ rounds; "
                                      "stopped\n"));
}

TEST(CliGate, ATimeLimitEndsItUndecided) {
  const Folder folder;
  const Words slow = shell("sleep 0.05; echo 100");
  const Ended ended = run_gate({"--seconds", "1.5"}, slow, slow);
  EXPECT_EQ(ended.code, 5) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("no time for the next look (--seconds is too short)"));
  EXPECT_THAT(ended.out, HasSubstr("; 4 rounds; ")) << "20 take two seconds at least";
}

TEST(CliGate, TheTimeLimitEndsARunningProcess) {
  const auto begin = Clock::now();
  const Ended ended = run_gate({"--seconds", "0.5"}, printing("100"), shell("sleep 60; echo 100"));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(ended.code, 5) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("0 rounds; the time was over (--seconds)"));
}

// ---- many benchmarks: what takes long is computing ----

/// A command that prints this many benchmarks, and adds a line to `log` before it does.
class Many {
 public:
  explicit Many(int count = 20'000) {
    std::string rows;
    for (int i = 0; i < count; ++i)
      rows +=
          (i == 0 ? "" : ",") + ("{\"name\":\"bench" + std::to_string(i) + "\",\"real_time\":9}");
    write_file(folder_ / "json", benchmarks_json(rows));
  }

  Words command() const {
    Words words = shell("echo >> " + (folder_ / "log") + "; cat " + (folder_ / "json"));
    words.insert(words.end(), {"sh", "{benchmarks}"});  // Their names are too long for a word.
    return words;
  }
  std::size_t runs() const { return read_file(folder_ / "log").size(); }
  std::string file(const std::string& name) const { return folder_ / name; }

 private:
  Folder folder_;
};

/// The last line of a table; the table has thousands of rows.
std::string summary_of(const std::string& table) {
  return table.substr(table.rfind('\n', table.size() - 2) + 1);
}

constexpr const char* kNotComputed =
    "undecided: 5000 benchmarks: 5000 undecided; 8 rounds; [0-9 ]+ estimates not computed; the "
    "time was over .--seconds.\n";

// How long it takes to measure 8 rounds depends on what else runs here. Computing takes several
// times as long, so one of these limits is reached meanwhile.
TEST(CliGateOfMany, TheTimeLimitIncludesTheComputation) {
  const Many many(5'000);
  Ended ended{};
  for (double seconds = 0.25; seconds < 100; seconds *= 2) {
    std::filesystem::remove(many.file("samples"));
    const auto begin = Clock::now();
    ended = run_gate(
        {"--rounds", "8", "--seconds", std::to_string(seconds), "--samples", many.file("samples")},
        many.command(), many.command());
    EXPECT_LT(Clock::now() - begin, std::chrono::duration<double>(seconds + 5));
    if (ended.out.find(" 8 rounds; ") != ended.out.npos) break;
  }
  EXPECT_EQ(ended.code, 5) << ended.err;
  EXPECT_THAT(summary_of(ended.out), MatchesRegex(kNotComputed));
  const Ended again = run_toys({"gate", "--recompute", many.file("samples")});
  EXPECT_EQ(again.code, 5) << "what had no verdict has none";
  EXPECT_THAT(summary_of(again.out), StartsWith("undecided: 5000 benchmarks: 5000 undecided; "));
}

/// Writes the samples of 8 rounds of these benchmarks, all of which passed.
void write_samples(const std::string& file, int count) {
  const gate::Plan plan{.base = {"old"}, .head = {"new"}, .rule = {.looks = {8}}};
  gate::SampleWriter samples(file, plan);
  gate::Reading reading;
  for (int i = 0; i < count; ++i) reading["bench" + std::to_string(i)] = 9;
  for (std::size_t round = 0; round < 8; ++round)
    for (const gate::Side side : {gate::Side::base, gate::Side::head})
      samples.add({0, round, side, reading});
  samples.end(gate::End::complete, false);
}

TEST(CliGateOfMany, TheTimeLimitIncludesRecomputing) {
  const Folder folder;
  write_samples(folder / "samples", 5'000);
  const Words words{"gate", "--recompute", folder / "samples"};
  Words limited = words;
  limited.insert(limited.end(), {"--seconds", "0.01"});
  const Ended ended = run_toys(limited);
  EXPECT_EQ(ended.code, 5) << ended.err;
  EXPECT_THAT(summary_of(ended.out), MatchesRegex(kNotComputed));
  EXPECT_EQ(run_toys(words).code, 0) << "without a limit, all pass";
}

/// Sends the signal this long after the last process has begun to print. Expects that the gate ends
/// soon. Returns how: a machine may have computed all by then.
Ended end_by(int signal, std::chrono::milliseconds after) {
  const Many many;
  Child child("afterlife_toys", gate_arguments({"--rounds", "8"}, many.command(), many.command()),
              [] { ::signal(SIGHUP, SIG_DFL); });  // A test under nohup ignores it.
  while (many.runs() < 16 && !child.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(after);
  const auto begin = Clock::now();
  child.signal(signal);
  Ended ended = child.wait(std::chrono::seconds(60));
  // Under half a second if nothing else runs, and 4 s if it computed to the end.
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(3)) << signal;
  return ended;
}

TEST(CliGateOfMany, ASignalEndsTheComputationWithPartialResults) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Ended ended{};
    for (int milliseconds = 300; milliseconds > 4; milliseconds /= 2) {
      ended = end_by(signal, std::chrono::milliseconds(milliseconds));
      if (ended.out.find("estimates not computed") != ended.out.npos) break;
    }
    EXPECT_EQ(ended.code, 4) << signal << ended.err;
    EXPECT_THAT(summary_of(ended.out), HasSubstr("estimates not computed; stopped\n"));
    EXPECT_NE(ended.out.find("+0.0 .. +0.0 %"), ended.out.npos) << "some are shown";
  }
}

TEST(CliGate, AnIgnoredHangupStaysIgnored) {
  const Folder folder;
  const Words command = shell("echo x >> " + (folder / "log") + "; sleep 0.05; echo 100");
  Child child("afterlife_toys", gate_arguments({"--rounds", "8"}, command, command),
              [] { ::signal(SIGHUP, SIG_IGN); });
  while (read_file(folder / "log").size() < 4) std::this_thread::yield();
  child.signal(SIGHUP);
  EXPECT_EQ(child.wait(std::chrono::seconds(60)).code, 0) << "nohup wants it";
}

}  // namespace
}  // namespace harness
