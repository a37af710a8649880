// SPDX-License-Identifier: Apache-2.0
// `afterlife gate` from the command line: any behaviour of the two commands leads to a verdict or
// to one clear line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/gate/tests/gate_child.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::benchmarks_json;
using testing::expect_only_line;
using testing::gate_arguments;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::printing;
using testing::row;
using testing::run_gate;
using testing::run_toys;
using testing::shell;
using ::testing::StartsWith;
using testing::Words;

// ---- verdicts ----

/// A command that prints a number near `least`, another one each time: the noise is a number that
/// is kept in a file.
Words noisy(const Folder& folder, const std::string& side, int least) {
  const std::string file = folder / side;
  return shell("n=$(cat " + file + " 2>/dev/null || echo 1); n=$(( (n * 1103515245 + 12345) % " +
               "2147483648 )); echo $n > " + file + "; echo $(( " + std::to_string(least) +
               " + n / 65536 % 40 ))");
}

TEST(CliGate, EqualCommandsPass) {
  const Folder folder;
  const Ended ended = run_gate({}, noisy(folder, "base", 4000), noisy(folder, "head", 4000));
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("passed: 1 benchmark: 1 pass; "));
}

TEST(CliGate, ASlowerHeadIsExitCode1AndAFasterOnePasses) {
  const Folder folder;
  const Ended slower = run_gate({}, noisy(folder, "base", 4000), noisy(folder, "head", 4200));
  EXPECT_EQ(slower.code, 1) << slower.out << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("regressed: 1 benchmark: 1 slower; 40 rounds"));
  const Ended faster = run_gate({}, noisy(folder, "base", 4200), noisy(folder, "head", 4000));
  EXPECT_EQ(faster.code, 0) << faster.out << faster.err;
  EXPECT_THAT(faster.out, HasSubstr("1 faster"));
}

TEST(CliGate, AnUndecidedResultHasItsOwnExitCode) {
  const Folder folder;
  const auto wild = [&](const char* side) {
    const std::string file = folder / side;
    return shell("n=$(cat " + file + " 2>/dev/null || echo " + side +
                 "); n=$(( (n * 1103515245 + " + "12345) % 2147483648 )); echo $n > " + file +
                 "; echo $(( 100 + n / 65536 % 900 ))");
  };
  const Ended ended = run_gate({"--rounds", "20", "--json"}, wild("1"), wild("7"));
  EXPECT_EQ(ended.code, 5) << ended.out << ended.err;
  const json found = json::parse(ended.out);
  EXPECT_EQ(found["outcome"], "undecided");
  EXPECT_EQ(found["benchmarks"][0]["verdict"], "too noisy");
  EXPECT_GT(found["benchmarks"][0]["noise_floor"], 0.03);
}

TEST(CliGate, ASuiteIsComparedBenchmarkByBenchmark) {
  const Ended ended = run_gate({"--rounds", "8", "--json"},
                               printing(benchmarks_json(row("a", 100) + "," + row("gone", 5))),
                               printing(benchmarks_json(row("a", 100) + "," + row("new", 5))));
  EXPECT_EQ(ended.code, 1) << ended.err;
  const json rows = json::parse(ended.out)["benchmarks"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["verdict"], "pass");
  EXPECT_EQ(rows[0]["ratio"], 1.0);
  EXPECT_EQ(rows[1]["verdict"], "gone");
  EXPECT_EQ(rows[2]["verdict"], "new");
}

TEST(CliGate, TheFastestRepetitionCountsAndAggregatesDoNot) {
  const std::string mean =
      "{\"name\": \"a_mean\", \"run_name\": \"a\", \"run_type\": \"aggregate\", \"real_time\": 1, "
      "\"time_unit\": \"ns\"}";
  const std::string in_us =
      "{\"name\": \"a\", \"run_name\": \"a\", \"real_time\": 0.09, \"time_unit\": \"us\"}";
  const Ended ended =
      run_gate({"--rounds", "8", "--json"},
               printing(benchmarks_json(row("a", 100) + "," + in_us + "," + mean)), printing("90"));
  EXPECT_EQ(ended.code, 2) << "nothing is in common";
  const json rows = json::parse(ended.out)["benchmarks"];
  EXPECT_NEAR(rows[0]["base"], 90, 1e-9);
}

