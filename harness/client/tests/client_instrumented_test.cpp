// SPDX-License-Identifier: Apache-2.0
// Programs whose code is instrumented: data races of their threads are findings with both sides,
// each atomic operation is a turn, and programs whose threads are ordered are silent.
#include <set>
#include <string>

#include "harness/base/tests/sampled.h"
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::run_toys;
using testing::Words;

class ClientInstrumented : public testing::RunStage {
 protected:
  static Words part(const char* program, const char* name) {
    return {testing::program_folder() / program, name};
  }
  /// Returns the only finding of a mistake, which is repeatable.
  json only_finding(const char* name, const char* runs) const {
    const json result = found({"--runs", runs}, part("client_unordered", name), 1);
    EXPECT_EQ(result["findings"].size(), 1u) << result["findings"];
    const json finding = result["findings"].at(0);
    EXPECT_EQ(finding["doubt"], "");
    EXPECT_EQ(finding["shown"], 3);
    const Ended ended = run_toys({"replay", finding["file"]});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    return finding;
  }
  static int line(const char* text) {
    return line_of("harness/client/tests/clients/instrumented/unordered.cpp", text);
  }
};

TEST_F(ClientInstrumented, APlainFlagIsARaceOfItsReadAndItsWrite) {
  const json result = found({"--runs", "20"}, part("client_unordered", "publication"), 1);
  ASSERT_GE(result["findings"].size(), 1u);
  bool is_found = false;
  for (const json& finding : result["findings"]) {
    EXPECT_EQ(finding["signature"], "data_race host memory");
    EXPECT_EQ(finding["shown"], 3);
    const int first = line_at(finding, "first"), second = line_at(finding, "used");
    const std::set<int> lines{first, second};
    is_found = is_found || lines == std::set<int>{line("// The write."), line("// The read.")};
  }
  EXPECT_TRUE(is_found) << result["findings"];
}

TEST_F(ClientInstrumented, ACounterIsARaceOfTwoThreadsOfWhichEachIsNamed) {
  const json finding = only_finding("counter", "5");
  EXPECT_EQ(line_at(finding, "first"), line("// Both."));
  EXPECT_EQ(line_at(finding, "used"), line("// Both."));
  EXPECT_NE(finding["threads"]["first"], finding["threads"]["used"]);
  EXPECT_THAT(std::string(finding["detail"]), HasSubstr("both access the same 4 bytes"));
}

TEST_F(ClientInstrumented, ARelaxedPublicationIsARaceWithWhatWasPublished) {
  const json result = found({"--runs", "30"}, part("client_unordered", "checked_twice"), 1);
  ASSERT_GE(result["findings"].size(), 1u);
  for (const json& finding : result["findings"]) {
    EXPECT_EQ(line_at(finding, "first"), line("// Made here."));
    EXPECT_EQ(line_at(finding, "used"), line("// The use."));
    EXPECT_EQ(finding["shown"], 3);
  }
}

/// Only the order of atomic operations shows these; they have no race.
class ClientAtomicMistakes : public ClientInstrumented,
                             public ::testing::WithParamInterface<const char*> {};

TEST_P(ClientAtomicMistakes, AreFoundFromSeveralSeedsAndReplay) {
  for (const char* seed : {"1", "2"}) {
    const json result =
        found({"--runs", "200", "--seed", seed}, part("client_unordered", GetParam()), 1);
    ASSERT_EQ(result["findings"].size(), 1u) << seed << result["findings"];
    const json& finding = result["findings"][0];
    EXPECT_THAT(std::string(finding["signature"]), HasSubstr("Aborted")) << seed;
    EXPECT_EQ(finding["doubt"], "") << seed;
    for (unsigned i = 0; i < sampled(10, 3); ++i) {
      const Ended ended = run_toys({"replay", finding["file"]});
      EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ClientAtomicMistakes, ::testing::Values("lost_update", "aba"),
                         [](const auto& info) { return std::string(info.param); });

class ClientOrdered : public ClientInstrumented,
                      public ::testing::WithParamInterface<const char*> {};

TEST_P(ClientOrdered, AreSilentAndEnd) {
  const json result =
      found({"--runs", std::to_string(sampled(200, 60))}, part("client_ordered", GetParam()), 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, ClientOrdered,
                         ::testing::Values("spin_lock", "publication", "fences", "sequence_lock",
                                           "mutex", "shared_mutex", "queue", "pool",
                                           "latch_and_barrier", "semaphore", "once",
                                           "reference_counts", "host_function", "stacks"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace harness
