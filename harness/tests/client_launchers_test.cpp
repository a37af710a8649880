// Tests of other projects under `afterlife run`: pytest's, by our plugin, and ctest's, by a
// function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "harness/process/process.h"
#include "harness/sanitizers.h"
#include "harness/tests/child.h"

namespace harness {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::atomic<bool> kGoOn{false};

ProcessEnd ended(const Command& command) {
  const std::string plugin = fs::current_path() / "scripts";
  return run_process(command, {120, {"PYTHONPATH=" + plugin}, std::size_t{1} << 16}, kGoOn);
}

class ClientLaunchers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
  }

  std::string clients() const { return fs::current_path() / "harness/tests/clients"; }

  const std::string program_ = fs::read_symlink("/proc/self/exe").parent_path() / "afterlife_toys";
  Folder folder_;
};

TEST_F(ClientLaunchers, PytestFailsWhereATestUsesWhatTheCollectorEnded) {
  if (std::system("python3 -m pytest --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no pytest here";
  write_file(folder_ / "test_buffers.py",
             fmt::format("import runpy\n"
                         "def test_kept(): runpy.run_path('{0}/sound.py')\n"
                         "def test_dropped(): runpy.run_path('{0}/collected.py')\n"
                         "def test_own(): assert 1 + 1 == 3\n"
                         "def test_without_cuda(): pass\n",
                         clients()));
  const Command command{"python3",
                        "-m",
                        "pytest",
                        "-q",
                        "-p",
                        "no:cacheprovider",
                        "-p",
                        "pytest_afterlife",
                        "--afterlife",
                        "--afterlife-program",
                        program_,
                        "--afterlife-out",
                        folder_ / "found",
                        folder_ / "test_buffers.py"};
  const ProcessEnd end = ended(command);
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("2 failed, 2 passed"));
  EXPECT_THAT(end.out, HasSubstr("use_after_death of device memory"));
  EXPECT_THAT(end.out, HasSubstr("collected.py:31 in __del__, by cuMemFree"));
  EXPECT_THAT(end.out, HasSubstr("the collector runs"));
  EXPECT_THAT(end.out, HasSubstr("assert (1 + 1) == 3"));
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
  EXPECT_THAT(end.out, HasSubstr("use_after_death of device memory"));
  EXPECT_FALSE(fs::is_empty(fs::path(build) / "afterlife-found"));
}

}  // namespace
}  // namespace harness
