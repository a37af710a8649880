// SPDX-License-Identifier: Apache-2.0
// Findings that do not repeat, as the program reads the world: which read makes the difference.
#include <fmt/format.h>

#include "harness/client/outside/world_reads.h"
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_of;
using ::testing::Not;
using testing::Words;

/// Frees twice in every other run of its own. `held` is a condition under which it does so in each,
/// which holds where something is held still, and hardly ever otherwise.
std::string script(const std::string& held) {
  return fmt::format(
      "import ctypes, os, random, sys, time\n"
      "cuda = ctypes.CDLL('libcuda.so.1')\n"
      "context, address = ctypes.c_void_p(), ctypes.c_uint64()\n"
      "with open(__file__ + '.runs', 'a') as state:\n"
      "    state.write('x')\n"
      "    run = state.tell()\n"
      "if {}: run = 1\n"
      "cuda.cuInit(0)\n"
      "cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\n"
      "cuda.cuCtxSetCurrent(context)\n"
      "cuda.cuMemAlloc_v2(ctypes.byref(address), 64)\n"
      "for _ in range(1 + run % 2): cuda.cuMemFree_v2(address)\n",
      held);
}

class ClientReads : public testing::RunStage {
 protected:
  std::string file() const { return folder_ / "read.py"; }
  Words command(const std::string& held) const {
    write_file(file(), script(held));
    std::filesystem::remove(file() + ".runs");
    return {"python3", file()};
  }
  /// Searches with the condition. Returns what was learned of the only finding.
  json reads(const std::string& held) const {
    const json result = found({"--runs", "1"}, command(held), 1);
    EXPECT_EQ(result["findings"].size(), 1u);
    const json& finding = result["findings"].at(0);
    EXPECT_EQ(finding["shown"], 2) << "in the first and the third replay";
    const json filed = json::parse(read_file(finding["file"]))["reads"];
    EXPECT_EQ(filed["cause"], finding["reads"]["cause"]);
    EXPECT_EQ(filed["places"].size(), finding["reads"]["places"].size());
    return finding["reads"];
  }
  void expect_place(const json& reads, const std::string& kind, const std::string& function) const {
    ASSERT_THAT(reads["places"], Not(IsEmpty()));
    const json& place = reads["places"][0];
    EXPECT_EQ(place["kind"], kind);
    EXPECT_EQ(place["function"], function);
    EXPECT_EQ(place["file"], file());
    EXPECT_EQ(place["line"], line_of(file(), "run = 1"));
  }
};

TEST_F(ClientReads, AClockThatMakesTheDifferenceIsTheCause) {
  const json found = reads("time.time() < 1_700_000_001");
  EXPECT_EQ(found["cause"], "clock");
  EXPECT_EQ(found["agreed"], 12) << "twice as many as it took to see each outcome three times";
  expect_place(found, "clock", "time.time");
}

TEST_F(ClientReads, SoIsChance) {
  const json found = reads("os.urandom(4).hex() == 'd4735e3a'");
  EXPECT_EQ(found["cause"], "chance");
  expect_place(found, "chance", "os.urandom");
  EXPECT_EQ(reads("random.random() == 0.5 or os.urandom(4).hex() == '4e074085'")["cause"], "");
}

TEST_F(ClientReads, SoIsTheOrderOfSetsWhereTheUserDrawsIt) {
  // Where Python's variable is 0, as it is in all runs that do not say differently.
  const ProcessEnd end = run_process({"python3", "-c", "print(hash('order'), end='')"},
                                     {10, {"PYTHONHASHSEED=0"}}, std::atomic<bool>{false});
  const Words drawn =
      words({"--runs", "1", "--json"}, command(fmt::format("hash('order') == {}", end.out)));
  const auto prepare = [] { ::setenv("PYTHONHASHSEED", "random", 1); };
  const Ended ended = Child("afterlife_toys", drawn, prepare).wait();
  const json reads = json::parse(ended.out)["findings"].at(0)["reads"];
  EXPECT_EQ(reads["cause"], "hash");
  EXPECT_EQ(reads["places"][0]["function"], "PYTHONHASHSEED=random");
}

TEST_F(ClientReads, NothingIsCalledTheCauseThatMakesNoDifference) {
  const json found = reads("time.time() < 0 or os.getpid() < 0");
  EXPECT_EQ(found["cause"], "");
  expect_place(found, "clock", "time.time");
  EXPECT_EQ(found["places"][1]["function"], "os.getpid");
}

