// SPDX-License-Identifier: Apache-2.0
// Runs that are forked at the first question, beside the same runs in their own processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"
#include "harness/client/outside/fork_server.h"

namespace harness::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
namespace fs = std::filesystem;

const std::atomic<bool> kGoOn{false};

/// A script's beginning, up to where the driver is about to be called.
constexpr const char* kBegin = R"(
import ctypes, os, sys, threading, time, signal, subprocess, mmap
cuda = ctypes.CDLL("libcuda.so.1")
def ask():
    context, address = ctypes.c_void_p(), ctypes.c_uint64()
    cuda.cuInit(0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
    cuda.cuMemsetD8Async(address, 1, 64, None)
)";

class ClientFork : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  }

  static Client client_of(const Command& command, double timeout_seconds = 60) {
    return {command, library_folder(), timeout_seconds};
  }
  /// A script of these lines.
  Client script(const std::string& lines, double timeout_seconds = 60) const {
    write_file(folder_ / "script.py", kBegin + lines);
    return client_of({"python3", folder_ / "script.py"}, timeout_seconds);
  }
  std::string refusal_of(const std::string& lines) const {
    return ForkServer(script(lines, 5), kGoOn).refusal();
  }

  Folder folder_;
};

Orders drawn(std::uint64_t seed) {
  Orders orders;
  orders.draws = true;
  orders.seed = seed;
  return orders;
}

/// All that a run came to.
std::string told(const ClientRun& run) {
  std::string text = std::to_string(run.ended.code) + "\n" + run.ended.out + "\n" + run.ended.err;
  for (const Report& report : run.reports) text += "\n" + to_text(report);
  return text;
}

std::string forked(ForkServer& server, const Orders& orders) {
  const std::optional<ClientRun> run = server.run(orders);
  return run ? told(*run) : "the server is gone";
}

/// Compares this many seeds, and a replay of each one's choices. Returns how many different runs
/// there were.
std::size_t compare(const Client& client, std::uint64_t seeds) {
  ForkServer server(client, kGoOn);
  EXPECT_THAT(server.refusal(), IsEmpty());
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < seeds && server.refusal().empty(); ++seed) {
    const ClientRun alone = run_client(client, drawn(seed), kGoOn);
    EXPECT_EQ(forked(server, drawn(seed)), told(alone)) << "seed " << seed;
    seen.insert(told(alone));
    Orders again;
    for (const ToldDecision& decision : alone.decisions()) again.tape.push_back(decision.decision);
    EXPECT_EQ(forked(server, again), told(alone)) << "replay of seed " << seed;
  }
  return seen.size();
}

Client test_client(const std::string& name) {
  return {{"python3", "harness/client/tests/clients/" + name}, library_folder()};
}

TEST_F(ClientFork, ARunOfAProgramIsTheSameAsInAProcessOfItsOwn) {
  const std::string program = fs::read_symlink("/proc/self/exe").parent_path() / "client_asked";
  EXPECT_GT(compare(client_of({program}), 60), 10u);
}

TEST_F(ClientFork, ARunOfAScriptIsTheSameAsInAProcessOfItsOwn) {
  EXPECT_GT(compare(test_client("collected.py"), 25), 5u);
  EXPECT_GT(compare(test_client("recycled.py"), 12), 3u);
  EXPECT_GT(compare(test_client("captured.py"), 8), 1u);
  EXPECT_GT(compare(test_client("sound.py"), 8), 3u);
}

TEST_F(ClientFork, SoIsOneThatForksItself) {
  EXPECT_GE(compare(test_client("forked_late.py"), 6), 1u);
}

TEST_F(ClientFork, EachRunHasTheOutputTheFolderAndTheFilesOfAProcessOfItsOwn) {
  write_file(folder_ / "data", "first\nsecond\n");
  const Client client = script(
      "data = open(os.path.join(os.path.dirname(__file__), 'data'), 'rb', buffering=0)\n"
      "print(data.read(6), os.getcwd(), flush=True)\nprint('kept', end=' ')\n"
      "print('on stderr', file=sys.stderr)\nout = os.dup(1)\nask()\n"
      "print(data.read(7), len(sys.stdin.read()), len(os.listdir('/proc/self/fd')))\n"
      "os.write(out, b'duplicate\\n')\n"
      "raise SystemExit(5)\n");
  ForkServer server(client, kGoOn);
  const std::string alone = told(run_client(client, drawn(1), kGoOn));
  EXPECT_THAT(alone, StartsWith("5\nb'first\\n' " + fs::current_path().string()));
  for (const char* printed : {"kept ", "b'second\\n' 0 ", "duplicate\n", "\non stderr"})
    EXPECT_THAT(alone, HasSubstr(printed));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(forked(server, drawn(1)), alone);
}

