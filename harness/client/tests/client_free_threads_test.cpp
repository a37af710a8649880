// SPDX-License-Identifier: Apache-2.0
// Threads that call the driver and take no turns: a finding that may depend on them says so, and
// has its lines nevertheless.
#include <filesystem>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::Words;

constexpr const char* kBegin = R"(
import ctypes, _thread, threading, time
cuda = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
with open(__file__ + ".runs", "a+") as state:
    state.write("x")
    run = state.tell()
def begin():
    cuda.cuInit(0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
def free():
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemFree_v2(address)
def freely(function):
    over = []
    _thread.start_new_thread(lambda: (function(), over.append(1)), ())
    while not over: time.sleep(0.001)
)";

class ClientFreeThreads : public testing::RunStage {
 protected:
  std::string file() const { return folder_ / "free.py"; }
  Words lines(const std::string& text) const {
    write_file(file(), kBegin + text);
    std::filesystem::remove(file() + ".runs");
    return {"python3", file()};
  }
  json only_finding(const std::string& text) const {
    const json result = found({"--runs", "1"}, lines(text), 1);
    EXPECT_EQ(result["findings"].size(), 1u);
    return result["findings"].at(0);
  }
};

constexpr const char* kThreadTwo = "thread 2, not started by Python's threading, calls the driver";

TEST_F(ClientFreeThreads, OneThatThreadingDidNotStartIsToldWithItsPlace) {
  const json finding = only_finding("begin()\nfreely(free)\ncuda.cuMemFree_v2(address)\n");
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_EQ(finding["doubt"], kThreadTwo);
  EXPECT_EQ(finding["threads"]["born"], "thread 1");
  EXPECT_EQ(finding["threads"]["died"], "thread 2");
  EXPECT_EQ(finding["threads"]["used"], "thread 1");
  const Ended ended = run({"--runs", "1"}, {"python3", file()});
  EXPECT_THAT(ended.out, HasSubstr(std::string("3 of 3: not repeatable, ") + kThreadTwo + "\n"));
  EXPECT_THAT(ended.out, HasSubstr("by cuMemFree on thread 2\n"));
}

TEST_F(ClientFreeThreads, SoIsOneBesideThoseThatTakeTurns) {
  const json finding = only_finding(
      "begin()\n"
      "turns = threading.Thread(target=free)\nturns.start()\nturns.join()\n"
      "freely(free)\n");
  EXPECT_THAT(finding["doubt"].get<std::string>(), HasSubstr(kThreadTwo + 8));
  EXPECT_EQ(finding["threads"]["born"], "MainThread");
  EXPECT_THAT(finding["threads"]["used"].get<std::string>(), HasSubstr("thread "));
}

TEST_F(ClientFreeThreads, OneOfThreadingTakesTurnsUntilItsLastDestructor) {
  const json finding = only_finding(
      "libc, key = ctypes.CDLL(None), ctypes.c_uint()\n"
      "libc.pthread_key_create(ctypes.byref(key), ctypes.cast(cuda.cuMemFree_v2, "
      "ctypes.c_void_p))\n"
      "def late():\n"
      "    cuda.cuCtxSetCurrent(context)\n"
      "    libc.pthread_setspecific(key, ctypes.c_void_p(address.value))\n"
      "begin()\n"
      "one = threading.Thread(target=late)\none.start()\n"
      "libc.pthread_join(ctypes.c_ulong(one.ident), None)\n"
      "cuda.cuMemFree_v2(address)\n");
  EXPECT_EQ(finding["doubt"], "");
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_EQ(finding["threads"]["died"], "Thread-1 (late)");
  EXPECT_EQ(finding["threads"]["used"], "MainThread");
}

TEST_F(ClientFreeThreads, OneThatCallsTheDriverAloneDependsOnNobody) {
  const json finding = only_finding("freely(lambda: (begin(), free(), free()))\n");
  EXPECT_EQ(finding["doubt"], "");
  EXPECT_EQ(finding["shown"], 3);
}

TEST_F(ClientFreeThreads, AFaultFromBeforeItsFirstCallDoesNotDependOnIt) {
  const json finding = only_finding("begin()\nfree()\nfree()\nfreely(begin)\n");
  EXPECT_EQ(finding["doubt"], "");
  EXPECT_EQ(finding["shown"], 3);
}

TEST_F(ClientFreeThreads, NoReadOfTheWorldIsCalledTheCauseWhereOneCalls) {
  const json finding = only_finding(
      "if time.time() < 1_700_000_001: run = 1\n"
      "begin()\n"
      "freely(free if run % 2 else begin)\n"
      "cuda.cuMemFree_v2(address)\n");
  EXPECT_EQ(finding["shown"], 2);
  EXPECT_EQ(finding["doubt"], kThreadTwo);
  EXPECT_EQ(finding["reads"]["cause"], "");
  EXPECT_THAT(finding["reads"]["places"], IsEmpty());
}

TEST_F(ClientFreeThreads, ThoseOfAProgramThatIsNoScriptTakeTurns) {
  const auto program = testing::program_folder();
  const json result = found({"--runs", "3"}, {program / "client_threaded"}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_EQ(result["findings"][0]["doubt"], "");
  EXPECT_EQ(result["findings"][0]["shown"], 3);
  EXPECT_EQ(result["findings"][0]["threads"]["born"], "thread 1");
}

TEST_F(ClientFreeThreads, AFindingThatNoReplayShowsHasLinesOnceAFurtherRunShowsIt) {
  const json finding = only_finding("begin()\nfree()\nif run in (1, 7): free() # again\n");
  EXPECT_EQ(finding["shown"], 0);
  EXPECT_EQ(line_at(finding, "used", 1), line_of(file(), "# again"));
}

TEST_F(ClientFreeThreads, WhereNoRunShowsItAgainThatIsSaid) {
  const Ended ended = run({"--runs", "1"}, lines("begin()\nfree()\nif run == 1: free()\n"));
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("0 of 3: not repeatable"));
  EXPECT_THAT(ended.out,
              HasSubstr("without lines: none of 15 runs that record lines showed the fault\n"));
}

}  // namespace
}  // namespace harness
