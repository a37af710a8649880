// SPDX-License-Identifier: Apache-2.0
// `afterlife run` with scripts whose faults need another thread of Python's to continue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"
#include "harness/base/tests/sampled.h"
#include "harness/client/outside/fork_server.h"
#include "harness/client/outside/search/search.h"
#include "harness/client/tests/interpreters.h"

namespace harness::client {
namespace {

using harness::testing::interpreters;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

const std::atomic<bool> kGoOn{false};

/// Stops the search once there is a finding of this kind.
class UntilFound final : public SearchWatcher {
 public:
  explicit UntilFound(std::string kind = {}) : kind_(std::move(kind)) {}
  void plain(const ClientRun&) override {}
  void progress(const SearchResult&, const char*, double) override {}
  void found(const Finding& finding) override {
    if (finding.fault.kind == kind_) stop_ = true;
  }

  const std::atomic<bool>& stop() const { return stop_; }

 private:
  std::string kind_;
  std::atomic<bool> stop_{false};
};

std::string script(const std::string& name) { return "harness/client/tests/clients/" + name; }

/// All that a run came to but for what it printed.
std::string told(const ClientRun& run) {
  std::string text = std::to_string(run.ended.code);
  for (const Report& report : run.reports) text += "\n" + to_text(report);
  return text;
}

std::string words(const Finding& finding) {
  std::string text;
  for (const ToldDecision& one : finding.decisions) text += one.who + ": " + one.answer + "\n";
  return text;
}

constexpr const char* kBegin = R"(
import ctypes, faulthandler, os, queue, sys, threading, time, concurrent.futures
cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
def start(*functions, **options):
    threads = [threading.Thread(target=one, **options) for one in functions]
    for one in threads: one.start()
    return threads
def join(threads):
    for one in threads: one.join()
)";

/// Lines with threads that are none of our business, and the output that they have.
struct Habit {
  const char* lines;
  const char* printed;
};

class ClientThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  }

  static Client client_of(const std::string& file, const std::string& python = "python3") {
    return {{python, file}, library_folder(), 60};
  }
  static SearchResult search_for(const Client& client, std::uint64_t seed, std::uint64_t runs,
                                 const std::string& kind = {}) {
    SearchOptions options;
    options.client = client;
    options.seed = seed;
    options.runs = runs;
    UntilFound watcher(kind);
    return search(options, watcher, watcher.stop());
  }
  /// Looks for a fault of this kind from this seed. Returns the finding.
  static Finding found(const Client& client, const std::string& kind, std::uint64_t seed) {
    const SearchResult result = search_for(client, seed, 200, kind);
    EXPECT_TRUE(result.is_served) << result.no_server;
    for (const Finding& finding : result.findings)
      if (finding.fault.kind == kind) return finding;
    ADD_FAILURE() << "no " << kind << " from seed " << seed;
    return {};
  }
  static void expect_minimal(const Finding& finding) {
    EXPECT_LE(finding.decisions.size(), 3u) << words(finding);
    EXPECT_THAT(words(finding), HasSubstr(" runs"));
    EXPECT_TRUE(finding.repeats() && finding.replay_count == 3) << words(finding);
    EXPECT_THAT(finding.doubt, IsEmpty());
  }
  static void expect_found_from_each_seed(const std::string& file, const std::string& kind) {
    for (std::uint64_t seed = 1; seed <= sampled(10, 2); ++seed) {
      SCOPED_TRACE(seed);
      expect_minimal(found(client_of(file), kind, seed));
    }
  }
  /// Replays the finding this often, alone in a process and forked in turns.
  static void expect_equal_replays(const Client& client, const Finding& finding, unsigned count) {
    Orders orders;
    for (const ToldDecision& one : finding.decisions) orders.tape.push_back(one.decision);
    ForkServer server(client, kGoOn);
    ASSERT_THAT(server.refusal(), IsEmpty());
    std::set<std::string> outcomes;
    for (unsigned i = 0; i < count; i += 2) {
      outcomes.insert(told(run_client(client, orders, kGoOn)));
      outcomes.insert(told(*server.run(orders)));
    }
    EXPECT_THAT(outcomes, SizeIs(1));
    EXPECT_THAT(*outcomes.begin(), HasSubstr(finding.fault.kind));
  }
  /// Runs lines as a script, by default.
  ClientRun plain_run(const std::string& lines, const std::string& python = "python3") const {
    write_file(folder_ / "script.py", lines);
    return run_client(client_of(folder_ / "script.py", python), {}, kGoOn);
  }
  /// Runs them in each Python: they print what they do without us, and nothing has doubts.
  void expect_habits(const std::vector<Habit>& habits) const {
    for (const std::string& python : interpreters())
      for (const Habit& habit : habits) {
        SCOPED_TRACE(python + "\n" + habit.lines);
        const ClientRun run = plain_run(std::string(kBegin) + habit.lines, python);
        EXPECT_EQ(run.ended.code, 0) << run.ended.err;
        EXPECT_EQ(run.ended.out, habit.printed);
        ASSERT_THAT(run.reports, Not(IsEmpty()));
        EXPECT_THAT(run.reports[0].doubt, IsEmpty());
      }
  }

  Folder folder_;
};

