// SPDX-License-Identifier: Apache-2.0
// Tests of other projects under `afterlife run`: pytest's, by our plugin, and ctest's, by a
// function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "harness/base/process/process.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"

namespace harness {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::atomic<bool> kGoOn{false};

ProcessEnd ended(const Command& command) {
  const std::string plugin = fs::current_path() / "scripts/pytest";
  return run_process(command, {120, {"PYTHONPATH=" + plugin}, std::size_t{1} << 16}, kGoOn);
}

class ClientLaunchers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
  }

  std::string clients() const { return fs::current_path() / "harness/client/tests/clients"; }

  const std::string program_ = fs::read_symlink("/proc/self/exe").parent_path() / "afterlife_toys";
  Folder folder_;
};

/// Runs tests of the folder by pytest.
class ClientPytest : public ClientLaunchers {
 protected:
  void SetUp() override {
    ClientLaunchers::SetUp();
    for (const char* name : {"python3", "/usr/bin/python3"})
      if (python_.empty() &&
          std::system(fmt::format("{} -m pytest --version > /dev/null 2>&1", name).c_str()) == 0)
        python_ = name;
    if (python_.empty()) GTEST_SKIP() << "no pytest here: scripts/setup.sh installs it";
  }

  ProcessEnd pytest(const Command& arguments) const {
    Command command{python_,
                    "-m",
                    "pytest",
                    "-p",
                    "no:cacheprovider",
                    "-p",
                    "pytest_afterlife",
                    "--afterlife",
                    "--afterlife-out",
                    folder_ / "found",
                    "--afterlife-program=" + program_};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return ended(command);
  }

  std::string python_;
};

TEST_F(ClientPytest, FailsWhereATestUsesWhatTheCollectorEnded) {
  write_file(folder_ / "test_buffers.py",
             fmt::format("import runpy\n"
                         "def test_kept(): runpy.run_path('{0}/sound.py')\n"
                         "def test_dropped(): runpy.run_path('{0}/collected.py')\n"
                         "def test_own(): assert 1 + 1 == 3\n"
                         "def test_without_cuda(): pass\n",
                         clients()));
  const ProcessEnd end = pytest({"-q", folder_ / "test_buffers.py"});
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("2 failed, 2 passed"));
  EXPECT_THAT(end.out, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(end.out, HasSubstr("collected.py:32 in __del__, by cuMemFree"));
  EXPECT_THAT(end.out, HasSubstr("the collector runs"));
  EXPECT_THAT(end.out, HasSubstr("assert (1 + 1) == 3"));
}

TEST_F(ClientPytest, AFindingHasTheNameOfItsTestAndTellsLinesFixAndReplay) {
  write_file(folder_ / "test_two.py",
             fmt::format("import pytest, runpy\n"
                         "@pytest.mark.parametrize('way', ['a/b', 'a b'])\n"
                         "def test_dropped(way): runpy.run_path('{0}/collected.py')\n"
                         "def test_alone(): runpy.run_path('{0}/collected.py')\n",
                         clients()));
  const ProcessEnd end = pytest({"-q", folder_ / "test_two.py"});
  EXPECT_THAT(end.out, HasSubstr("3 failed")) << end.err;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "found"))
    names.insert(entry.path().filename().string());
  ASSERT_EQ(names.size(), 3u) << "one for each test, although the bug is one";
  EXPECT_THAT(*names.begin(), HasSubstr("test_two.py-test_alone-use_after_free-"));
  EXPECT_THAT(*names.rbegin(), HasSubstr("test_two.py-test_dropped-a"));
  EXPECT_THAT(end.out, HasSubstr("cuda.cuMemFree_v2(self.address)"));
  EXPECT_THAT(end.out, HasSubstr("  fix       keep"));
  EXPECT_THAT(end.out, HasSubstr(program_ + " replay "));
}

