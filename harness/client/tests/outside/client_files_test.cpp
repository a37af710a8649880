// SPDX-License-Identifier: Apache-2.0
// The files between a client's driver and `afterlife run`, and those that it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/tests/child.h"
#include "harness/client/border/orders.h"
#include "harness/client/outside/finding_file.h"
#include "harness/client/outside/portable.h"
#include "harness/client/outside/source_places.h"
#include "harness/client/outside/suppressions.h"

namespace harness::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Name kLargeName = 0xfedcba9876543210;

template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

Finding some_finding() {
  Finding finding;
  finding.fault.signature = "use_after_free device memory born:a died:b used:c";
  finding.fault.kind = "use_after_free";
  finding.fault.object = "device memory";
  finding.fault.birth = {"cuMemAlloc", {{"crash.py", 12, "make", 0, false}}, "MainThread", ""};
  finding.fault.other = {"fill", {{"crash.py", 14, "make", 0, false}}, "", "stream 1"};
  finding.fault.death.thread = "Thread-1 (drop)";
  finding.fault.use = {"",
                       {{"/bin/program", 0, "use", 4660, false}, {"lib.py", 3, "f", 0, true}},
                       "MainThread",
                       "stream 2"};
  finding.decisions = {{{kLargeName, 65535, 7, 0xffffffff},
                        "crash.py:3",
                        "the collector runs",
                        {{"crash.py", 3, "make", 0, false}}}};
  finding.doubt = "Thread-1 (drop) is busy for long";
  finding.fault.free_threads = "2 threads call the driver freely";
  finding.replay_count = 3;
  finding.shown_count = 2;
  finding.pedantic = true;
  finding.reads = {{{"clock", "time.time", "crash.py", 2}}, "clock", 6};
  finding.fault.pedantic = "drivers of today have it done";
  return finding;
}

/// A run that showed the finding, as it is recorded.
ClientRun run_of(const Finding& finding) {
  ClientRun run;
  Report& report = run.reports.emplace_back();
  report.faults = {finding.fault};
  report.decisions = finding.decisions;
  report.doubt = finding.doubt;
  return run;
}

TEST(ClientFiles, OrdersAreReadAsTheyWereWritten) {
  const Folder folder;
  Orders orders;
  orders.draws = orders.serves = orders.fails = orders.pedantic = true;
  orders.seed = ~std::uint64_t{0};
  orders.tape = {{kLargeName, 65535, 65535, 0xffffffff}, {1, 2, 3, 4}};
  write_orders(folder.path(), orders);
  const Orders read = read_orders(folder.path());
  EXPECT_TRUE(read.draws);
  EXPECT_TRUE(read.serves);
  EXPECT_FALSE(read.locates);
  EXPECT_TRUE(read.fails);
  EXPECT_TRUE(read.pedantic);
  EXPECT_EQ(read.seed, orders.seed);
  EXPECT_EQ(read.tape, orders.tape);
}

TEST(ClientFiles, OrdersThatAreNotThereAreOneLine) {
  const Folder folder;
  EXPECT_THAT(error_of([&] { read_orders(folder.path()); }), HasSubstr("orders.json: cannot open"));
  write_file(folder / "orders.json", "{\"draws\":1}");
  EXPECT_THAT(error_of([&] { read_orders(folder.path()); }),
              HasSubstr("orders.json cannot be read"));
}

TEST(ClientFiles, AReportIsReadAsItWasWritten) {
  Report report;
  report.process = 3;
  report.call_count = 1234567890123;
  report.is_whole = report.has_python = true;
  report.note = "a note";
  report.doubt = "a doubt";
  report.free_threads = "3 threads call the driver freely";
  report.faults = {some_finding().fault};
  report.decisions = some_finding().decisions;
  const Report read = parse_report(to_text(report));
  EXPECT_EQ(read.process, report.process);
  EXPECT_EQ(read.call_count, report.call_count);
  EXPECT_TRUE(read.is_whole);
  EXPECT_TRUE(read.has_python);
  EXPECT_EQ(read.note, report.note);
  EXPECT_EQ(read.doubt, report.doubt);
  EXPECT_EQ(read.free_threads, report.free_threads);
  EXPECT_EQ(read.faults, report.faults);
  EXPECT_EQ(read.decisions, report.decisions);
}

TEST(ClientFiles, NamesNeedNotBeText) {
  Report report;
  report.faults = {some_finding().fault};
  report.faults[0].birth.place[0].file = "\xff\xfe.py";
  EXPECT_EQ(parse_report(to_text(report)).faults.size(), 1u);
}

