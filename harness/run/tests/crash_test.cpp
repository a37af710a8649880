// SPDX-License-Identifier: Apache-2.0
// A crash of the code under test is a fault like any other, and does not affect later runs.
#include "harness/base/crash/crash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness/base/tests/child.h"
#include "harness/cli/tests/toys_child.h"
#include "harness/report/story.h"
#include "harness/run/tests/crash_stage.h"
#include "harness/run/tests/crasher_scenario.h"
#include "harness/search/search.h"

namespace harness {
namespace {

using ::testing::HasSubstr;
using testing::crash_stage::launch;
using testing::crash_stage::path_of;
using testing::crash_stage::random_walk;
using testing::crash_stage::run;
using testing::crash_stage::runs_of_a_fresh_process;
using testing::crash_stage::sim;
using testing::crash_stage::some_runs;
namespace crasher = testing::crasher;

/// The first failing run of a variant that a random walk leads to.
const Outcome& crash(Runner& runner, std::size_t variant) {
  for (std::uint64_t seed = 1;; ++seed) {
    const auto walk = random_walk(seed);
    const Outcome& outcome = runner.run(crasher::scenario, variant, {}, sim(), *walk);
    if (outcome.failed()) return outcome;
    HARNESS_CHECK(seed < 10'000, "every unsound variant of the crasher crashes");
  }
}

// ---- the fault ----------------------------------------------------------------------------------

struct Way {
  const char* variant;
  const char* signature;
};

class CrashWays : public ::testing::TestWithParam<Way> {};

TEST_P(CrashWays, AreFaultsThatReplayAndEndTheRun) {
  Runner runner;
  const std::size_t variant = variant_named(crasher::scenario, GetParam().variant);
  const Outcome first = crash(runner, variant);
  const std::uint64_t trace = runner.trace_hash();
  ASSERT_EQ(first.faults.size(), 1u);
  EXPECT_EQ(first.faults[0].signature(), GetParam().signature);
  EXPECT_TRUE(first.faults[0].fatal);
  EXPECT_EQ(first.ending, Ending::fatal);
  const Outcome& again = runner.run({&crasher::scenario, variant, {}, &sim(), first.tape});
  EXPECT_EQ(again.faults, first.faults);
  EXPECT_EQ(runner.trace_hash(), trace);
}

constexpr Way kWays[] = {
    {"segv", "crash SIGSEGV used:look"},
    {"abort", "crash SIGABRT used:look"},
    {"overflow", "crash stack overflow used:look"},
    {"terminate", "crash SIGABRT used:look"},
    {"divide", "crash SIGFPE used:look"},
    {"trap", "crash SIGILL used:look"},
    {"handling", "crash SIGSEGV used:look"},
    {"null", "crash SIGSEGV used:look"},
    {"null_owner", "crash SIGSEGV used:look"},
    {"destructor", "crash SIGSEGV used:look"},
    {"host_function", "crash SIGSEGV used:host function"},
    {"user_object", "crash SIGSEGV used:user object destructor"},
    {"driver", "crash SIGSEGV used:driver"},
    {"wrongly_sound", "crash SIGSEGV used:look"},
};

INSTANTIATE_TEST_SUITE_P(Crash, CrashWays, ::testing::ValuesIn(kWays),
                         [](const auto& info) { return std::string(info.param.variant); });

TEST(Crash, IsALineOfTheStory) {
  Runner runner;
  const std::size_t variant = variant_named(crasher::scenario, "terminate");
  const Outcome& outcome = crash(runner, variant);
  const Case the_case{&crasher::scenario, variant, {}, &sim(), outcome.tape};
  EXPECT_THAT(reports::story({the_case, outcome, runner.world()}, {}),
              HasSubstr("! crash: SIGABRT in look: std::terminate: out of noexcept"));
}

TEST(Crash, IsFoundMinimizedAndProvedLikeAnyFault) {
  Runner runner;
  const std::size_t variant = variant_named(crasher::scenario, "segv");
  SearchOptions options;
  options.strategy = find(tables::strategies(), "random_walk");
  options.device = &sim();
  options.run_limit = 2000;
  options.second_limit = 60;
  const SearchResult result = search(runner, crasher::scenario, variant, options);
  EXPECT_EQ(result.verdict, Verdict::caught);
  EXPECT_EQ(result.tally.runs, 2000u);
  EXPECT_FALSE(result.nondeterministic);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_GT(result.findings[0].count, 50u);
  EXPECT_EQ(result.findings[0].minimized.op_count, 2u);
  const Case program{&crasher::scenario, variant, {}, &sim(), crasher::small_program()};
  const Proof proof = prove(runner, program, 2, {});
  EXPECT_TRUE(proof.failed);
  EXPECT_EQ(proof.faults, std::vector<std::string>{"crash SIGSEGV used:look"});
}

// ---- effects on later runs ----------------------------------------------------------------------

/// Remembers what was in the middle of when a run ended: as a call that a crash never left does.
class HalfDoneDevice final : public Device {
 public:
  void begin(World&) override { ++begun_; }
  void end() override {}
  const DriverTable& table() const override {
    check_failed(__FILE__, __LINE__, "false", "no one calls it");
  }
  bool runs_host_kernels() const override { return begun_ == 1; }

 private:
  int begun_ = 0;
};

TEST(Crash, GivesTheNextRunANewWorldAndNewDevices) {
  static const DeviceInfo device{"half_done", "",
                                 [] { return static_cast<Device*>(new HalfDoneDevice); }};
  Runner runner;
  const auto run_on_it = [&](const char* variant) {
    const std::size_t index = variant_named(crasher::scenario, variant);
    runner.run({&crasher::scenario, index, {}, &device, {}});
    return runner.world().device->runs_host_kernels();
  };
  EXPECT_TRUE(run_on_it("steady"));
  EXPECT_FALSE(run_on_it("steady"));
  EXPECT_FALSE(run_on_it("driver"));
  EXPECT_TRUE(run_on_it("steady"));
  EXPECT_FALSE(run_on_it("steady"));
}

TEST(CrashFreshProcess, DISABLED_PrintsItsRuns) {
  Runner runner;
  std::printf("%s", some_runs(runner).c_str());
}

TEST(Crash, LaterRunsEqualRunsInAFreshProcess) {
  const std::string expected = runs_of_a_fresh_process();
  ASSERT_FALSE(expected.empty());
  Runner runner;
  for (const Way& way : kWays) {
    crash(runner, variant_named(crasher::scenario, way.variant));
    EXPECT_EQ(some_runs(runner), expected) << "after " << way.variant;
    Runner another;
    crash(runner, variant_named(crasher::scenario, way.variant));
    EXPECT_EQ(some_runs(another), expected) << "another runner, after " << way.variant;
  }
}

// ---- the command line ---------------------------------------------------------------------------

TEST(CrashCli, ASearchContinuesToTheTableAfterACrash) {
  const Folder folder;
  const Ended ended =
      testing::run_toys({"fuzz", "crasher", "--runs", "500", "--out", folder / "out", "--json"});
  EXPECT_EQ(ended.code, 1) << ended.err;  // One of them claims to be sound.
  const auto results = nlohmann::json::parse(ended.out)["results"];
  ASSERT_EQ(results.size(), crasher::scenario.variants.size());
  EXPECT_EQ(results.at(0)["verdict"], "held");
  for (std::size_t i = 1; i + 1 < results.size(); ++i)
    EXPECT_EQ(results.at(i)["verdict"], "caught") << results.at(i);
  EXPECT_EQ(results.back()["verdict"], "refuted");
  std::size_t count = 0;
  for (const std::string& file : folder.files()) {
    if (!file.ends_with(".repro")) continue;
    ++count;
    const Ended replayed = testing::run_toys({"replay", file});
    EXPECT_EQ(replayed.code, 0) << file << replayed.out << replayed.err;
    EXPECT_THAT(replayed.out, HasSubstr("crash: "));
  }
  EXPECT_GE(count, crasher::scenario.variants.size() - 1);
}

TEST(CrashCli, MinimizeAndProveContinueAfterACrash) {
  const Folder folder;
  const std::size_t variant = variant_named(crasher::scenario, "segv");
  Runner runner;
  const Outcome& outcome = crash(runner, variant);
  const Case found{&crasher::scenario, variant, {}, &sim(), outcome.tape};
  const std::string file = folder / "found.repro", smaller = folder / "smaller.repro";
  write_file(file, to_string(describe(runner, outcome, found)));
  const Ended minimized = testing::run_toys({"minimize", file, "--out", smaller});
  EXPECT_EQ(minimized.code, 0) << minimized.err;
  EXPECT_THAT(read_file(smaller), HasSubstr("crash SIGSEGV used:look"));
  const Case program{&crasher::scenario, variant, {}, &sim(), crasher::small_program()};
  std::filesystem::create_directories(folder.path() / "corpus/crasher/programs");
  write_file(folder / "corpus/crasher/programs/torn.repro", testing::program_text(program));
  const Ended proved =
      testing::run_toys({"prove", "crasher/segv", "--k", "2", "--programs", folder / "corpus"});
  EXPECT_THAT(proved.out, HasSubstr("crash SIGSEGV used:look")) << proved.err;
}

// ---- kernels ------------------------------------------------------------------------------------

TEST(Crash, ACrashOfAKernelIsAFaultAndTheNextLaunchRuns) {
  static const Scenario dividing = path_of<[] { launch("divide"); }>();
  static const Scenario counting = path_of<[] { EXPECT_EQ(launch("count"), 2); }>();
  Runner runner;
  for (int i = 0; i < 3; ++i) {
    const Outcome& outcome = run(runner, dividing);
    ASSERT_EQ(outcome.faults.size(), 1u);
    EXPECT_EQ(outcome.faults[0].signature(), "crash SIGFPE used:divide");
    EXPECT_EQ(outcome.ending, Ending::fatal);
    EXPECT_FALSE(run(runner, counting).failed());
  }
}

TEST(Crash, ACrashOfAKernelBeforeTheTasksRunIsAFault) {
  Scenario scenario = path_of<[] {}>();
  scenario.drive = [](Scene&) { launch("divide"); };
  Runner runner;
  const Outcome& outcome = run(runner, scenario);
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].signature(), "crash SIGFPE used:divide");
}

// ---- crashes that end the process ---------------------------------------------------------------

template <void (*body)()>
void run_one_task() {
  static const Scenario scenario = path_of<body>();
  Runner runner;
  run(runner, scenario);
}

TEST(CrashDeathTest, AFailedHarnessCheckDuringARunAborts) {
  constexpr auto fail = [] { HARNESS_CHECK(1 + 1 == 3, "planted"); };
  EXPECT_EXIT((run_one_task<fail>()), ::testing::KilledBySignal(SIGABRT),
              "check failed: 1 \\+ 1 == 3 \\(planted\\)");
}

TEST(CrashDeathTest, ACrashOutsideThePathsOraclesEndsTheProcess) {
  Scenario scenario = path_of<[] { raise(SIGSEGV); }>();
  static constexpr Omission kWithout[] = {{"crash", "to see what comes of it"}};
  scenario.without = kWithout;
  EXPECT_DEATH(
      {
        Runner runner;
        run(runner, scenario);
      },
      "a path that crashes does not leave out the oracle `crash`");
}

TEST(CrashDeathTest, AJudgeThatCrashesEndsTheProcess) {
  Scenario scenario = path_of<[] {}>();
  scenario.judge = [](Scene&) { raise(SIGILL); };
  EXPECT_DEATH(
      {
        Runner runner;
        run(runner, scenario);
      },
      "");
}

TEST(CrashDeathTest, ASignalFromOutsideEndsTheProcess) {
  constexpr auto wait = [] {
    if (fork() == 0) {
      kill(getppid(), SIGABRT);
      _exit(0);
    }
    for (;;) pause();
  };
  EXPECT_EXIT((run_one_task<wait>()), ::testing::KilledBySignal(SIGABRT), "");
}

TEST(CrashDeathTest, ABrokenHeapEndsTheProcessWithALine) {
  if (kAsan || kTsan) GTEST_SKIP() << "the sanitizers report it themselves";
  constexpr auto free_twice = [] {
    void* volatile memory = malloc(64);
    free(memory);
    free(memory);
  };
  EXPECT_EXIT(
      (run_one_task<free_twice>()), ::testing::KilledBySignal(SIGABRT),
      "afterlife: SIGABRT in the C library's allocator: the code under test broke the heap");
}

}  // namespace
}  // namespace harness