TEST_F(ClientReads, AFileThatEarlierRunsWroteIsTold) {
  const json found = reads("open(__file__ + '.runs').read() and open(__file__) is None");
  EXPECT_EQ(found["cause"], "");
  ASSERT_EQ(found["places"].size(), 1u) << "not the script itself: " << found["places"];
  expect_place(found, "file", "open");
}

/// Searches with a program that is not a script. Returns what was learned of the only finding.
json native_reads(const Folder& folder, const std::string& read) {
  const auto programs = testing::program_folder();
  const Ended ended =
      testing::run_toys({"run", "--out", folder / "found", "--runs", "1", "--json", "--",
                         programs / "client_worldly", read, folder / ("runs_" + read)});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  return json::parse(ended.out)["findings"].at(0)["reads"];
}

TEST_F(ClientReads, ThoseOfAProgramThatIsNoScriptAreSeenAndHeldStill) {
  const std::vector<std::array<std::string, 4>> all{
      {"clock", "clock", "clock_gettime", "clock_gettime(CLOCK_REALTIME"},
      {"chrono", "clock", "clock_gettime", "system_clock::now())"},
      {"chance", "chance", "getrandom", "getrandom(drawn"},
      {"process", "process", "getpid", "getpid() < 0"}};
  for (const auto& [read, kind, function, line] : all) {
    const json found = native_reads(folder_, read);
    ASSERT_EQ(found["places"].size(), 1u) << read << found;
    const json& place = found["places"][0];
    EXPECT_EQ(place["kind"], kind);
    EXPECT_EQ(place["function"], function);
    EXPECT_EQ(place["line"], line_of(testing::script("worldly.cpp"), line)) << place;
    EXPECT_EQ(found["cause"], kind == "process" ? "" : kind) << read;
  }
}

TEST_F(ClientReads, ThoseOfAModuleThatIsImportedAreNoCause) {
  const std::string import = "exec('import multiprocessing.process') or os.getpid() < 0";
  const json found = reads(import);
  EXPECT_EQ(found["cause"], "");
  ASSERT_EQ(found["places"].size(), 1u) << found["places"];
  expect_place(found, "process", "os.getpid");
}

TEST_F(ClientReads, AKindWithWhichReplaysEndOtherwiseIsNoCause) {
  const json found = reads("time.time() < 1_700_000_001 and sys.exit(3)");
  EXPECT_EQ(found["cause"], "");
  expect_place(found, "clock", "time.time");
}

TEST_F(ClientReads, NorIsOneWhereReplaysAgreeWithoutIt) {
  const json found = reads("time.time() < 0 or run > 4");
  EXPECT_EQ(found["cause"], "");
  expect_place(found, "clock", "time.time");
}

TEST_F(ClientReads, AreToldWithTheirLines) {
  const Ended ended = run({"--runs", "1"}, command("time.monotonic() > 1_600_000_000"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("2 of 3: not repeatable"));
  EXPECT_THAT(ended.out, HasSubstr(fmt::format("  reads     time.monotonic at {}:{}\n", file(),
                                               line_of(file(), "run = 1"))));
  EXPECT_THAT(ended.out, HasSubstr("held constant, 12 of 12 replays agree\n"));
}

TEST_F(ClientReads, ThoseOfAFindingThatRepeatsAreNotLookedFor) {
  write_file(file(), script("time.time() > 0"));
  const json result = found({"--runs", "1"}, {"python3", file()}, 1);
  EXPECT_EQ(result["findings"][0]["shown"], 3);
  EXPECT_THAT(result["findings"][0]["reads"]["places"], IsEmpty());
}

TEST_F(ClientReads, TheProgramsOwnSitecustomizeRunsAsEver) {
  write_file(folder_ / "sitecustomize.py", "import builtins\nbuiltins.before = 5\n");
  const Words searched =
      words({"--runs", "1", "--json"}, command("before != 5 or time.time() < 1_700_000_001"));
  const std::string folder = folder_.path();
  const auto prepare = [&] { ::setenv("PYTHONPATH", folder.c_str(), 1); };
  const json result = json::parse(Child("afterlife_toys", searched, prepare).wait().out);
  EXPECT_EQ(result["findings"].at(0)["reads"]["cause"], "clock");
}

TEST(ClientReadsFile, ALineThatIsNoneIsLeftOutAndEachIsKeptOnce) {
  const auto reads = client::parse_reads(
      "clock\ttime.time\ta.py\t3\nclock\ttime.time\ta.py\t3\nclock\ttime.time\ta.py\tx\ncl");
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0], (client::WorldRead{"clock", "time.time", "a.py", 3}));
}

}  // namespace
}  // namespace harness
