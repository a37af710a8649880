// SPDX-License-Identifier: Apache-2.0
// `afterlife triage`: files by root cause, on the terminal and as JSON, and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/cli/tests/toys_child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Some reproducers of the toy path.
class CliTriage : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& variant, const Tape& tape) {
    const std::string file = folder_ / name;
    write_file(file, testing::reproducer_text(testing::toy_case(variant, tape)));
    return file;
  }
  std::string stale(const std::string& name, const std::string& variant = "borrow") {
    return write(name, variant, testing::failing_tape());
  }
  /// A leak.
  std::string leak(const std::string& name) {
    return write(name, "hoard", testing::toy::small_program());
  }
  /// A crash before anything lives.
  std::string crash(const std::string& name) {
    const std::string file = folder_ / name;
    write_file(file,
               "afterlife reproducer 1\npath crasher\nvariant driver\nconfig\ndevice sim\nend\n");
    return file;
  }

  Folder folder_;
};

TEST_F(CliTriage, PrintsALineForEachCause) {
  const Ended ended = testing::run_toys({"triage", stale("a.repro")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("hold    Box  furnish  any: replace  use"));
  EXPECT_THAT(ended.out, HasSubstr("1 cause of 1 file; 0 unexplained"));
}

TEST_F(CliTriage, VariantsThatLackTheSameCareShareACause) {
  const std::string a = stale("a.repro"), b = stale("b.repro", "wrongly_sound");
  const Ended ended = testing::run_toys({"triage", folder_ / "", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json answer = json::parse(ended.out);
  ASSERT_EQ(answer["causes"].size(), 1u) << answer;
  const json cause = answer["causes"][0];
  EXPECT_THAT(cause["files"], ElementsAre(a, b));
  EXPECT_EQ(cause["path"], "toy");
  EXPECT_EQ(cause["repair"], "hold");
  EXPECT_EQ(cause["of"], "Box");
  EXPECT_THAT(cause["named"], ElementsAre("got", "used"));
  EXPECT_THAT(cause["got"], ElementsAre("furnish"));
  EXPECT_THAT(cause["let_go"], ElementsAre("replace"));
  EXPECT_THAT(cause["used"], ElementsAre("use"));
  EXPECT_EQ(cause["smallest"], a);
}

TEST_F(CliTriage, ALeakIsReleased) {
  const Ended ended = testing::run_toys({"triage", leak("leak.repro")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("release  Box  furnish"));
}

TEST_F(CliTriage, WhatIsUnexplainedIsNamedAndExitsWithOne) {
  const std::string file = crash("crash.repro");
  const Ended ended = testing::run_toys({"triage", file});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("none    crash SIGSEGV"));
  EXPECT_THAT(ended.out, HasSubstr(file));
  EXPECT_THAT(ended.out, HasSubstr("0 causes of 0 files; 1 unexplained"));
}

TEST_F(CliTriage, WhatIsUnexplainedIsSortedByWhatGoesWrongFirst) {
  const std::string a = crash("a.repro"), b = crash("b.repro");
  const json answer = json::parse(testing::run_toys({"triage", a, b, "--json"}).out);
  EXPECT_THAT(answer["unexplained"], ElementsAre(a, b));
  ASSERT_EQ(answer["alike"].size(), 1u) << answer;
  EXPECT_EQ(answer["alike"][0]["first"], "crash SIGSEGV");
  EXPECT_THAT(answer["alike"][0]["files"], ElementsAre(a, b));
}

TEST_F(CliTriage, AProgramHasNoFaultToExplain) {
  const std::string file = write("program.repro", "retain", testing::toy::small_program());
  const Ended ended = testing::run_toys({"triage", file, "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(json::parse(ended.out)["faultless"], ElementsAre(file));
}

TEST_F(CliTriage, AFileThatCannotBeReadIsOneLineAndKeepsNoOtherOut) {
  const Ended ended = testing::run_toys({"triage", stale("a.repro"), folder_ / "none.repro"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, StartsWith("afterlife: "));
  EXPECT_THAT(ended.err, HasSubstr("none.repro"));
  EXPECT_THAT(ended.out, HasSubstr("1 cause of 1 file"));
}

TEST_F(CliTriage, AFolderWithoutReproducersIsOneLine) {
  const Ended ended = testing::run_toys({"triage", folder_ / ""});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("no reproducer"));
}

// ---- beside a good program ----------------------------------------------------------------------

class CliTriageBeside : public CliTriage {
 protected:
  /// A program that lacks the bug: to it, each variant is the sound one.
  std::string good() {
    return program(
        "sed -i 's/^variant .*/variant retain/' \"$2\"\nexec '" +
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "afterlife_toys")
            .string() +
        "' \"$@\"\n");
  }
  /// One that carries out this when it is asked for the steps of a case.
  std::string program(const std::string& lines) {
    const std::string file = folder_ / "good";
    write_file(file, "#!/bin/sh\n[ \"$1 $3 $5\" = 'replay --steps --json' ] || exit 3\n" + lines);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
};

TEST_F(CliTriageBeside, ACauseIsWhatIsDoneOtherwise) {
  const std::string file = stale("a.repro");
  const Ended ended = testing::run_toys({"triage", file, "--good-program", good(), "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json answer = json::parse(ended.out);
  ASSERT_EQ(answer["causes"].size(), 1u) << answer;
  const json cause = answer["causes"][0];
  EXPECT_EQ(cause["repair"], "revert");
  EXPECT_EQ(cause["of"], "death of Box");
  EXPECT_EQ(cause["how"], "not done");
  EXPECT_THAT(cause["used"], ElementsAre("replace"));
  EXPECT_THAT(cause["got"], IsEmpty());
  EXPECT_EQ(cause["words"], "as before, have death of Box in replace not done");
}

TEST_F(CliTriageBeside, TheTableSaysHow) {
  const Ended ended = testing::run_toys({"triage", stale("a.repro"), "--good-program", good()});
  EXPECT_THAT(ended.out, HasSubstr("revert  death of Box, not done"));
}

TEST_F(CliTriageBeside, AProgramThatCannotReplayIsNamedInOneLine) {
  const std::string bad = program("echo 'afterlife: --steps: no such option' >&2\nexit 3\n");
  const Ended ended = testing::run_toys({"triage", stale("a.repro"), "--good-program", bad});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr(bad + ": cannot replay a case: afterlife: --steps: no such"));
  EXPECT_EQ(ended.out, "");
}

TEST_F(CliTriageBeside, WhatIsNoListOfStepsIsNamed) {
  const std::string bad = program("echo '{}' > \"$4\"\necho '{\"faults\": []}'\n");
  const Ended ended = testing::run_toys({"triage", stale("a.repro"), "--good-program", bad});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("does not contain the steps of a run"));
}

TEST_F(CliTriageBeside, TwoRunsOfACaseLeaveTheSameSteps) {
  const std::string file = stale("a.repro"), one = folder_ / "one", other = folder_ / "other";
  EXPECT_EQ(testing::run_toys({"replay", file, "--steps", one}).code, 0);
  EXPECT_EQ(testing::run_toys({"replay", file, "--steps", other}).code, 0);
  EXPECT_EQ(read_file(one), read_file(other));
  EXPECT_GT(json::parse(read_file(one))["steps"].size(), 3u);
}

// ---- real paths ---------------------------------------------------------------------------------

json causes_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "triage");
  arguments.emplace_back("--json");
  const Ended ended = run_child("afterlife", std::move(arguments));
  EXPECT_EQ(ended.code, 0) << ended.err;
  return json::parse(ended.out)["causes"];
}

TEST(CliTriageOfPaths, DeviceMemoryIsKeptForTheGraphThatTookIt) {
  const json causes = causes_of({"corpus/graph_argument/repros/borrow-argument_dropped.repro"});
  ASSERT_EQ(causes.size(), 1u) << causes;
  EXPECT_EQ(causes[0]["of"], "device memory");
  EXPECT_THAT(causes[0]["got"], ElementsAre("allocate"));
  EXPECT_THAT(causes[0]["used"], ElementsAre("GN_launch"));
}

TEST(CliTriageOfPaths, AHostObjectIsKeptForTheLaunchThatLooksAtIt) {
  const json causes = causes_of({"corpus/argpack/repros/borrow-nested_replaced.repro"});
  ASSERT_EQ(causes.size(), 1u) << causes;
  EXPECT_EQ(causes[0]["of"], "ArgPack");
  EXPECT_THAT(causes[0]["got"], ElementsAre("create_argpack"));
  EXPECT_THAT(causes[0]["used"], ElementsAre("launch_kernel/nested_pack"));
}

TEST(CliTriageOfPaths, AWordIsKeptForTheReaderOfItsGeneration) {
  const json causes = causes_of({"corpus/alltoallv/repros/reread_slot-source_reread.repro"});
  ASSERT_EQ(causes.size(), 1u) << causes;
  EXPECT_EQ(causes[0]["of"], "mem_info_src");
  EXPECT_THAT(causes[0]["used"], ElementsAre("alltoallv_unmap"));
}

TEST(CliTriageOfPaths, ACallThatWasToldToFailIsSpared) {
  const json causes = causes_of({"corpus/alltoallv/repros/reread_slot-failed_after_claim.repro"});
  ASSERT_EQ(causes.size(), 1u) << causes;
  EXPECT_EQ(causes[0]["repair"], "spare");
  EXPECT_EQ(causes[0]["of"], "cuEventRecord");
  EXPECT_THAT(causes[0]["used"], ElementsAre("setup_start"));
}

}  // namespace
}  // namespace harness