TEST_F(ClientPytest, HasTheOptionsOfASearch) {
  write_file(folder_ / "test_known.py",
             fmt::format("import runpy\n"
                         "def test_dropped(): runpy.run_path('{0}/collected.py')\n",
                         clients()));
  write_file(folder_ / "known.txt", "* */collected.py we know of it\n");
  const std::string test = folder_ / "test_known.py";
  EXPECT_EQ(pytest({test}).code, 1);
  const ProcessEnd known =
      pytest({"--afterlife-suppressions", folder_ / "known.txt", "--afterlife-seed", "3",
              "--afterlife-jobs", "2", "--afterlife-timeout", "50", "--afterlife-failures", test});
  EXPECT_EQ(known.code, 0) << known.out << known.err;
  const ProcessEnd few = pytest({"--afterlife-runs", "1", test});
  EXPECT_EQ(few.code, 0) << "the plain run shows nothing: " << few.out;
}

TEST_F(ClientPytest, AMarkHasTheOptionsOfATestAndTheFixtureRunsACommand) {
  write_file(
      folder_ / "test_marked.py",
      fmt::format("import os, pytest, runpy, sys\n"
                  "@pytest.mark.afterlife(runs=1)\n"
                  "def test_few(): runpy.run_path('{0}/collected.py')\n"
                  "@pytest.mark.afterlife(off=True)\n"
                  "def test_off(): assert 'AFTERLIFE_RUN' not in os.environ\n"
                  "def test_on(): assert 'AFTERLIFE_RUN' in os.environ\n"
                  "def test_sound(afterlife):\n"
                  "  assert afterlife([sys.executable, '{0}/sound.py'], runs=3)['runs'] == 3\n"
                  "def test_broken(afterlife):\n"
                  "  afterlife([sys.executable, '{0}/captured.py'], runs=3)\n"
                  "@pytest.mark.afterlife(run=1)\n"
                  "def test_mistaken(): pass\n",
                  clients()));
  const ProcessEnd end = pytest({"-q", "--deselect", "test_marked.py::test_mistaken", "--rootdir",
                                 folder_.path(), folder_ / "test_marked.py"});
  EXPECT_THAT(end.out, HasSubstr("1 failed, 4 passed")) << end.err;
  EXPECT_THAT(end.out, HasSubstr("use_after_free of device memory"));
  const ProcessEnd mistaken = pytest({folder_ / "test_marked.py", "-k", "mistaken"});
  EXPECT_NE(mistaken.code, 0);
  EXPECT_THAT(mistaken.out + mistaken.err, HasSubstr("afterlife has no option run"));
}

TEST_F(ClientPytest, ATestWithoutCudaTakesHalfASecondMoreAtMost) {
  write_file(folder_ / "test_plain.py",
             "import pytest\n"
             "@pytest.mark.parametrize('i', range(6))\n"
             "def test_plain(i): pass\n");
  double least = 1e9;  // On a busy machine the best of three says what it takes.
  for (int i = 0; i < 3; ++i) {
    const ProcessEnd end = pytest({"-q", folder_ / "test_plain.py"});
    ASSERT_EQ(end.code, 0) << end.out << end.err;
    least = std::min(least, end.seconds / 6);
  }
  RecordProperty("seconds", fmt::format("{:.2f}", least));
  EXPECT_LT(least, 2.0) << "0.5 s on a quiet machine";
}

TEST_F(ClientPytest, TellsTheOutcomesOfThePlainRun) {
  write_file(folder_ / "test_outcomes.py",
             "import pytest\n"
             "@pytest.fixture\n"
             "def broken(): assert 'the fixture' == ''\n"
             "def test_passes(): pass\n"
             "@pytest.mark.skip(reason='not on this machine')\n"
             "def test_skipped(): assert 0\n"
             "def test_skips(): pytest.skip('nothing to do')\n"
             "@pytest.mark.xfail(reason='known')\n"
             "def test_fails_as_expected(): print('what it wrote'); assert 0\n"
             "@pytest.mark.xfail\n"
             "def test_passes_although(): pass\n"
             "@pytest.mark.xfail(strict=True)\n"
             "def test_must_fail(): pass\n"
             "def test_of_broken(broken): pass\n");
  const ProcessEnd end = pytest({"-rsxX", "--afterlife-runs", "2", folder_.path()});
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.out,
              HasSubstr("1 failed, 1 passed, 2 skipped, 1 xfailed, 1 xpassed, 1 error in"));
  EXPECT_THAT(end.out, HasSubstr("test_outcomes.py:5: not on this machine"));
  EXPECT_THAT(end.out, HasSubstr("test_outcomes.py:7: nothing to do"));
  EXPECT_THAT(end.out, HasSubstr("test_outcomes.py::test_fails_as_expected - known"));
  EXPECT_THAT(end.out, HasSubstr("[XPASS(strict)]"));
  EXPECT_THAT(end.out, HasSubstr("assert 'the fixture' == ''"));
}