TEST_F(ClientThreads, ABufferDroppedWhileAGraphIsLaunchedIsFoundFromEachSeed) {
  expect_found_from_each_seed(script("dropped_by_thread.py"), "use_after_free");
}

TEST_F(ClientThreads, ABufferTakenBackFromAQueueIsFoundFromEachSeed) {
  expect_found_from_each_seed(script("queued.py"), "use_after_free");
}

TEST_F(ClientThreads, ABufferFreedTwiceByAPoolIsFoundFromEachSeed) {
  expect_found_from_each_seed(script("pooled.py"), "double_free");
}

TEST_F(ClientThreads, AFindingIsReplayedAsItWas) {
  const std::vector<std::pair<std::string, std::string>> programs{
      {"dropped_by_thread.py", "use_after_free"},
      {"queued.py", "use_after_free"},
      {"pooled.py", "double_free"}};
  for (const auto& [name, kind] : programs) {
    SCOPED_TRACE(name);
    const Client client = client_of(script(name));
    expect_equal_replays(client, found(client, kind, 1), sampled(20, 4));
  }
}

TEST_F(ClientThreads, ManyDecisionsAreReplayedAsTheyWere) {
  for (const char* name : {"dropped_by_thread.py", "queued.py", "locked.py", "pooled.py"}) {
    const Client client = client_of(script(name));
    ForkServer server(client, kGoOn);
    ASSERT_THAT(server.refusal(), IsEmpty());
    std::set<std::string> different;
    for (std::uint64_t seed = 1; seed <= sampled(8, 6); ++seed) {
      const ClientRun drawn = *server.run({.draws = true, .seed = seed, .tape = {}});
      Orders again;
      for (const ToldDecision& one : drawn.decisions()) again.tape.push_back(one.decision);
      EXPECT_EQ(told(*server.run(again)), told(drawn)) << name << ", seed " << seed;
      EXPECT_EQ(told(run_client(client, again, kGoOn)), told(drawn)) << name << ", seed " << seed;
      different.insert(told(drawn));
    }
    EXPECT_GT(different.size(), 3u) << name;
  }
}

TEST_F(ClientThreads, ALockAndAnEventHold) {
  const SearchResult result = search_for(client_of(script("locked.py")), 1, 120);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_EQ(result.run_count, 120u);
}

TEST_F(ClientThreads, NobodyElseGoesOnWhereTheInterpreterDoesNotLook) {
  // Between the two lines that set it no call, no jump and no function begins.
  write_file(folder_ / "script.py", std::string(kBegin) +
                                        "cuda.cuMemAlloc_v2(ctypes.byref(address), 64)\n"
                                        "state = 0\n"
                                        "def change():\n"
                                        "    global state\n"
                                        "    for _ in range(30):\n"
                                        "        state = 1\n"
                                        "        state = 0\n"
                                        "def look():\n"
                                        "    cuda.cuCtxSetCurrent(context)\n"
                                        "    for _ in range(30):\n"
                                        "        if state:\n"
                                        "            cuda.cuMemFree_v2(address)\n"
                                        "            cuda.cuMemFree_v2(address)\n"
                                        "join(start(change, look))\n");
  for (const std::string& python : interpreters()) {
    const SearchResult result = search_for(client_of(folder_ / "script.py", python), 1, 12);
    EXPECT_THAT(result.findings, IsEmpty()) << python;
    EXPECT_THAT(result.failures, IsEmpty()) << python;
  }
}