TEST(ClientFiles, AReportThatIsCutIsOneLine) {
  const std::string text = to_text(Report());
  EXPECT_THAT(error_of([&] { parse_report(text.substr(0, text.size() / 2)); }),
              HasSubstr("the report of a process cannot be read"));
}

TEST(ClientFiles, ACommandKeepsTheFolderOfItsProgramBelowThisOne) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(portable(Command{here + "/build/x", "a"}), (Command{"build/x", "a"}));
  EXPECT_EQ(portable(Command{here + "/x"}), Command{"./x"});
  EXPECT_EQ(portable(Command{"./x"}), Command{"./x"});
  EXPECT_EQ(portable(Command{here + "/venv/bin/python", here + "/x.py"}),
            (Command{"venv/bin/python", "x.py"}));
  EXPECT_EQ(portable(Command{"venv/bin/python", "x.py"}), (Command{"venv/bin/python", "x.py"}));
  EXPECT_EQ(portable(Command{"/usr/bin/python3", "x.py"}), (Command{"python3", "x.py"}));
}

TEST(ClientFiles, ACommandIsStartedByWhatIsThere) {
  EXPECT_EQ(startable({"no/such/python3", "x.py"}), (Command{"python3", "x.py"}));
  EXPECT_EQ(startable({"no/such/program"}), Command{"no/such/program"});
  EXPECT_EQ(startable({"sh"}), Command{"sh"});
  EXPECT_EQ(startable({"CMakeLists.txt"}), Command{"./CMakeLists.txt"});
  EXPECT_EQ(startable({"no-such-program"}), Command{"no-such-program"});
}

TEST(ClientFiles, AFindingIsReadAsItWasWritten) {
  const Finding finding = some_finding();
  const std::string text = to_text(finding, {"python3", "crash.py", "--fast"});
  EXPECT_TRUE(is_finding(text));
  const FindingFile read = parse_finding(text);
  EXPECT_EQ(read.command, (Command{"python3", "crash.py", "--fast"}));
  EXPECT_EQ(read.finding.fault, portable(finding, read.command).fault);
  EXPECT_EQ(read.finding.decisions, finding.decisions);
  EXPECT_EQ(read.finding.shown_count, 2u);
  EXPECT_EQ(read.finding.reads, finding.reads);
  EXPECT_TRUE(read.finding.pedantic);
  EXPECT_EQ(read.finding.doubt, finding.doubt);
  EXPECT_FALSE(read.finding.repeats());
}

TEST(ClientFiles, AnotherVersionOrNoCommandIsRefused) {
  std::string text = to_text(some_finding(), {"true"});
  EXPECT_THAT(error_of([&] { parse_finding(to_text(some_finding(), {})); }), HasSubstr("is empty"));
  text.replace(text.find("run 1"), 5, "run 2");
  EXPECT_TRUE(is_finding(text));
  EXPECT_THAT(error_of([&] { parse_finding(text); }), HasSubstr("another version"));
  EXPECT_FALSE(is_finding("afterlife reproducer 1\n"));
  EXPECT_FALSE(is_finding("{\"afterlife\": \"something\"}"));
}

TEST(ClientFiles, AFileIsNamedAfterTheScriptAndTheSignature) {
  Finding finding = some_finding();
  const std::string name =
      finding_name(finding, program_of({"/usr/bin/python3", "-X", "dev", "x/crash.py"}));
  EXPECT_THAT(name, HasSubstr("crash-use_after_free-"));
  EXPECT_THAT(finding_name(finding, program_of({"./bin/program"})),
              HasSubstr("program-use_after_free-"));
  EXPECT_EQ(program_of({"bash", "-c", "cd x && python3 y/crash.py --fast"}), "crash");
  finding.fault.signature += " elsewhere";
  EXPECT_NE(finding_name(finding, program_of({"x/crash.py"})), name);
}

TEST(ClientFiles, AWaitingThreadMayBeInAnotherFunctionOfTheCLibrary) {
  const Frame asleep{"/lib/libc.so.6", 0, "sem_clockwait", 0x90115, true};
  const Frame looking{"/lib/libc.so.6", 0, "pthread_mutex_lock", 0x8c481, true};
  Finding finding = some_finding();
  finding.fault.use.site = kWait;
  Place& place = finding.fault.use.place;
  place.insert(place.begin(), asleep);
  const FindingFile recorded{{"python3", "crash.py"}, finding};
  place.front() = looking;
  EXPECT_THAT(difference(recorded, run_of(finding)), IsEmpty());
  place[1].function = "g";
  EXPECT_THAT(difference(recorded, run_of(finding)), HasSubstr("used at"));
}

