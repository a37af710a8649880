// SPDX-License-Identifier: Apache-2.0
// An endless loop of the code under test without a turn is a crash like any other, except for the
// seconds that it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "harness/base/crash/allocator.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/watchdog.h"
#include "harness/cli/tests/toys_child.h"
#include "harness/report/story.h"
#include "harness/run/tests/crash_stage.h"
#include "harness/run/tests/looper_scenario.h"
#include "harness/search/search.h"

#if HARNESS_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace harness {
namespace {

using ::testing::HasSubstr;
using testing::crash_stage::launch;
using testing::crash_stage::path_of;
using testing::crash_stage::run;
using testing::crash_stage::runs_of_a_fresh_process;
using testing::crash_stage::sim;
using testing::crash_stage::some_runs;
namespace looper = testing::looper;

/// Without the watchdog, a loop never ends.
class EndlessLoop : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kTsan) GTEST_SKIP() << "TSan keeps signals back";
  }
};

// ---- loops by place -----------------------------------------------------------------------------

volatile int zero = 0;

void spin() {
  while (zero == 0) continue;
}
void spin_for(void*) { spin(); }

/// Lets this thread's allocations be lost, where leaks are looked for.
struct LeaksAllowed {
#if HARNESS_ASAN
  LeaksAllowed() { __lsan_disable(); }
  ~LeaksAllowed() { __lsan_enable(); }
#else
  LeaksAllowed() {}
#endif
  LeaksAllowed(const LeaksAllowed&) = delete;
  LeaksAllowed& operator=(const LeaksAllowed&) = delete;
};

/// Nearly all of its time is spent where it cannot be left.
void allocate_and_free() {
  while (zero == 0) free(malloc(std::size_t{40} + static_cast<std::size_t>(zero)));
}

void spin_in_a_destructor() {
  struct Stubborn {
    ~Stubborn() { spin(); }
  };
  const Owned<Stubborn> stubborn = World::current()->host.make<Stubborn>("Stubborn");
}

void spin_in_a_host_function() {
  launch("count");  // It makes a context current.
  cuLaunchHostFunc(nullptr, spin_for, nullptr);
  cuStreamSynchronize(nullptr);
}

/// The fault expected of a run with a loop anywhere.
void expect_endless_loop(const Scenario& scenario, const std::string& site) {
  Runner runner;
  const Outcome& outcome = run(runner, scenario);
  ASSERT_EQ(outcome.faults.size(), 1u) << site;
  const Fault& fault = outcome.faults[0];
  EXPECT_EQ(fault.signature(), "crash endless loop used:" + site);
  EXPECT_EQ(fault.detail, "no turn was taken in 2 s of processor time");
  EXPECT_TRUE(outcome.endless);
  EXPECT_EQ(outcome.ending, Ending::fatal);
}

TEST_F(EndlessLoop, ATaskThatLoopsIsACrash) { expect_endless_loop(path_of<spin>(), "task"); }

TEST_F(EndlessLoop, ALoopThatAllocatesIsACrash) {
  const LeaksAllowed allowed;  // Nothing frees what the loop has when it is ended.
  expect_endless_loop(path_of<allocate_and_free>(), "task");
}

TEST_F(EndlessLoop, ADestructorThatLoopsIsACrash) {
  expect_endless_loop(path_of<spin_in_a_destructor>(), "task");
}

TEST_F(EndlessLoop, AHostFunctionThatLoopsIsACrash) {
  expect_endless_loop(path_of<spin_in_a_host_function>(), "host function");
}

TEST_F(EndlessLoop, AKernelThatLoopsIsACrash) {
  expect_endless_loop(path_of<[] { launch("spin"); }>(), "spin");
}

TEST_F(EndlessLoop, ALoopBeforeTheTasksRunIsACrash) {
  Scenario scenario = path_of<spin>();
  scenario.drive = [](Scene&) { spin(); };
  expect_endless_loop(scenario, "driver");
}

bool seen_in_the_allocator = false;