TEST_F(ClientThreads, EachPythonHasItsRaceFoundAndReplayed) {
  for (const std::string& python : interpreters()) {
    SCOPED_TRACE(python);
    const Client client = client_of(script("dropped_by_thread.py"), python);
    const Finding finding = found(client, "use_after_free", 4);
    expect_minimal(finding);
    expect_equal_replays(client, finding, 4);
    const SearchResult sound = search_for(client_of(script("locked.py"), python), 2, 20);
    EXPECT_THAT(sound.findings, IsEmpty());
    EXPECT_THAT(sound.failures, IsEmpty());
  }
}

TEST_F(ClientThreads, AFindingTellsTheThreadOfEachPlace) {
  const Finding finding = found(client_of(script("dropped_by_thread.py")), "use_after_free", 1);
  EXPECT_EQ(finding.fault.birth.thread, "MainThread");
  EXPECT_EQ(finding.fault.capture.thread, "MainThread");
  EXPECT_EQ(finding.fault.death.thread, "evictor");
  EXPECT_EQ(finding.fault.use.thread, "MainThread");
  EXPECT_THAT(words(finding), HasSubstr("evictor runs"));
}

TEST_F(ClientThreads, AWaitThatNobodySeesIsPassedAndDoubted) {
  const ClientRun run = run_client(client_of(script("doubted.py")), {}, kGoOn);
  EXPECT_EQ(run.ended.code, 0) << run.ended.err;
  ASSERT_THAT(run.reports, SizeIs(1));
  EXPECT_THAT(run.reports[0].doubt,
              HasSubstr("MainThread waits for something that Afterlife does not see at "));
  EXPECT_THAT(run.reports[0].doubt, HasSubstr("doubted.py:31, so others ran beside it"));
  ASSERT_THAT(run.reports[0].faults, SizeIs(1));
  EXPECT_EQ(run.reports[0].faults[0].death.thread, "freer");
}

TEST_F(ClientThreads, WhatThreadsDoIsAsWithoutUs) {
  const std::vector<Habit> habits{
      // The end of the process comes while daemons sleep and wait.
      {"start(lambda: time.sleep(60), lambda: threading.Event().wait(), daemon=True)\n"
       "print('over')\n",
       "over\n"},
      // A thread that is left by an exception.
      {"threading.excepthook = lambda what: print('left by', what.exc_value)\n"
       "def fail(): raise ValueError('this')\n"
       "join(start(fail))\nprint('over')\n",
       "left by this\nover\n"},
      {"local = threading.local()\nseen = []\n"
       "def act():\n"
       "    local.value = threading.current_thread().name\n"
       "    time.sleep(0.001)\n"
       "    seen.append(local.value == threading.current_thread().name)\n"
       "join(start(act, act, act))\nprint(seen, hasattr(local, 'value'))\n",
       "[True, True, True] False\n"},
      // Moments come in their order, code that asked first.
      {"order = []\n"
       "def after(seconds): return lambda: (time.sleep(seconds), order.append(seconds))\n"
       "join(start(after(0.06), after(0.02), after(0.04)))\nprint(order)\n",
       "[0.02, 0.04, 0.06]\n"},
      {"begun = time.monotonic()\nevent = threading.Event()\nresult = []\n"
       "join(start(lambda: result.append(event.wait(0.05)), lambda: None))\n"
       "print(result, time.monotonic() - begun >= 0.05)\n",
       "[False] True\n"},
      {"taken = queue.SimpleQueue()\n"
       "threads = start(lambda: [taken.put(i) for i in range(3)], lambda: None)\n"
       "print([taken.get() for _ in range(3)])\njoin(threads)\n",
       "[0, 1, 2]\n"},
      // One spins until another one has done something.
      {"done = []\n"
       "def spin():\n"
       "    while not done: pass\n"
       "    print('seen')\n"
       "join(start(spin, lambda: (time.sleep(0.01), done.append(1))))\n",
       "seen\n"},
      {"with concurrent.futures.ThreadPoolExecutor(3) as pool:\n"
       "    print(sum(pool.map(lambda value: value * value, range(10))))\n",
       "285\n"},
      // Its thread is left alone, and is ended while the others hold still.
      {"faulthandler.dump_traceback_later(60)\njoin(start(lambda: time.sleep(0.01)))\n"
       "faulthandler.cancel_dump_traceback_later()\nprint('over')\n",
       "over\n"},
      {"join(start(lambda: None))\nchild = os.fork()\n"
       "if child == 0:\n"
       "    join(start(lambda: print('in the child', flush=True)))\n"
       "    os._exit(0)\n"
       "os.waitpid(child, 0)\njoin(start(lambda: print('in the parent')))\n",
       "in the child\nin the parent\n"},
      {"lines = []\nthreading.settrace(lambda *event: lines.append(1))\n"
       "join(start(lambda: None, lambda: None))\nprint(len(lines) > 0)\n",
       "True\n"},
      {"timer = threading.Timer(0.02, print, ['timer'])\ntimer.start()\ntimer.join()\n", "timer\n"},
      {"barrier = threading.Barrier(3)\nranks = []\n"
       "join(start(*[lambda: ranks.append(barrier.wait())] * 3))\nprint(sorted(ranks))\n",
       "[0, 1, 2]\n"},
  };
  expect_habits(habits);
}

