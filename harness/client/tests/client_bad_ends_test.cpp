// SPDX-License-Identifier: Apache-2.0
// Programs that end badly under `afterlife run`, or that it cannot reach: one clear line each, and
// the exit code that is documented.
#include <fmt/format.h>
#include <sys/stat.h>

#include "harness/client/outside/loaded_libraries.h"
#include "harness/client/tests/interpreters.h"
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::expect_one_line;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_toys;
using testing::script;
using testing::Words;
namespace fs = std::filesystem;

/// A script's beginning: what the others ask for, and a driver that was called.
constexpr const char* kBegin = R"(
import ctypes, multiprocessing, os, sys, threading, time
cuda = ctypes.CDLL("libcuda.so.1")
stream = ctypes.c_void_p()
def use():
    context, address = ctypes.c_void_p(), ctypes.c_uint64()
    cuda.cuInit(0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    cuda.cuCtxSetCurrent(context)
    cuda.cuMemAlloc_v2(ctypes.byref(address), 64)
    return address
def free_twice():
    address = use()
    cuda.cuMemFree_v2(address)
    cuda.cuMemFree_v2(address)
)";

class ClientBadEnds : public testing::RunStage {
 protected:
  /// Makes a script of these lines. Returns the command that runs it.
  Words lines(const std::string& text) const {
    write_file(folder_ / "script.py", kBegin + text);
    return {"python3", folder_ / "script.py"};
  }
  /// Makes a file that can be run.
  std::string runnable(const std::string& name, const std::string& text, mode_t mode = 0755) const {
    write_file(folder_ / name, text);
    ::chmod((folder_ / name).c_str(), mode);
    return folder_ / name;
  }
  Ended run_lines(const std::string& text, const Words& options = {"--runs", "3"}) const {
    return run(options, lines(text));
  }
  void expect_found(const Ended& ended, const std::string& kind) const {
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr(kind + " of "));
  }
};

// ---- it cannot be started, or is not reached ---------------------------------------------------

TEST_F(ClientBadEnds, AProgramWithoutCudaIsOneLine) {
  expect_one_line(run({"--runs", "3"}, {"true"}), 2,
                  "never called our CUDA driver, so nothing was judged: it loads no "
                  "libcuda.so.1");
  const json result = json::parse(run({"--runs", "3", "--json"}, {"true"}).out);
  EXPECT_THAT(result["not_ours"].get<std::string>(), HasSubstr("loads no libcuda.so.1"));
}

TEST_F(ClientBadEnds, ADriverThatIsLoadedByItsPathIsNamed) {
  const std::string other = folder_ / "libcuda.so.1";
  fs::copy_file("/lib/x86_64-linux-gnu/libm.so.6", other);
  const Words command{"python3", "-c", fmt::format("import ctypes; ctypes.CDLL('{}')", other)};
  expect_one_line(run({"--runs", "3"}, command), 2,
                  fmt::format("it loads {}, by its path or its own RPATH", other));
}

TEST_F(ClientBadEnds, ADriverThatIsLoadedAndNotCalledIsToldAsSuch) {
  const Words command{"python3", "-c", "import ctypes; ctypes.CDLL('libcuda.so.1')"};
  expect_one_line(run({"--runs", "3"}, command), 2, "it loads our driver and never calls it");
}

TEST_F(ClientBadEnds, AProgramWithoutOurEnvironmentIsToldAsSuch) {
  const Words command{"env", "-i", "python3", script("sound.py")};
  expect_one_line(run({"--runs", "3"}, command), 2, "such as after env -i or sudo");
  EXPECT_THAT(client::why_not_ours("", false, "/lib"), HasSubstr("linked statically"));
}

TEST_F(ClientBadEnds, ASetuidProgramIsToldAsSuch) {
  const std::string program = folder_ / "raised";
  fs::copy_file("/bin/true", program);
  ::chmod(program.c_str(), 04755);
  expect_one_line(run({"--runs", "3"}, {program}), 2, "it is setuid or setgid");
}

TEST_F(ClientBadEnds, WhatCannotBeStartedSaysWhy) {
  const auto refused = [&](const std::string& program, const std::string& why) {
    expect_one_line(run({"--runs", "3"}, {program}), 2, why);
  };
  refused("/no/such/program", "No such file");
  refused("no_such_program", "cannot run 'no_such_program': No such file");
  refused(runnable("plain.sh", "#!/bin/sh\n", 0644), "Permission denied");
  refused(folder_.path(), "Is a directory");
  refused(runnable("lost.sh", "#!/no/such/shell -x\n"),
          "its first line names an interpreter that is not there: /no/such/shell -x");
}