TEST(InAllocator, IsDetectedFromAnyFrameBelow) {
  if (kAsan || kTsan) GTEST_SKIP() << "the sanitizers report what is too large";
  EXPECT_FALSE(in_allocator());
  std::set_new_handler([] {
    seen_in_the_allocator = in_allocator();
    std::set_new_handler(nullptr);
  });
  const volatile std::size_t more_than_there_is = std::size_t{1} << 60;
  EXPECT_THROW(::operator delete(::operator new(more_than_there_is)), std::bad_alloc);
  EXPECT_TRUE(seen_in_the_allocator);
}

// ---- no false alarms ----------------------------------------------------------------------------

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void compute(double seconds) {
  const double begin = processor_seconds();
  while (processor_seconds() - begin < seconds) continue;
}

TEST_F(EndlessLoop, ALongComputationIsNotALoop) {
  const Scenario scenario = path_of<[] {
    compute(1.7);
    World::current()->scheduler.turn({});
    compute(1.7);
  }>();
  Runner runner;
  EXPECT_FALSE(run(runner, scenario).failed());
}

TEST_F(EndlessLoop, ASuspendedMachineIsNotALoop) {
  const Scenario scenario = path_of<[] {
    sigset_t ticks;
    sigemptyset(&ticks);
    sigaddset(&ticks, SIGVTALRM);
    compute(0.4);
    pthread_sigmask(SIG_BLOCK, &ticks, nullptr);  // Processor time goes by, and no one sees it.
    compute(2.2);
    pthread_sigmask(SIG_UNBLOCK, &ticks, nullptr);
    compute(0.4);
  }>();
  Runner runner;
  EXPECT_FALSE(run(runner, scenario).failed());
}