TEST_F(ClientThreads, OthersGoOnWhileOneWaitsForAChildOrAFile) {
  const std::vector<Habit> habits{
      {"import multiprocessing, select, subprocess\n"
       "fork = multiprocessing.get_context('fork')\n"
       "begun = time.monotonic()\n"
       "def double(values, doubled):\n"
       "    for value in iter(values.get, None): doubled.put(2 * value)\n"
       "values, doubled = fork.Queue(), fork.Queue()\n"
       "child = fork.Process(target=double, args=(values, doubled))\nchild.start()\n"
       "for value in range(3): values.put(value)\n"
       "print([doubled.get() for _ in range(3)])\n"
       "values.put(None)\nchild.join()\n"
       "end, begin = os.pipe()\n"
       "threads = start(lambda: (time.sleep(0.01), os.write(begin, b'xyz')))\n"
       "print(os.read(end, 1), select.select([end], [], [], 5)[0] == [end])\njoin(threads)\n"
       "looked = select.poll()\nlooked.register(end, select.POLLIN)\n"
       "threads = start(lambda: time.sleep(0.02))\n"
       "print(len(looked.poll()), os.read(end, 2), looked.poll(5))\n"
       "told = subprocess.run(['sh', '-c', 'sleep 0.01; echo told; exit 3'], capture_output=True)\n"
       "print(told.returncode, told.stdout)\njoin(threads)\n"
       "print(time.monotonic() - begun < 1)\n",
       "[0, 2, 4]\nb'x' True\n1 b'yz' []\n3 b'told\\n'\nTrue\n"},
      {"import asyncio\nbegun = time.monotonic()\n"
       "async def act():\n"
       "    there = asyncio.get_running_loop()\n"
       "    print(await there.run_in_executor(None, lambda: time.sleep(0.01) or 'done'))\n"
       "    await asyncio.sleep(0.01)\n"
       "asyncio.run(act())\nprint(time.monotonic() - begun < 1)\n",
       "done\nTrue\n"},
  };
  expect_habits(habits);
}

TEST_F(ClientThreads, AThreadThatGoesOnForLongWithoutALineIsLeftToItselfAndDoubted) {
  const ClientRun run =
      plain_run(std::string(kBegin) +
                "import hashlib\n"
                "start(lambda: hashlib.pbkdf2_hmac('sha256', b'', b'', 100_000_000), daemon=True)\n"
                "print('over')\n");
  EXPECT_EQ(run.ended.out, "over\n") << run.ended.err;
  EXPECT_THAT(run.reports.at(0).doubt, HasSubstr(" (<lambda>) is busy for long at "));
}

TEST_F(ClientThreads, ASignalReachesAThreadThatWaits) {
  const ClientRun run =
      plain_run(std::string(kBegin) +
                "import signal\ndef ring(*_): raise KeyboardInterrupt\n"
                "signal.signal(signal.SIGALRM, ring)\nsignal.setitimer(signal.ITIMER_REAL, 0.1)\n"
                "start(lambda: time.sleep(60), daemon=True)\n"
                "try: threading.Event().wait()\nexcept KeyboardInterrupt: print('heard')\n");
  EXPECT_EQ(run.ended.out, "heard\n") << run.ended.err;
}

TEST_F(ClientThreads, SomebodyElsesTraceIsLeftAloneAndTold) {
  const ClientRun run = plain_run(std::string(kBegin) +
                                  "seen = []\nthreading.settrace(lambda *event: seen.append(1))\n"
                                  "join(start(lambda: None))\nprint(len(seen) > 0)\n");
  EXPECT_EQ(run.ended.out, "True\n") << run.ended.err;
  EXPECT_THAT(run.reports.at(0).note, HasSubstr("another tool traces the lines of the program's"));
}

}  // namespace
}  // namespace harness::client