TEST(CliGate, ACommandReceivesTheSelectedBenchmarks) {
  const Folder folder;
  const std::string log = folder / "log";
  const auto command = [&](int slow) {
    Words words = shell("echo \"$1\" >> " + log + "; cat <<'EOF'\n" +
                        benchmarks_json(row("a/1", 100) + "," + row("b", slow)) + "\nEOF");
    words.insert(words.end(), {"sh", "{benchmarks}"});
    return words;
  };
  EXPECT_EQ(run_gate({"--rounds", "8"}, command(100), command(110)).code, 1);
  const std::string asked = read_file(log);
  EXPECT_THAT(asked, StartsWith(".*\n.*\n^(a/1|b)$\n"));
  EXPECT_THAT(asked, HasSubstr("\n^(b)$\n")) << "only what failed is confirmed";
}

// ---- failures -----------

TEST(CliGate, ACommandThatFailsIsOneLineAndExitCode2) {
  const Words good = printing("100");
  expect_only_line(run_gate({}, shell("exit 3"), good), 2,
                   "round 1: the base ended with exit code 3");
  expect_only_line(run_gate({}, good, shell("echo oh no >&2; exit 1")), 2,
                   "the head ended with exit code 1: oh no");
  expect_only_line(run_gate({}, good, shell("kill -SEGV $$")), 2, "ended by signal 11");
  expect_only_line(run_gate({}, good, {"/nosuch/program"}), 2,
                   "the head cannot run '/nosuch/program': No such file");
  expect_only_line(run_gate({"--timeout", "0.3"}, shell("sleep 60"), good), 2,
                   "did not end within 0.3 s");
}

TEST(CliGate, UnreadableOutputIsOneLineAndExitCode2) {
  const Words good = printing("100");
  const std::pair<const char*, const char*> nonsense[] = {
      {"", "printed nothing on stdout"},
      {"fast\x1b[31m", "but 'fast\\x1b[31m'"},
      {"1 2", "printed neither"},
      {"nan", "times must be above zero"},
      {"0", "times must be above zero"},
      {"-5", "did its clock go back?"},
      {"{}", "JSON that is neither Google Benchmark's nor NVBench's"},
      {"{\"benchmarks\": [", "JSON that is cut off"},
      {"{\"benchmarks\": []}", "JSON without a benchmark"},
      {"{\"benchmarks\": [{\"name\": \"a\"}]}", "JSON that is neither Google Benchmark's"},
      {"{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"h\"}]}",
       "not a unit"},
      {"{\"benchmarks\": [{\"name\": \"a\", \"error_occurred\": true, \"error_message\": \"x\"}]}",
       "failed in benchmark 'a': x"},
      {"[1, 2]", "printed neither"},
  };
  for (const auto& [text, why] : nonsense) {
    SCOPED_TRACE(text);
    expect_only_line(run_gate({}, printing(text), good), 2, why);
  }
}

TEST(CliGate, AVanishedBenchmarkIsReportedWithItsMeasurements) {
  const Folder folder;
  const std::string file = folder / "count";
  const Words vanishing =
      shell("echo x >> " + file + "; [ $(wc -l < " + file + ") -gt 12 ] && exit 9; echo 100");
  const Ended ended = run_gate({}, printing("100"), vanishing);
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.out, HasSubstr("failed: 1 benchmark: 1 undecided; 12 rounds; ended before"));
  EXPECT_THAT(ended.err, HasSubstr("afterlife: round 13: the head ended with exit code 9"));
}