TEST_F(ClientPytest, GivesATestTheOptionsOfItsProject) {
  write_file(folder_ / "conftest.py",
             "import pytest\n"
             "def pytest_addoption(parser):\n"
             "  parser.addoption('--gpu', action='store_true')\n"
             "  parser.addoption('--file')\n"
             "  parser.addoption('--suite')\n"
             "@pytest.fixture\n"
             "def program(request):\n"
             "  if not request.config.getoption('--gpu'): pytest.skip('without --gpu')\n"
             "  return request.config.getoption('--file')\n");
  write_file(folder_ / "test_gpu.py",
             "import runpy\n"
             "def test_gpu(program): runpy.run_path(program)\n"
             "def test_other(program): pass\n");
  const std::string file = clients() + "/captured.py";
  const std::string test = folder_ / "test_gpu.py";
  const ProcessEnd without = pytest({"-rs", test});
  EXPECT_EQ(without.code, 0) << without.out << without.err;
  EXPECT_THAT(without.out, HasSubstr("2 skipped in"));
  const ProcessEnd with = pytest({"--suite", test, "--gpu", test, "--file", file});
  EXPECT_EQ(with.code, 1) << with.out << with.err;
  EXPECT_THAT(with.out, HasSubstr("1 failed, 1 passed in"));
  EXPECT_THAT(with.out, HasSubstr("use_after_free of device memory"));
}

TEST_F(ClientPytest, FailsATestThatDidNotRun) {
  fs::create_directories(folder_ / "options");
  fs::create_directories(folder_ / "tests");
  write_file(folder_ / "options/conftest.py",
             "def pytest_addoption(parser): parser.addoption('--gpu', action='store_true')\n");
  write_file(folder_ / "tests/test_none.py", "def test_none(): pass\n");
  const ProcessEnd end = pytest({"--gpu", folder_ / "options", folder_ / "tests"});
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("1 failed in"));
  EXPECT_THAT(end.out, HasSubstr("the test did not run"));
  EXPECT_THAT(end.out, HasSubstr("unrecognized arguments: --gpu"));
}

TEST_F(ClientLaunchers, CtestFailsWhereAProgramDoes) {
  if (std::system("ctest --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no ctest here";
  write_file(
      folder_ / "CMakeLists.txt",
      fmt::format(
          "cmake_minimum_required(VERSION 3.20)\nproject(launched NONE)\n"
          "enable_testing()\ninclude({0}/scripts/cmake/afterlife_test.cmake)\n"
          "afterlife_add_test(NAME kept PROGRAM {1} RUNS 3 COMMAND python3 {2}/sound.py)\n"
          "afterlife_add_test(NAME freed PROGRAM {1} RUNS 2 COMMAND python3 {2}/captured.py)\n",
          fs::current_path().string(), program_, clients()));
  const std::string build = folder_ / "build";
  ASSERT_EQ(ended({"cmake", "-S", folder_.path(), "-B", build}).code, 0);
  const ProcessEnd end = ended({"ctest", "--test-dir", build, "--output-on-failure"});
  EXPECT_NE(end.code, 0);
  EXPECT_THAT(end.out, HasSubstr("50% tests passed, 1 tests failed out of 2"));
  EXPECT_THAT(end.out, HasSubstr("use_after_free of device memory"));
  EXPECT_FALSE(fs::exists(fs::path(build) / "afterlife-found/kept"));
  EXPECT_FALSE(fs::is_empty(fs::path(build) / "afterlife-found/freed"));
}

}  // namespace
}  // namespace harness
