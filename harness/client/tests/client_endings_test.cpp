// SPDX-License-Identifier: Apache-2.0
// Functions of the program that do not return when the driver calls them: the driver serves the
// rest of the program as before. Each program has a few seconds.
#include <stdlib.h>
#include <unistd.h>

#include "harness/client/tests/interpreters.h"
#include "harness/client/tests/run_stage.h"
#include "harness/devices/tests/cuda_stage.h"

namespace harness {
namespace {

using ::testing::Combine;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::script;
using ::testing::Values;
using testing::Words;

constexpr std::chrono::seconds kLimit{20};

/// Has a child load our driver without `afterlife run`.
void use_own_libcuda() {
  setenv("LD_LIBRARY_PATH", testing::own_libcuda().parent_path().c_str(), 1);
}

class ClientEndings : public testing::RunStage {};

/// A kind of function, and how it ends.
class ClientEnding : public ClientEndings,
                     public ::testing::WithParamInterface<std::tuple<const char*, const char*>> {
 protected:
  static std::string kind() { return std::get<0>(GetParam()); }
  static std::string how() { return std::get<1>(GetParam()); }
  int code() const {
    if (how() == "throw" && kind() != "occupancy") return -SIGABRT;  // Nothing catches it.
    return how() == "exit" ? 7 : 0;
  }
};

TEST_P(ClientEnding, LeavesTheDriverToTheProgram) {
  const Ended ended = Child("client_ending", {kind(), how()}, use_own_libcuda).wait(kLimit);
  EXPECT_EQ(ended.code, code()) << ended.out << ended.err;
}

TEST_P(ClientEnding, LeavesTheDriverToTheProgramUnderAfterlifeRun) {
  const auto program = testing::own_libcuda().parent_path().parent_path() / "client_ending";
  const Words command = words({"--runs", "2", "--timeout", "20"}, {program, kind(), how()});
  const Ended ended = Child("afterlife_toys", command).wait(3 * kLimit);
  EXPECT_GE(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("did not end"))) << ended.code;
}

constexpr auto on_thread = [] {
  return Values("host_function", "stream_callback", "host_node", "destructor");
};
const auto by_name = [](const auto& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
};

INSTANTIATE_TEST_SUITE_P(OnItsThread, ClientEnding,
                         Combine(on_thread(), Values("none", "pthread_exit", "no_tables", "cancel",
                                                     "exit", "block", "throw")),
                         by_name);
INSTANTIATE_TEST_SUITE_P(OnTheCaller, ClientEnding,
                         Combine(Values("occupancy"),
                                 Values("none", "pthread_exit", "no_tables", "cancel", "exit",
                                        "block", "throw", "longjmp")),
                         by_name);
INSTANTIATE_TEST_SUITE_P(InAWaitingThread, ClientEnding,
                         Combine(Values("host_function", "stream_callback", "host_node"),
                                 Values("waiter")),
                         by_name);

TEST_F(ClientEndings, AnInterpreterMayFinalizeWhileAHostFunctionIsToBeCalled) {
  const Ended ended = Child("afterlife_toys", words({"--runs", "2", "--timeout", "20"},
                                                    {"python3", script("finalizing.py")}))
                          .wait(3 * kLimit);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out + ended.err, HasSubstr("allocated 0"));
}

}  // namespace
}  // namespace harness