TEST(CliGate, ABenchmarkMissingInALaterRoundIsOneLineAndNoPass) {
  const Folder folder;
  const std::string file = folder / "count";
  const Words vanishing =
      shell("echo x >> " + file + "; if [ $(wc -l < " + file + ") -gt 12 ]; then cat <<'EOF'\n" +
            benchmarks_json(row("a", 100)) + "\nEOF\nelse cat <<'EOF'\n" +
            benchmarks_json(row("a", 100) + "," + row("b", 100)) + "\nEOF\nfi");
  const Words both = printing(benchmarks_json(row("a", 100) + "," + row("b", 100)));
  const Ended ended = run_gate({}, both, vanishing);
  EXPECT_EQ(ended.code, 2) << ended.out;
  EXPECT_THAT(ended.out, Not(HasSubstr("passed")));
  EXPECT_THAT(ended.err, HasSubstr("'b'"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

TEST(CliGate, WrongArgumentsAreAUsageError) {
  for (const Words& wrong :
       {Words{"gate"}, Words{"gate", "--", "true"}, Words{"gate", "--", "true", "--"},
        Words{"gate", "--rounds", "7", "--", "true", "--", "true"},
        Words{"gate", "--nosuch", "--", "true", "--", "true"},
        Words{"gate", "--recompute", "x", "--", "true", "--", "true"},
        Words{"gate", "--recompute", "x", "--rounds", "9"},
        Words{"gate", "--recompute", "x", "--samples", "y"}})
    expect_only_line(run_toys(wrong), 3, "");
}

// ---- samples ----

TEST(CliGate, RecordedSamplesGiveTheSameVerdicts) {
  const Folder folder;
  const std::string file = folder / "samples";
  for (const int head : {4000, 4200}) {
    std::filesystem::remove(file);
    const Ended live = run_gate({"--json", "--seed", "5", "--samples", file},
                                noisy(folder, "base", 4000), noisy(folder, "head", head));
    const Ended again = run_toys({"gate", "--json", "--recompute", file});
    EXPECT_EQ(live.out, again.out);
    EXPECT_EQ(live.code, again.code);
  }
  EXPECT_EQ(run_gate({"--samples", file}, printing("1"), printing("1")).code, 2)
      << "samples are not replaced";
}

/// Returns which side was measured first in each round of a sample file.
Words first_sides(const std::string& file) {
  std::istringstream in(read_file(file));
  Words sides;
  std::string line;
  std::getline(in, line);  // The plan.
  for (int i = 0; std::getline(in, line); ++i) {
    const json sample = json::parse(line);
    if (i % 2 == 0 && sample.contains("side")) sides.push_back(sample["side"]);
  }
  return sides;
}

TEST(CliGate, TheOrderInARoundIsDrawnFromTheSeed) {
  const Folder folder;
  const auto order = [&](const std::string& seed, const std::string& file) {
    run_gate({"--seed", seed, "--samples", folder / file}, printing("100"), printing("100"));
    return first_sides(folder / file);
  };
  const Words sides = order("1", "one");
  ASSERT_EQ(sides.size(), 20U);
  const auto base_first = std::count(sides.begin(), sides.end(), "base");
  EXPECT_GE(base_first, 4) << "by chance once in 1000 at most";
  EXPECT_LE(base_first, 16);
  EXPECT_EQ(sides, order("1", "again"));
  EXPECT_NE(sides, order("2", "two"));
}

TEST(CliGate, TruncatedSamplesAreUndecidedAndDamagedOnesAreOneLine) {
  const Folder folder;
  const std::string file = folder / "samples";
  run_gate({"--samples", file}, noisy(folder, "base", 4000), noisy(folder, "head", 4000));
  const std::string text = read_file(file);
  write_file(file, text.substr(0, text.size() / 2));
  const Ended cut = run_toys({"gate", "--recompute", file});
  EXPECT_EQ(cut.code, 4) << cut.err;
  EXPECT_THAT(cut.out, HasSubstr("1 undecided"));
  write_file(file, "{}\n" + text);
  expect_only_line(run_toys({"gate", "--recompute", file}), 2, "samples: line 1 is not a line");
  write_file(file, text + text);
  expect_only_line(run_toys({"gate", "--recompute", file}), 2, "comes after the end");
  write_file(file, "");
  expect_only_line(run_toys({"gate", "--recompute", file}), 2, "contains no samples");
  expect_only_line(run_toys({"gate", "--recompute", folder / "nosuch"}), 2, "cannot open");
}

TEST(CliGate, AFullDiskIsOneLineAndExitCode2) {
  const Folder folder;
  const auto no_room = [] {
    const rlimit limit{600, 600};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Ended ended = run_child(
      "afterlife_toys",
      gate_arguments({"--samples", folder / "samples"}, printing("100"), printing("100")), no_room);
  EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("samples: cannot write: File too large"));
  EXPECT_THAT(ended.out, Not(HasSubstr("passed")));
}

TEST(CliGate, AFullDiskUnderThePageIsOneLineAndNoPass) {
  const Folder folder;
  const auto no_room = [] {
    const rlimit limit{600, 600};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  for (const char* option : {"--html", "--junit", "--markdown"}) {
    std::string rows = row("a", 100);
    for (int i = 0; i < 20; ++i) rows += "," + row("b" + std::to_string(i), 100);
    const Ended ended =
        run_child("afterlife_toys",
                  gate_arguments({"--rounds", "8", option, folder / "file"},
                                 printing(benchmarks_json(rows)), printing(benchmarks_json(rows))),
                  no_room);
    expect_only_line(ended, 2, "file: cannot write: File too large");
  }
}

TEST(CliGate, AKilledGateIsNoPass) {
  const Folder folder;
  const Words slow = shell("sleep 0.02; echo x >> " + (folder / "log") + "; echo 100");
  Child child("afterlife_toys",
              gate_arguments({"--rounds", "100000", "--html", folder / "p"}, slow, slow));
  while (read_file(folder / "log").size() < 20) std::this_thread::yield();
  child.signal(SIGKILL);
  const Ended ended = child.wait(std::chrono::seconds(60));
  EXPECT_EQ(ended.code, -SIGKILL);
  EXPECT_EQ(ended.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "p"));
}

}  // namespace
}  // namespace harness