TEST_F(ClientBadEnds, AScriptOfAShellIsAProgramAsAnyOther) {
  const std::string call = "exec python3 " + (fs::current_path() / script("sound.py")).string();
  for (const std::string& begin : {"#!/bin/sh\n", "#!/usr/bin/env sh\n", ""}) {
    const json result = found({"--runs", "3"}, {runnable("run.sh", begin + call + "\n")}, 0);
    EXPECT_EQ(result["runs"], 3);
    EXPECT_GT(result["calls"], 5);
  }
}

TEST_F(ClientBadEnds, APythonThatIsTooOldIsToldAsSuch) {
  const auto old = testing::old_interpreters();
  if (old.empty()) GTEST_SKIP() << "no old Python here";
  for (const std::string& python : old) {
    Words command = lines("use()\n");
    command[0] = python;
    const json result = found({"--runs", "2"}, command, 0);
    EXPECT_THAT(result["note"].get<std::string>(), ::testing::ContainsRegex("^Python [23].[0-9] "))
        << python;
    command = lines("free_twice()\n");
    command[0] = python;
    expect_found(run({"--runs", "2"}, command), "double_free");
  }
}

TEST_F(ClientBadEnds, AFreeThreadedPythonIsRefusedInOneLine) {
  const std::string why =
      "cannot be judged: Python 3.14 is free-threaded, which is not supported yet";
  // Its version's text is what it is recognised by.
  const std::string program = folder_ / "python3.14t", source = program + ".cpp";
  write_file(source,
             "#include <dlfcn.h>\n"
             "extern \"C\" int Py_IsInitialized() { return 1; }\n"
             "extern \"C\" const char* Py_GetVersion() {\n"
             "  return \"3.14.0 free-threading build (main)\";\n"
             "}\n"
             "int main() {\n"
             "  void* cuda = dlopen(\"libcuda.so.1\", RTLD_NOW);\n"
             "  reinterpret_cast<int (*)(unsigned)>(dlsym(cuda, \"cuInit\"))(0);\n"
             "}\n");
  ASSERT_EQ(std::system(fmt::format("clang++-19 -rdynamic '{}' -o '{}'", source, program).c_str()),
            0);
  expect_one_line(run({"--runs", "3"}, {program}), 2, why);
  expect_one_line(run({"--runs", "3", "--may-not-call"}, {program}), 2, why);
  const json result = found({"--runs", "3"}, {program}, 2);
  EXPECT_THAT(result["findings"], ::testing::IsEmpty());
  const std::string junit = folder_ / "found.xml";
  EXPECT_EQ(run({"--runs", "3", "--junit", junit}, {program}).code, 2);
  EXPECT_THAT(read_file(junit), HasSubstr(why));
}

TEST_F(ClientBadEnds, EveryFreeThreadedPythonThatIsHereIsRefused) {
  const auto all = testing::pyenv_interpreters(testing::Interpreters::free_threaded);
  if (all.empty()) GTEST_SKIP() << "no free-threaded Python here";
  for (const std::string& python : all) {
    Words command = lines("free_twice()\n");
    command[0] = python;
    expect_one_line(run({"--runs", "3"}, command), 2, " is free-threaded, which is not supported");
  }
}

TEST_F(ClientBadEnds, NoCommandIsAMistakeOfTheCaller) {
  expect_one_line(run_toys({"run", "--runs", "3"}), 3, "a command is missing");
  expect_one_line(run_toys({"run", "--runs", "0", "--", "true"}), 3, "not a whole number");
}

TEST_F(ClientBadEnds, AKernelThatIsNoPtxIsOneLineOfTheDrivers) {
  const Ended ended = run_lines(
      "use()\nmodule = ctypes.c_void_p()\n"
      "status = cuda.cuModuleLoadData(ctypes.byref(module), b'\\x7fELF\\x02\\x01\\x01' + "
      "bytes(200))\n"
      "print('status', status)\n");
  expect_one_line(ended, 0, "needs PTX");
  EXPECT_THAT(ended.out, HasSubstr("status 209\n"));
}