TEST(ClientFiles, AReplayIsAsRecordedOrSaysHowItDiffers) {
  const Finding finding = some_finding();
  const FindingFile recorded{{"python3", "crash.py"}, finding};
  ClientRun run = run_of(finding);
  EXPECT_THAT(difference(recorded, run), IsEmpty());
  run.reports[0].faults[0].birth.place[0].line = 13;
  EXPECT_THAT(
      difference(recorded, run),
      HasSubstr("born at crash.py:12 in make in the file, at crash.py:13 in make in the run"));
  run = run_of(finding);
  run.reports[0].faults[0].use.place.clear();
  EXPECT_THAT(difference(recorded, run), HasSubstr("used at"));
  run = run_of(finding);
  run.reports[0].faults[0].use.place[1].line = 4;  // Another patch of the library.
  EXPECT_THAT(difference(recorded, run), IsEmpty());
  run.reports[0].faults[0].use.place[1].function = "g";
  EXPECT_THAT(difference(recorded, run), HasSubstr("used at lib.py:3 in f in the file"));
  run = run_of(finding);
  run.reports[0].faults[0].death.thread = "MainThread";
  EXPECT_THAT(difference(recorded, run),
              HasSubstr("died, thread is 'Thread-1 (drop)' in the file, 'MainThread' in the run"));
  run = run_of(finding);
  run.reports[0].faults[0].other.stream.clear();
  EXPECT_THAT(difference(recorded, run), HasSubstr("first, stream is 'stream 1' in the file"));
  run = run_of(finding);
  run.reports[0].faults[0].ended = "ended with exit code 3";
  EXPECT_THAT(difference(recorded, run), HasSubstr("ended is '' in the file"));
  run = run_of(finding);
  run.reports[0].doubt = "another";
  EXPECT_THAT(difference(recorded, run), HasSubstr("doubt is '"));
  run = run_of(finding);
  run.reports[0].faults[0].detail = "8 bytes";
  EXPECT_THAT(difference(recorded, run), HasSubstr("'' in the file, '8 bytes' in the run"));
  run = run_of(finding);
  run.reports[0].decisions[0].decision.nth = 8;
  EXPECT_THAT(difference(recorded, run),
              HasSubstr("the choice crash.py:3 has another number in the file"));
  run.reports[0].decisions.clear();
  EXPECT_THAT(difference(recorded, run), HasSubstr("1 choices in the file, 0 in the run"));
  run.reports[0].faults.clear();
  EXPECT_THAT(difference(recorded, run), HasSubstr("a fault that the run does not have"));
}

TEST(ClientFiles, AReplayInAnotherFolderOrWithMovedLinesIsAsRecorded) {
  Finding finding = some_finding();
  finding.fault.birth.place[0].offset = 18;
  finding.decisions[0].place[0].offset = 4;
  const FindingFile recorded{{"python3", "crash.py"}, finding};
  ClientRun run = run_of(finding);
  Frame& birth = run.reports[0].faults[0].birth.place[0];
  birth.file = "/elsewhere/crash.py";
  birth.line += 1;
  run.reports[0].decisions[0].who = "crash.py:4";
  run.reports[0].decisions[0].place[0].line = 4;
  EXPECT_THAT(difference(recorded, run), IsEmpty());
  birth.offset = 20;
  EXPECT_THAT(difference(recorded, run), HasSubstr("born at crash.py:12 in make+0x12 in the file"));
}

TEST(ClientFiles, AFileHasNoNamesOfFolders) {
  Finding finding = some_finding();
  const std::string here = std::filesystem::current_path().string();
  finding.fault.birth.place = {
      {here + "/made/crash.py", 12, "make", 0, false},
      {"/users/own/venv/lib/python3.11/site-packages/x/y.py", 3, "f", 0, true},
      {"/users/own/lib.so", 0, "g", 4660, false}};
  finding.decisions[0].who = here + "/made/crash.py:3 of Thread-1";
  finding.fault.ended = "ended with exit code 1: " + here + "/made/crash.py is wrong";
  const std::string text =
      to_text(finding, {"/users/own/venv/bin/python3", here + "/made/crash.py", "--fast"});
  EXPECT_THAT(text, Not(HasSubstr(here)));
  EXPECT_THAT(text, Not(HasSubstr("/users/own")));
  const FindingFile read = parse_finding(text);
  EXPECT_EQ(read.command, (Command{"python3", "made/crash.py", "--fast"}));
  EXPECT_EQ(read.finding.fault.birth.place[1].file, "site-packages/x/y.py");
  EXPECT_EQ(read.finding.decisions[0].who, "made/crash.py:3 of Thread-1");
}

