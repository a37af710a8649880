// `afterlife run` with programs of ours that know nothing of us: scripts in Python, and a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "harness/sanitizers.h"
#include "harness/tests/toys_child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_toys;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string script(const std::string& name) { return "harness/tests/clients/" + name; }

/// The number of the only line that has this text.
int line_of(const std::string& file, const std::string& text) {
  std::ifstream in(file);
  int number = 0;
  int found = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find(text) == line.npos) continue;
    EXPECT_EQ(found, 0) << text;
    found = number;
  }
  EXPECT_NE(found, 0) << text;
  return found;
}

/// The line of a finding's place: of the innermost frame, or of a caller.
int line_at(const json& finding, const char* place, std::size_t frame = 0) {
  return finding.at("places").at(place).at(frame).at("line");
}

void expect_one_line(const Ended& ended, int code, const std::string& why) {
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(why));
}

class CliRun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  }

  /// The command with the options that keep its findings here.
  Words words(const Words& options, const Words& command) const {
    Words all{"run", "--out", folder_ / "found"};
    all.insert(all.end(), options.begin(), options.end());
    all.emplace_back("--");
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  Ended run(const Words& options, const Words& command) const {
    return run_toys(words(options, command));
  }
  /// The same, as the object that it prints.
  json found(const Words& options, const Words& command, int code) const {
    Words with = options;
    with.emplace_back("--json");
    const Ended ended = run(with, command);
    EXPECT_EQ(ended.code, code) << ended.out << ended.err;
    return json::parse(ended.out);
  }

  Folder folder_;
};

TEST_F(CliRun, FindsWhatTheCollectorEndedInTheLinesOfTheScript) {
  const std::string file = script("collected.py");
  const json result = found({"--runs", "30"}, {"python3", file}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_THAT(result["failures"], IsEmpty());
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "use_after_death");
  EXPECT_EQ(finding["replays"], 3);
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_GT(finding["first_run"], 0) << "the plain run shows nothing";
  ASSERT_EQ(finding["decisions"].size(), 1u) << finding["decisions"];
  EXPECT_EQ(finding["decisions"][0]["answer"], "the collector runs");
  EXPECT_EQ(line_at(finding, "born"), line_of(file, "check(cuda.cuMemAlloc_v2("));
  EXPECT_EQ(line_at(finding, "born", 1), line_of(file, "return Buffer().address"));
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "cuda.cuMemFree_v2("));
  EXPECT_EQ(finding.at("places").at("died").at(0).at("function"), "__del__");
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "cuMemsetD8Async("));
  EXPECT_TRUE(
      fs::equivalent(finding.at("places").at("used").at(0).at("file").get<std::string>(), file));
}

TEST_F(CliRun, TellsItInTheScriptsOwnWords) {
  const Ended ended = run({"--runs", "30"}, {"python3", script("collected.py")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("use_after_death of device memory"));
  EXPECT_THAT(ended.out, HasSubstr("check(cuda.cuMemsetD8Async(addres"));
  EXPECT_THAT(ended.out, HasSubstr("the collector runs"));
  EXPECT_THAT(ended.out, HasSubstr("afterlife replay"));
}

TEST_F(CliRun, FindsNothingWhereTheBufferIsKept) {
  const json result = found({"--runs", "30"}, {"python3", script("sound.py")}, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
  EXPECT_EQ(result["runs"], 30);
  EXPECT_EQ(result["python"], true);
}

TEST_F(CliRun, TheSameSeedFindsTheSame) {
  json first = found({"--runs", "25", "--seed", "7"}, {"python3", script("collected.py")}, 1);
  json second = found({"--runs", "25", "--seed", "7"}, {"python3", script("collected.py")}, 1);
  EXPECT_EQ(first, second);
}

TEST_F(CliRun, AFindingIsReplayedAsRecordedAndAnEditIsSeen) {
  const std::string copy = folder_ / "copy.py";
  fs::copy_file(script("collected.py"), copy);
  const json result = found({"--runs", "30"}, {"python3", copy}, 1);
  const std::string file = result["findings"].at(0)["file"];
  for (int i = 0; i < 5; ++i) {
    const Ended ended = run_toys({"replay", file});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("as recorded"));
  }
  write_file(copy, read_file(script("sound.py")));
  const Ended ended = run_toys({"replay", file});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("not as recorded: the file has a fault that the run has not"));
}

