// SPDX-License-Identifier: Apache-2.0
// Calls that are made to fail in someone's program: off by default, and no fault by themselves.
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::script;
using testing::Words;

class ClientFailures : public testing::RunStage {
 protected:
  const Words unchecked_{"python3", script("unchecked.py")};
};

TEST_F(ClientFailures, NoCallFailsWhereNobodyAsksForIt) {
  const json result = found({"--runs", "40"}, unchecked_, 0);
  EXPECT_THAT(result["failures"], IsEmpty());
  EXPECT_EQ(result["injected"]["runs"], 0);
}

TEST_F(ClientFailures, AUseOnTheErrorPathIsAFindingWithTheCallThatFailed) {
  const std::string file = script("unchecked.py");
  const json result = found({"--runs", "60", "--failures"}, unchecked_, 1);
  ASSERT_EQ(result["findings"].size(), 1u) << result["findings"];
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "use_after_free");
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "cuda.cuMemFree_v2(first)"));
  ASSERT_EQ(finding["decisions"].size(), 1u) << finding["decisions"];
  const json& decision = finding["decisions"][0];
  EXPECT_EQ(decision["who"], "cuMemAlloc 2 of thread 1");
  EXPECT_EQ(decision["answer"], "fails, CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(decision["place"][0]["line"], line_of(file, "check(cuda.cuMemAlloc_v2("));
  EXPECT_EQ(decision["place"][1]["line"], line_of(file, "return allocate()  # The second."));
  const Ended ended = testing::run_toys({"replay", finding["file"]});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("cuMemAlloc, the 2nd time at " + file + ":"));
}

TEST_F(ClientFailures, AProgramThatGivesUpCleanlyHasNoFailureOfItsOwn) {
  std::string text = read_file(script("unchecked.py"));
  text.replace(text.find("cuda.cuMemFree_v2(first)"), 24, "raise");
  write_file(folder_ / "checked.py", text);
  const Words sound{"python3", folder_ / "checked.py"};
  const json result = found({"--runs", "60", "--failures"}, sound, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
  EXPECT_GT(result["injected"]["given_up"], 5);
  EXPECT_LE(result["injected"]["given_up"], result["injected"]["runs"]);
  const Ended ended = run({"--runs", "60", "--failures"}, sound);
  EXPECT_THAT(ended.out, HasSubstr("and the program gave up in"));
}

TEST_F(ClientFailures, OneThatCrashesOnItIsAFindingWithTheCallThatFailed) {
  const std::string file = folder_ / "crashes.py";
  write_file(file,
             "import ctypes, os\ncuda = ctypes.CDLL('libcuda.so.1')\n"
             "context, a = ctypes.c_void_p(), ctypes.c_uint64()\ncuda.cuInit(0)\n"
             "if cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) != 0: os._exit(1)\n"
             "cuda.cuCtxSetCurrent(context)\n"
             "if cuda.cuMemAlloc_v2(ctypes.byref(a), 64) != 0: os.kill(os.getpid(), 11)\n");
  const json result = found({"--runs", "60", "--failures"}, {"python3", file}, 1);
  EXPECT_THAT(result["failures"], IsEmpty());
  ASSERT_EQ(result["findings"].size(), 1u) << result["findings"];
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "failure");
  EXPECT_EQ(finding["ended"], "was ended by signal 11 (Segmentation fault)");
  ASSERT_EQ(finding["decisions"].size(), 1u) << finding["decisions"];
  EXPECT_THAT(finding["decisions"][0]["answer"], "fails, CUDA_ERROR_OUT_OF_MEMORY");
}

}  // namespace
}  // namespace harness