TEST(ClientFiles, ASuppressionFitsAKindAndAFunctionOrTheEndOfAPath) {
  const ToldFault fault = some_finding().fault;
  const auto is_known = [&](const std::string& line) {
    const Suppressions known = Suppressions::parse(line + " a reason of several words\n", "known");
    return known.find(fault) == 0 && known.all()[0].reason == "a reason of several words";
  };
  EXPECT_TRUE(is_known("use_after_free cuMemAlloc"));
  EXPECT_TRUE(is_known("* cuMem*"));
  EXPECT_TRUE(is_known("* crash.py"));
  EXPECT_TRUE(is_known("* program"));
  EXPECT_TRUE(is_known("* make"));
  EXPECT_TRUE(is_known("* /bin/*"));
  EXPECT_FALSE(is_known("double_free cuMemAlloc"));
  EXPECT_FALSE(is_known("* rash.py"));
  EXPECT_FALSE(is_known("* cuMemFree"));
}

TEST(ClientFiles, LinesOfMachineCodeAreThoseThatAreKnown) {
  const std::vector<Frame> frames{
      {"prog", 0, "", 16, false}, {"prog", 0, "known", 32, false}, {"prog", 0, "x", 48, false}};
  const std::vector<Place> places =
      take_lines(frames,
                 "0x10\nmain\n/src/a b.cpp:12 (discriminator 3)\nouter\n/src/a b.cpp:40\n"
                 "0x20\n??\n??:0\n"
                 "0x30\nstd::lock\n/usr/include/c++/12/mutex:5\nfree\n/src/b.cpp:7\n");
  EXPECT_EQ(places.at(0), (Place{{"/src/a b.cpp", 12, "main", 16, false},
                                 {"/src/a b.cpp", 40, "outer", 16, false}}));
  EXPECT_EQ(places.at(1), (Place{{"prog", 0, "known", 32, false}}));
  EXPECT_EQ(places.at(2), (Place{{"/usr/include/c++/12/mutex", 5, "std::lock", 48, true},
                                 {"/src/b.cpp", 7, "free", 48, false}}));
}

/// A launch by <<<>>> goes through a header of the toolkit, code that nvcc writes, and the kernel's
/// own name.
TEST(ClientFiles, FramesOfTheCudaToolkitAreNoFramesOfTheProgram) {
  Place place{{"/opt/cuda/include/crt/device_functions.h", 2963, "helper", 16, false},
              {"/tmp/tmpxft_1.cudafe1.stub.c", 13, "__device_stub__Z4fillPi(int*)", 32, false},
              {"/src/a.cu", 3, "fill(int*)", 48, false},
              {"/src/a.cu", 9, "main", 64, false}};
  pass_toolkit(place);
  EXPECT_TRUE(place[0].is_library);
  EXPECT_TRUE(place[1].is_library);
  EXPECT_TRUE(place[2].is_library);
  EXPECT_FALSE(place[3].is_library);
  Place without_lines{{"prog", 0, "cudaError cudaMalloc<int>(int**, unsigned long)", 16, false},
                      {"prog", 0, "__device_stub__Z4fillPi(int*)", 32, false},
                      {"prog", 0, "fill(int*)", 48, false},
                      {"prog", 0, "main", 64, false}};
  pass_toolkit(without_lines);
  EXPECT_TRUE(without_lines[0].is_library);
  EXPECT_TRUE(without_lines[2].is_library);
  EXPECT_FALSE(without_lines[3].is_library);

  // Clang's stub is called by the program, and is a template's with what it returns.
  Place by_clang{
      {"/usr/include/cuda_runtime.h", 836, "cudaError cudaMalloc<int>(int**)", 16, false},
      {"/src/a.cu", 4, "void __device_stub__fill<int>(int*)", 32, false},
      {"/src/a.cu", 19, "main", 48, false}};
  pass_toolkit(by_clang);
  EXPECT_TRUE(by_clang[1].is_library);
  EXPECT_FALSE(by_clang[2].is_library);
}

}  // namespace
}  // namespace harness::client