TEST_F(CliRun, ABrokenFileIsOneLine) {
  write_file(folder_ / "cut.run.json", "{\n  \"afterlife\": \"run 1\", \"comm");
  expect_one_line(run_toys({"replay", folder_ / "cut.run.json"}), 2, "cannot be read");
  fs::resize_file(folder_ / "cut.run.json", 17 << 20);
  expect_one_line(run_toys({"replay", folder_ / "cut.run.json"}), 2, "is over 16 MiB");
}

TEST_F(CliRun, TellsWhereAGraphCapturedIt) {
  const std::string file = script("captured.py");
  const json result = found({"--runs", "2"}, {"python3", file}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["captured"], "cuGraphAddMemsetNode");
  EXPECT_EQ(line_at(finding, "born"), line_of(file, "cuda.cuMemAlloc_v2("));
  EXPECT_EQ(line_at(finding, "captured"), line_of(file, "cuda.cuGraphAddMemsetNode("));
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "cuda.cuMemFree_v2("));
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "cuda.cuGraphLaunch("));
}

TEST_F(CliRun, ADecisionIsNamedByTheCallThatItIsOf) {
  const json result = found({"--runs", "20"}, {"python3", script("recycled.py")}, 1);
  const json* recycled = nullptr;
  for (const json& finding : result["findings"])
    if (finding["kind"] == "recycled_use") recycled = &finding;
  ASSERT_NE(recycled, nullptr) << result["findings"];
  ASSERT_EQ((*recycled)["decisions"].size(), 1u);
  EXPECT_EQ((*recycled)["decisions"][0]["who"], "cuMemAlloc 5 of thread 1");
  EXPECT_EQ((*recycled)["decisions"][0]["answer"], "freed storage is given out again");
  EXPECT_EQ((*recycled)["shown"], 3);
}

TEST_F(CliRun, FaultsOfAForkedChildAndOfItsParentAreFound) {
  const json result = found({"--runs", "2"}, {"python3", script("forked.py")}, 1);
  std::set<std::string> kinds;
  for (const json& finding : result["findings"]) {
    kinds.insert(finding["kind"]);
    EXPECT_EQ(finding["first_run"], 0);
    EXPECT_EQ(finding["shown"], 3);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"double_free", "use_after_death"}));
}

TEST_F(CliRun, AProgramThatIsNoScriptHasItsFunctionsTold) {
  const std::string program = (fs::read_symlink("/proc/self/exe").parent_path() / "client_native");
  const json result = found({"--runs", "2"}, {program}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "use_after_death");
  EXPECT_EQ(finding["decisions"].size(), 0u) << "the plain run shows it";
  EXPECT_EQ(finding.at("places").at("died").at(0).at("function"), "let_go");
  EXPECT_EQ(finding.at("places").at("used").at(0).at("function"), "use_again");
  EXPECT_EQ(finding.at("places").at("born").at(0).at("function"), "main");
  EXPECT_EQ(result["python"], false);
}

TEST_F(CliRun, WhatIsSuppressedIsNoFailureAndWhatHasNoUseIsTold) {
  const std::string file = folder_ / "known.txt";
  write_file(file,
             "# known\n\nuse_after_death */collected.py  the buffer is static\n"
             "double_free cuMemFree never seen\n");
  const Words options{"--runs", "25", "--seed", "3", "--suppressions", file};
  const Ended ended = run(options, {"python3", script("collected.py")});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(": use_after_death */collected.py (" + file +
                                   ":3): the buffer is static\n"));
  EXPECT_THAT(ended.out, HasSubstr("suppression without use: double_free cuMemFree (" + file));
  EXPECT_THAT(ended.out, HasSubstr("25 runs, 0 findings"));
  EXPECT_FALSE(fs::exists(folder_ / "found") && !fs::is_empty(folder_ / "found"));
}

TEST_F(CliRun, ASuppressionWithoutAReasonIsOneLineBeforeAnythingRuns) {
  const std::string file = folder_ / "known.txt";
  write_file(file, "* * fine\nuse_after_death cuMemFree\n");
  const Words command{"python3", script("sound.py")};
  const Ended ended = run({"--suppressions", file}, command);
  expect_one_line(ended, 2, file + ":2: ");
  EXPECT_THAT(ended.err, HasSubstr("the reason is missing"));
  EXPECT_EQ(ended.out, "");
  expect_one_line(run({"--suppressions", folder_ / "none"}, command), 2, "none");
}

TEST_F(CliRun, RunsAreForkedAndFindTheSameAsProcessesOfTheirOwn) {
  const Words command{"python3", script("collected.py")};
  json forked = found({"--runs", "25", "--seed", "3"}, command, 1);
  json alone = found({"--runs", "25", "--seed", "3", "--process-per-run"}, command, 1);
  EXPECT_EQ(forked["forked"], true);
  EXPECT_EQ(alone["forked"], false);
  EXPECT_EQ(alone["not_forked"], "");
  forked.erase("forked");
  alone.erase("forked");
  EXPECT_EQ(forked, alone);
}

