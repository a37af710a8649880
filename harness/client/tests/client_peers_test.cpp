// SPDX-License-Identifier: Apache-2.0
// Processes of a program that share memory and events, as `afterlife run` finds what is wrong in
// them.
#include <fmt/format.h>

#include "harness/client/tests/run_stage.h"

namespace harness::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A program of two processes, how the second one starts, and what is wrong in it.
struct Defect {
  bool is_script;
  const char* how;
  const char* name;
  const char* kind;
  const char* object;
  const char* used;  ///< The call that is told to have met it.
  int runs = 2;
};

constexpr Defect kDefects[] = {
    {true, "exec", "freed_before_close", "use_after_free", "device memory", "cuMemsetD8"},
    {true, "fork", "opened_twice", "api_misuse", "exported memory", "cuMemFree"},
    {true, "exec", "closed_twice", "double_free", "IPC mapping", "cuIpcCloseMemHandle"},
    {true, "fork", "event_of_ended", "use_after_free", "event", "cuStreamWaitEvent"},
    {true, "spawn", "reused_while_copied", "data_race", "bytes of device memory", "cuMemsetD8"},
    {true, "exec", "read_too_early", "data_race", "bytes of device memory", "cuMemcpyDtoDAsync"},
    {true, "exec", "ends_too_early", "use_after_free", "device memory", "cuMemsetD8", 12},
    {false, "exec", "recorded_too_early", "data_race", "bytes of device memory",
     "cuMemcpyDtoDAsync"},
    {false, "exec", "closed_in_flight", "use_after_free", "IPC mapping", "cuMemcpyDtoDAsync", 12},
    {false, "fork", "two_slots", "data_race", "bytes of device memory", "cuMemsetD8Async"},
    {true, "mpirun", "reused_while_copied", "data_race", "bytes of device memory", "cuMemsetD8"},
    {false, "mpirun", "cached_mapping", "use_after_free", "device memory", "cuMemsetD8"},
};

std::ostream& operator<<(std::ostream& out, const Defect& defect) {
  return out << defect.how << "_" << defect.name;
}

/// Returns the command of a program with processes.
Words command_of(const Defect& defect, bool is_sound) {
  Words words;
  if (std::string_view(defect.how) == "mpirun")
    words = {"mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2"};
  if (defect.is_script)
    words.insert(words.end(), {"python3", script("peers/peers.py")});
  else
    words.push_back(program_folder() / "client_peers");
  words.insert(words.end(), {defect.how, defect.name});
  if (is_sound) words.push_back("sound");
  return words;
}

class ClientPeers : public RunStage, public ::testing::WithParamInterface<Defect> {
 protected:
  void SetUp() override {
    RunStage::SetUp();
    const bool has_mpi = std::system("mpirun --version > /dev/null 2>&1") == 0;
    if (std::string_view(GetParam().how) == "mpirun" && !has_mpi) GTEST_SKIP() << "no OpenMPI here";
  }
};

TEST_P(ClientPeers, AreFoundOut) {
  const Defect& defect = GetParam();
  const json result = found({"--runs", std::to_string(defect.runs)}, command_of(defect, false), 1);
  bool is_found = false;
  for (const json& finding : result["findings"]) {
    if (finding["kind"] != defect.kind || finding["object"] != defect.object) continue;
    is_found = true;
    EXPECT_EQ(finding["shown"], finding["replays"]) << finding;
    EXPECT_EQ(finding["used"], defect.used);
    const bool is_of_mpi = std::string_view(defect.how) == "mpirun";
    EXPECT_THAT(finding["processes"]["used"].get<std::string>(),
                StartsWith(is_of_mpi ? "rank " : "process 1"));
    EXPECT_FALSE(finding["places"]["used"].empty());
    EXPECT_FALSE(finding["places"]["born"].empty());
  }
  EXPECT_TRUE(is_found) << result;
}

TEST_P(ClientPeers, AreSilentWhereTheyAreSound) {
  const json result = found({"--runs", "8"}, command_of(GetParam(), true), 0);
  EXPECT_EQ(result["findings"], json::array());
}

INSTANTIATE_TEST_SUITE_P(Each, ClientPeers, ::testing::ValuesIn(kDefects), [](const auto& info) {
  return fmt::format("{}_{}", info.param.how, info.param.name);
});

class ClientProcesses : public RunStage {};

TEST_F(ClientProcesses, FourInARingEndAsTheyShould) {
  const Ended ended = run({"--runs", "2"}, {"python3", script("peers/four.py"), "3"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("rounds 3"));
}

/// A program whose processes share memory by files, what is wrong in it, and what it reads.
struct FileDefect {
  const char* name;
  const char* kind;
  const char* object;
  const char* reads;
};

class ClientFiles : public RunStage, public ::testing::WithParamInterface<FileDefect> {};

TEST_P(ClientFiles, CarryMemoryToOtherProcesses) {
  const auto& [name, kind, object, reads] = GetParam();
  const Words program{"python3", script("peers/files.py"), name};
  const json result = found({"--runs", "2"}, program, 1);
  ASSERT_FALSE(result["findings"].empty());
  EXPECT_EQ(result["findings"][0]["kind"], kind) << result;
  EXPECT_EQ(result["findings"][0]["object"], object) << result;
  Words sound = program;
  sound.push_back("sound");
  const Ended ended = run({"--runs", "8"}, sound);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(reads));
  EXPECT_THAT(ended.err, ::testing::Not(HasSubstr(" returned ")));
}

INSTANTIATE_TEST_SUITE_P(Each, ClientFiles,
                         ::testing::Values(FileDefect{"created_memory", "data_race",
                                                      "bytes of device memory", "reads 7"},
                                           FileDefect{"created_ends", "use_after_free",
                                                      "mapped memory", "reads 9"},
                                           FileDefect{"pool_memory", "api_misuse",
                                                      "exported memory", "allocates 1\nreads 5"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(ClientProcesses, AForkHasNoDriverWhereItsParentHadOne) {
  const Ended ended = run({"--runs", "1"}, {"python3", script("forked_late.py")});
  EXPECT_THAT(ended.out, HasSubstr("frees: 3 begins again: 3"));
  EXPECT_THAT(ended.out, HasSubstr("frees: 0 begins again: 0"));
}

}  // namespace
}  // namespace harness::testing