TEST_F(ClientBadEnds, WhatOnlyTheCudaRuntimeAsksForIsNotJudgedAndOneLine) {
  const std::string ask = "cuda.cuInit(0)\nassert cuda.cuGetExportTable(None, None) == 801\n";
  const Ended ended = run_lines(ask);
  EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("so nothing was judged: the program, or a library of it, uses NVIDIA's "
                        "CUDA runtime"));
  const json result = found({"--runs", "3"}, lines(ask), 2);
  EXPECT_THAT(result["note"].get<std::string>(),
              HasSubstr("by the environment NVCC_APPEND_FLAGS=\"-cudart shared "));
  EXPECT_THAT(run_lines(ask + "raise SystemExit(7)\n").err, HasSubstr("it ended with exit code 7"));
}

TEST_F(ClientBadEnds, WhoeverAsksForThatAndUsesTheDriverIsJudgedAndTold) {
  const std::string ask = "cuda.cuGetExportTable(None, None)\n";
  const Ended ended = run_lines("use()\n" + ask);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("by the environment NVCC_APPEND_FLAGS=\"-cudart shared "));
  expect_found(run_lines(ask + "free_twice()\n"), "double_free");
  EXPECT_EQ(found({"--runs", "3"}, lines("use()\n"), 0)["note"], "");
}

// ---- it fails by itself ------------------------------------------------------------------------

TEST_F(ClientBadEnds, AFailureOfTheProgramsOwnIsTold) {
  const Ended ended = run_lines("use()\nraise SystemExit(7)\n");
  expect_one_line(ended, 2, "fails by itself");
  EXPECT_THAT(ended.out, HasSubstr("in 3 of 3 runs: it ended with exit code 7"));
  const std::string log = "sys.stderr.write('first\\nno compiler\\n\\n \\0\\n')\n";
  expect_one_line(run_lines("use()\n" + log + "raise SystemExit(7)\n"), 2,
                  "it ended with exit code 7: no compiler");
}

TEST_F(ClientBadEnds, AProgramThatHangsIsEndedOnceAndItsLastCallIsTold) {
  const Words limit{"--runs", "5", "--timeout", "1"};
  for (const char* forever : {"while True: pass\n", "ctypes.CDLL(None).pause()\n"}) {
    const Ended ended = run_lines(std::string("use()\n") + forever, limit);
    expect_one_line(ended, 2, "did not end within 1 s (--timeout)");
    EXPECT_THAT(ended.out, HasSubstr("in 1 of 1 runs"));
    EXPECT_THAT(ended.out, HasSubstr("\n  its last CUDA call, of 4, was cuMemAlloc\n"));
  }
}

TEST_F(ClientBadEnds, SoIsOneThatHangsInACallOfTheDriver) {
  const Ended ended = run_lines(
      "use()\ncuda.cuStreamCreate(ctypes.byref(stream), 1)\n"
      "cuda.cuLaunchHostFunc(stream, ctypes.CDLL(None).pause, None)\n"
      "cuda.cuStreamSynchronize(stream)\n",
      {"--runs", "5", "--timeout", "1"});
  expect_one_line(ended, 2, "did not end within 1 s (--timeout)");
  EXPECT_THAT(ended.out, HasSubstr("\n  its last CUDA call, of 7, was cuStreamSynchronize\n"));
}

TEST_F(ClientBadEnds, AProgramThatIsKilledIsTold) {
  const Ended ended = run_lines("use()\nos.kill(os.getpid(), 9)\n");
  expect_one_line(ended, 2, "was ended by signal 9");
  EXPECT_THAT(ended.out, HasSubstr("\n  its last CUDA call, of 4, was cuMemAlloc\n"));
}

TEST_F(ClientBadEnds, AProgramThatEndsBeforeWhatItStartedIsJudgedByItsOwnEnd) {
  const auto left = [](const std::string& end) {
    return "use()\nif os.fork() == 0: time.sleep(600), os._exit(0)\n" + end;
  };
  const Words limit{"--runs", "2", "--timeout", "1"};
  const Ended ended = run_lines(left(""), limit);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("a process that the program started still held its output after 1 s"));
  EXPECT_THAT(ended.out, HasSubstr("2 runs, 0 findings"));
  expect_one_line(run_lines(left("os._exit(7)\n"), limit), 2, "it ended with exit code 7");
  expect_found(run_lines(left("free_twice()\n"), limit), "double_free");
  // A run that is forked at a question before.
  const Ended forked = run_lines("x = 1\n" + left(""), {"--runs", "3", "--timeout", "1"});
  EXPECT_EQ(forked.code, 0) << forked.out << forked.err;
  EXPECT_THAT(forked.out, HasSubstr("3 runs, 0 findings"));
  EXPECT_THAT(forked.out, Not(HasSubstr("own failure")));
  EXPECT_THAT(forked.out, Not(HasSubstr("a process for each run")));
}