TEST_F(ClientFork, ASignalAnAlarmAndATimeLimitEndARunAndNotTheServer) {
  const Client client = script("signal.alarm(9)\nask()\nif ask() is None: time.sleep(60)\n", 2);
  ForkServer server(client, kGoOn);
  ASSERT_THAT(server.refusal(), IsEmpty());
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(server.run(drawn(2))->ended.hang, StartsWith("did not end within"));
  ForkServer alarmed(script("signal.alarm(1)\nask()\ntime.sleep(60)\n", 5), kGoOn);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(alarmed.run(drawn(2))->ended.code, -SIGALRM);
  ForkServer killed(script("ask()\nos.kill(os.getpid(), 9)\n"), kGoOn);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(killed.run(drawn(2))->ended.code, -SIGKILL);
}

TEST_F(ClientFork, AFaultFromBeforeTheFirstQuestionIsToldThoughTheRunIsKilled) {
  const Client client = script(
      "c, a = ctypes.c_void_p(), ctypes.c_uint64()\n"
      "[cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(c), 0), "
      "cuda.cuCtxSetCurrent(c), cuda.cuMemAlloc_v2(ctypes.byref(a), 64), cuda.cuMemFree_v2(a), "
      "cuda.cuMemFree_v2(a)]\n"
      "os.kill(os.getpid(), 9)\n");
  ForkServer server(client, kGoOn);
  const std::string alone = told(run_client(client, drawn(1), kGoOn));
  EXPECT_THAT(alone, HasSubstr("double_free"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(forked(server, drawn(1)), alone);
}

TEST_F(ClientFork, WhatEarlierRunsWroteToIsCopiedAhead) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor copies nothing ahead";
  const Client client = script(
      "import re, resource\n"
      "faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
      "written, read = bytearray(b'x') * (8 << 20), bytearray(b'x') * (64 << 20)\n"
      "for kept in written, read: ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))\nask()\n"
      "before = faults()\n"
      "for page in range(0, len(written), 4096): written[page] = 1\n"
      "told = open('/proc/self/smaps_rollup').read()\n"
      "own = int(re.search(r'Private_Dirty: *([0-9]+)', told)[1])\n"
      "print('copied', faults() - before < 500, 'no more', own < 40_000)\n");
  ForkServer server(client, kGoOn);
  for (int i = 0; i < 5; ++i) {
    const std::string run = forked(server, {});
    // The second is forked while the first continues.
    if (i > 1) EXPECT_THAT(run, HasSubstr("copied True no more True")) << i;
  }
}

TEST_F(ClientFork, WhatAForkCannotCarryIsTold) {
  EXPECT_EQ(refusal_of("import _thread\n_thread.start_new_thread(time.sleep, (9,))\nask()"),
            "it has 2 threads");
  EXPECT_THAT(refusal_of("log = open(__file__ + '.log', 'w')\nask()"), HasSubstr("script.py.log"));
  EXPECT_THAT(refusal_of("ends = os.pipe()\nask()"), HasSubstr("pipe:"));
  EXPECT_THAT(refusal_of("shared = mmap.mmap(-1, 4096)\nask()"), HasSubstr("shares memory"));
  EXPECT_EQ(refusal_of("child = subprocess.Popen(['sleep', '9'])\nask()"),
            "it has started other processes");
  EXPECT_EQ(refusal_of("if os.fork() == 0: ask()\nelse: os.wait()"),
            "a process other than the command calls the driver");
  EXPECT_EQ(refusal_of("pass"), "it ended without a choice");
  EXPECT_EQ(refusal_of("time.sleep(60)"), "it reached no choice in time");
}

}  // namespace
}  // namespace harness::client