TEST_F(CliRun, SaysInOneLineWhyNoRunCanBeForked) {
  const std::string file = folder_ / "threads.py";
  write_file(file,
             "import threading, time\n"
             "threading.Thread(target=time.sleep, args=(0.3,), daemon=True).start()\n" +
                 read_file(script("sound.py")));
  const Ended ended = run({"--runs", "4"}, {"python3", file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("\na process for each run, as none can be forked: it has 2 threads\n"));
  EXPECT_THAT(ended.out, HasSubstr("4 runs, 0 findings"));
}

TEST_F(CliRun, AFailureOfTheForksAloneIsNotTheProgramsOwn) {
  const std::string file = folder_ / "process.py";
  write_file(file, "import os\nme = os.getpid()\n" + read_file(script("sound.py")) +
                       "if os.getpid() != me: raise SystemExit(3)\n");
  const json result = found({"--runs", "6"}, {"python3", file}, 0);
  EXPECT_THAT(result["failures"], IsEmpty());
  EXPECT_EQ(result["forked"], false);
  EXPECT_EQ(result["not_forked"],
            "a fork of it ended with exit code 3, and a process of its own does not");
  EXPECT_EQ(result["runs"], 6);
}

// ---- programs that end badly -------------------------------------------------------------------

TEST_F(CliRun, AProgramWithoutCudaIsOneLine) {
  expect_one_line(run({"--runs", "3"}, {"true"}), 2, "made no call of our CUDA driver");
}

TEST_F(CliRun, AProgramThatIsNotThereIsOneLine) {
  expect_one_line(run({"--runs", "3"}, {"/no/such/program"}), 2, "No such file");
}

TEST_F(CliRun, NoCommandIsAMistakeOfTheCaller) {
  expect_one_line(run_toys({"run", "--runs", "3"}), 3, "a command is wanted");
  expect_one_line(run_toys({"run", "--runs", "0", "--", "true"}), 3, "no whole number");
}

TEST_F(CliRun, AFolderThatCannotBeWrittenIsOneLineBeforeAnythingRuns) {
  const Ended ended =
      run_toys({"run", "--out", "/proc/nowhere", "--", "python3", script("sound.py")});
  expect_one_line(ended, 2, "choose another folder with --out");
  EXPECT_EQ(ended.out, "");
}

TEST_F(CliRun, AFailureOfTheProgramsOwnIsTold) {
  const std::string code =
      "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0); raise SystemExit(7)";
  const Ended ended = run({"--runs", "3"}, {"python3", "-c", code});
  expect_one_line(ended, 2, "fails by itself");
  EXPECT_THAT(ended.out, HasSubstr("in 3 of 3 runs: it ended with exit code 7"));
}

TEST_F(CliRun, AProgramThatHangsIsEndedAndTold) {
  const std::string code =
      "import ctypes, time; ctypes.CDLL('libcuda.so.1').cuInit(0); time.sleep(60)";
  const Ended ended = run({"--runs", "1", "--timeout", "0.5"}, {"python3", "-c", code});
  expect_one_line(ended, 2, "did not end within 0.5 s");
}

TEST_F(CliRun, AProgramThatIsKilledIsTold) {
  const std::string code =
      "import ctypes, os; ctypes.CDLL('libcuda.so.1').cuInit(0); os.kill(os.getpid(), 9)";
  expect_one_line(run({"--runs", "2"}, {"python3", "-c", code}), 2, "was ended by signal 9");
}

TEST_F(CliRun, WhatThePlainRunPrintsIsPassedOnOnce) {
  const Ended ended = run({"--runs", "4"}, {"python3", script("sound.py")});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, ::testing::StartsWith("done\n4 runs, 0 findings"));
}

TEST_F(CliRun, StoppedByTheUserSaysSo) {
  Child child("afterlife_toys", words({"--seconds", "60"}, {"python3", script("sound.py")}));
  child.signal_when_taken(SIGINT);
  const Ended ended = child.wait();
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("; stopped"));
}

TEST(CliRunWithSanitizer, IsRefusedInOneLine) {
  if (!kAsan && !kTsan) GTEST_SKIP() << "this build has no sanitizer";
  const Ended ended = run_toys({"run", "--runs", "1", "--", "true"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("use the build dev or release"));
}

}  // namespace
}  // namespace harness
