// SPDX-License-Identifier: Apache-2.0
// Runs that hang in some schedules alone: findings of kind `failure` with the line of each thread.
#include <chrono>
#include <string>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::run_toys;
using testing::script;

class ClientHang : public testing::RunStage {
 protected:
  const std::string file_ = script("deadlocking.py");
};

TEST_F(ClientHang, ADeadlockIsAFindingWithTheLinesOfBothThreads) {
  const json result = found({"--runs", "8"}, {"python3", file_}, 1);
  ASSERT_EQ(result["findings"].size(), 1u) << result["findings"];
  EXPECT_THAT(result["failures"], IsEmpty());
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["signature"], "failure deadlock in deadlocking.py:take in deadlocking.py:take");
  EXPECT_EQ(finding["ended"], "deadlocks: each of its threads waits for another");
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_EQ(finding["decisions"].size(), 1u);
  const int line = line_of(file_, "lock.acquire()");
  EXPECT_EQ(line_at(finding, "used"), line);
  EXPECT_EQ(line_at(finding, "first"), line);
  const Ended ended = run_toys({"replay", finding["file"]});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("in take, where the main thread waits\n"));
  EXPECT_THAT(ended.out, HasSubstr("in take, where worker waits\n"));
}

TEST_F(ClientHang, ARunThatAnotherThingEndsIsNoDeadlock) {
  for (const char* how : {"fixed", "timer", "child", "limited"}) {
    const json result = found({"--runs", "8"}, {"python3", file_, how}, 0);
    EXPECT_THAT(result["findings"], IsEmpty()) << how;
    EXPECT_THAT(result["failures"], IsEmpty()) << how;
  }
}

TEST_F(ClientHang, ALoopWithoutEndIsFoundByItsTime) {
  const json result = found({"--runs", "8", "--timeout", "0.5"}, {"python3", file_, "spinning"}, 1);
  ASSERT_EQ(result["findings"].size(), 1u) << result["findings"];
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["signature"], "failure hang in deadlocking.py:take");
  EXPECT_EQ(finding["ended"], "did not end within 0.5 s (--timeout)");
  EXPECT_EQ(finding["shown"], 3);
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = run_toys({"replay", finding["file"]});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(ClientHang, AProgramThatDeadlocksByItselfIsToldAtOnce) {
  const std::string copy = folder_ / "own.py";
  write_file(copy,
             "import ctypes, threading\n"
             "ctypes.CDLL('libcuda.so.1').cuInit(0)\n"
             "lock = threading.Lock()\n"
             "lock.acquire()\n"
             "lock.acquire()\n");
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = run({"--runs", "8"}, {"python3", copy});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(ended.code, 2) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("it deadlocks: each of its threads waits for another"));
}

}  // namespace
}  // namespace harness