TEST_F(EndlessLoop, AThreadWithoutAProcessorIsNotALoop) {
  const Scenario scenario = path_of<[] {
    compute(0.6);
    for (int i = 0; i < 20; ++i) usleep(100'000);  // The machine seems busy with others.
    compute(0.6);
  }>();
  Runner runner;
  EXPECT_FALSE(run(runner, scenario).failed());
}

TEST_F(EndlessLoop, TheAllocatorIsNeverInterrupted) {
  if (kAsan) GTEST_SKIP() << "ASan reports what is too large";
  const Scenario scenario = path_of<[] {
    std::set_new_handler([] {
      std::set_new_handler(nullptr);
      compute(2.6);
    });
    const volatile std::size_t more_than_there_is = std::size_t{1} << 60;
    EXPECT_THROW(::operator delete(::operator new(more_than_there_is)), std::bad_alloc);
  }>();
  Runner runner;
  EXPECT_FALSE(run(runner, scenario).failed());
}

TEST_F(EndlessLoop, WorkOfTheHarnessIsNotALoop) {
  Scenario scenario = path_of<[] {}>();
  scenario.judge = [](Scene&) { compute(2.6); };
  Runner runner;
  EXPECT_FALSE(run(runner, scenario).failed());
}

// A launch takes one turn, or none before the tasks run, and has any number of blocks.
TEST_F(EndlessLoop, EachBlockOfAKernelIsASeparateStep) {
  Scenario scenario = path_of<[] {}>();
  scenario.drive = [](Scene&) {
    const Watched::Place before = Watched::place();
    launch("count");
    EXPECT_EQ(Watched::place().turns, before.turns);
    EXPECT_GE(Watched::place().steps, before.steps + 2);
  };
  Runner runner;
  EXPECT_FALSE(run(runner, scenario).failed());
}

// ---- effects on later runs ----------------------------------------------------------------------

TEST_F(EndlessLoop, LaterRunsEqualRunsInAFreshProcess) {
  const std::string expected = runs_of_a_fresh_process();
  ASSERT_FALSE(expected.empty());
  Runner runner;
  EXPECT_TRUE(run(runner, path_of<spin>()).failed());
  EXPECT_EQ(some_runs(runner), expected);
  EXPECT_TRUE(run(runner, path_of<[] { launch("spin"); }>()).failed());
  EXPECT_EQ(some_runs(runner), expected);
}

// ---- searches -----------------------------------------------------------------------------------

Case program() { return {&looper::scenario, 0, {}, &sim(), looper::small_program()}; }

/// The small program with the reader in between.
Case looping_case() {
  Runner runner;
  return prove(runner, program(), 2, {}).failing;
}

SearchOptions options_of(std::uint64_t run_limit) {
  SearchOptions options;
  options.strategy = find(tables::strategies(), "random_walk");
  options.device = &sim();
  options.second_limit = 0;
  options.run_limit = run_limit;
  return options;
}

TEST_F(EndlessLoop, TheSearchContinues) {
  SearchOptions options = options_of(12);
  options.minimize = false;
  Runner runner;
  const SearchResult result = search(runner, looper::scenario, 0, options);
  EXPECT_EQ(result.tally.runs, 12u);
  EXPECT_EQ(result.verdict, Verdict::caught);
  EXPECT_FALSE(result.nondeterministic);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_GT(result.findings[0].count, 1u);
  EXPECT_EQ(result.findings[0].signature, "crash endless loop used:look");
}

TEST_F(EndlessLoop, ASearchChecksItsTimeLimitAfterEachLoop) {
  SearchOptions options = options_of(0);
  options.minimize = false;
  options.second_limit = 1;
  Runner runner;
  looper::loop_count = 0;
  search(runner, looper::scenario, 0, options);
  EXPECT_LE(looper::loop_count, 3);  // The first is replayed, and its smallest run.
}

static_assert(Limits{}.endless_limit * kEndlessSeconds <= 50,
              "with what comes before and after: a minute");

TEST_F(EndlessLoop, MinimizingALoopHasItsOwnLimit) {
  Case found = looping_case();
  for (std::uint32_t slot = 1; slot < 4; ++slot) found.tape.push_back(looper::nap_in(slot));
  looper::loop_count = 0;
  Runner runner;
  const Minimized small =
      minimize(runner, found, "crash endless loop used:look", {.endless_limit = 2});
  EXPECT_TRUE(small.deterministic);
  EXPECT_EQ(small.endless_count, 2u);
  EXPECT_EQ(looper::loop_count, 2);
  EXPECT_THAT(small.statement, HasSubstr("reached the limit"));
}

TEST_F(EndlessLoop, AFindingHasOneLimitForAllItsMinimizations) {
  SearchOptions options = options_of(0);
  options.stop_at_first = true;
  options.minimize_limits.endless_limit = 2;
  Runner runner;
  looper::loop_count = 0;
  const SearchResult result = search(runner, looper::scenario, 0, options);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_TRUE(result.findings[0].minimized.deterministic);
  constexpr int kFoundAndReplayed = 4;
  EXPECT_LE(looper::loop_count, 2 + kFoundAndReplayed);
}

TEST_F(EndlessLoop, AnEnumerationEndsWithItsLimit) {
  Runner runner;
  Enumeration sets(runner, program(), {.endless_limit = 1});
  for (int size = 0; size < 3; ++size) sets.run_next_size();
  EXPECT_TRUE(sets.proof().failed);
  EXPECT_FALSE(sets.proof().complete);
  EXPECT_EQ(sets.proof().endless_count, 1u);
  EXPECT_TRUE(sets.proof().looped);
}

TEST_F(EndlessLoop, AStoppedEnumerationHasNotLooped) {
  const std::atomic<bool> stop{true};
  Runner runner;
  Enumeration sets(runner, program(), {.stop = &stop});
  sets.run_next_size();
  EXPECT_FALSE(sets.proof().complete);
  EXPECT_FALSE(sets.proof().looped);
}

TEST_F(EndlessLoop, ReplaysAsRecorded) {
  const Folder folder;
  const std::string file = folder / "loop.repro";
  write_file(file, testing::reproducer_text(looping_case()));
  const Ended replayed = testing::run_toys({"replay", file});
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out,
              HasSubstr("! crash: endless loop in look: no turn was taken in 2 s of"));
}

}  // namespace
}  // namespace harness