TEST_F(ClientBadEnds, AThreadThatExitsTheProcessEndsItAndOneThatExitsItselfDoesNot) {
  const std::string act = "thread = threading.Thread(target=act)\nthread.start()\nthread.join()\n";
  const Ended ended = run_lines("use()\ndef act(): os._exit(4)\n" + act);
  expect_one_line(ended, 2, "it ended with exit code 4");
  EXPECT_THAT(ended.out, HasSubstr("in 3 of 3 runs"));
  EXPECT_EQ(run_lines("use()\ndef act(): sys.exit(5)\n" + act).code, 0);
  expect_found(run_lines("def act(): free_twice(), os._exit(0)\n" + act), "double_free");
}

// ---- what it found nevertheless ----------------------------------------------------------------

TEST_F(ClientBadEnds, AProgramThatClosesItsOutputIsJudgedAllTheSame) {
  for (const char* closed : {"2", "1, 2", "0, 1, 2"})
    expect_found(
        run_lines(fmt::format("use()\nfor file in [{}]: os.close(file)\nfree_twice()\n", closed)),
        "double_free");
}

TEST_F(ClientBadEnds, ProcessesThatItStartsAreJudgedToo) {
  for (const char* how : {"fork", "spawn"})
    expect_found(run_lines(fmt::format("if __name__ == '__main__':\n"
                                       "    child = multiprocessing.get_context('{}').Process("
                                       "target=free_twice)\n"
                                       "    child.start()\n    child.join()\n    use()\n",
                                       how)),
                 "double_free");
  expect_found(run_lines("if os.fork() == 0: free_twice(), os._exit(0)\nos.wait()\nuse()\n"),
               "double_free");
}

// ---- our own output ----------------------------------------------------------------------------

TEST_F(ClientBadEnds, AFolderThatCannotBeWrittenIsOneLineBeforeAnythingRuns) {
  const Ended ended =
      run_toys({"run", "--out", "/proc/nowhere", "--", "python3", script("sound.py")});
  expect_one_line(ended, 2, "choose another folder with --out");
  EXPECT_EQ(ended.out, "");
}

TEST_F(ClientBadEnds, AFindingThatCannotBeKeptIsToldAllTheSame) {
  const Ended ended =
      run_lines(fmt::format("free_twice()\nopen('{}', 'w').close()\n", folder_ / "found"));
  expect_one_line(ended, 2, folder_ / "found");
  EXPECT_THAT(ended.out, HasSubstr("double_free of device memory"));
  EXPECT_THAT(ended.out, Not(HasSubstr("afterlife replay")));
  EXPECT_THAT(ended.out, HasSubstr("3 runs, 1 finding"));
}

TEST_F(ClientBadEnds, APipeThatNobodyReadsIsASilentEnd) {
  Child child("afterlife_toys", words({"--runs", "3"}, lines("free_twice()\n")), [] {
    int ends[2];
    if (::pipe(ends) != 0) return;
    ::close(ends[0]);
    ::dup2(ends[1], 1);
  });
  const Ended ended = child.wait();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, Not(HasSubstr("afterlife: ")));
}

TEST_F(ClientBadEnds, WhateverTheMomentInWhichItIsStoppedWhatWasFoundIsKept) {
  const Words command = lines("free_twice()\ntime.sleep(0.05)\n");
  for (const int milliseconds : {50, 150, 300, 450, 600, 900}) {
    Child child("afterlife_toys", words({"--seconds", "60"}, command));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    child.signal_when_taken(SIGINT);
    const Ended ended = child.wait(std::chrono::seconds(30));
    const bool is_told = ended.out.find("double_free of") != ended.out.npos;
    EXPECT_EQ(ended.code, is_told ? 1 : 4) << milliseconds << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("; stopped"));
    if (is_told) EXPECT_FALSE(fs::is_empty(folder_ / "found"));
    fs::remove_all(folder_ / "found");
  }
}

}  // namespace
}  // namespace harness
