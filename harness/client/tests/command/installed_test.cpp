// SPDX-License-Identifier: Apache-2.0
// The tree of `cmake --install` and the wheel of it, used from a folder of their own while the
// build is out of sight.
#include "harness/client/tests/command/installed_stage.h"

namespace harness {
namespace {

using testing::ended;
using ::testing::HasSubstr;
using testing::Installed;
namespace fs = std::filesystem;

TEST_F(Installed, TheSelfTestPasses) {
  if (!can_hide()) GTEST_SKIP() << "this system lets no one have mounts of his own";
  const ProcessEnd end = without_build("afterlife selftest");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("everything works"));
  EXPECT_THAT(end.out, HasSubstr(tree() + "/lib/afterlife"));
  EXPECT_LT(end.seconds, 120);
}

TEST_F(Installed, TheSelfTestFailsWhereABugIsNotFound) {
  const std::string copy = in("broken");
  fs::copy(tree(), copy, fs::copy_options::recursive);
  const std::string program = copy + "/lib/afterlife/selftest/selftest_program";
  write_file(program, "#!/bin/sh\nexec " + tree() + "/lib/afterlife/selftest/selftest_program\n");
  fs::permissions(program, fs::perms::owner_all);
  const ProcessEnd end = ended({copy + "/bin/afterlife", "selftest"});
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("a bug planted in the program is found        FAILED"));
  EXPECT_THAT(end.out, HasSubstr("something does not work"));
}

TEST_F(Installed, OneThatLacksALibrarySaysWhichAndWhatToDo) {
  const std::string copy = in("lacking");
  fs::copy(tree(), copy, fs::copy_options::recursive);
  fs::remove(copy + "/lib/afterlife/libnvrtc.so.13");
  const ProcessEnd end = ended({copy + "/bin/afterlife", "selftest"});
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, HasSubstr("lib/afterlife/libnvrtc.so.13 is missing"));
}

TEST_F(Installed, FindsABugInAScriptAndReplaysIt) {
  if (!can_hide()) GTEST_SKIP() << "this system lets no one have mounts of his own";
  fs::copy_file(fs::current_path() / "harness/client/tests/clients/collected.py", in("mine.py"),
                fs::copy_options::overwrite_existing);
  const ProcessEnd end =
      without_build("afterlife run --runs 30 --out 'my found' -- python3 mine.py");
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(end.out, HasSubstr("mine.py:32 in __del__"));
  EXPECT_THAT(end.out, HasSubstr("afterlife replay 'my found/mine-use_after_free-"));
  const ProcessEnd replayed = without_build("afterlife replay 'my found'/mine-*.run.json");
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("as recorded"));
}

TEST_F(Installed, AWheelOfItWorksInAnEmptyEnvironment) {
  if (!can_hide()) GTEST_SKIP() << "this system lets no one have mounts of his own";
  const std::string python = "/usr/bin/python3", environment = in("environment");
  if (ended({python, "-m", "venv", environment}).code != 0) GTEST_SKIP() << "no python3-venv here";
  const std::string made = wheel();
  EXPECT_THAT(made, HasSubstr("afterlife_gpu-1.2.3-py3-none-manylinux_2_"));
  const ProcessEnd installed =
      ended({environment + "/bin/pip", "install", "-q", "--no-index", "--no-deps", made});
  ASSERT_EQ(installed.code, 0) << installed.out << installed.err;
  const ProcessEnd end = without_build("environment/bin/afterlife selftest");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr(environment + "/lib/afterlife"));
  const ProcessEnd plugins =
      ended({environment + "/bin/python", "-c",
             "from importlib.metadata import entry_points\n"
             "print([one.value for one in entry_points(group='pytest11')])"});
  EXPECT_THAT(plugins.out, HasSubstr("['pytest_afterlife']")) << plugins.err;
}

}  // namespace
}  // namespace harness
