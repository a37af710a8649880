// SPDX-License-Identifier: Apache-2.0
// An installed tree of this build, moved to a folder of its own, with the build out of sight.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "harness/base/process/process.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"

namespace harness::testing {

inline std::filesystem::path build_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// Runs a command that may take some minutes.
inline ProcessEnd ended(const Command& command) {
  static const std::atomic<bool> kGoOn{false};
  return run_process(command, {300, {}, std::size_t{1} << 16}, kGoOn);
}

/// An installed tree, made and moved once for all tests of a suite.
class InstalledStage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (kAsan || kTsan) return;
    folder_ = new Folder();
    const ProcessEnd end = ended({"cmake", "--install", build_folder(), "--prefix", in("first")});
    ASSERT_EQ(end.code, 0) << end.out << end.err;
    std::filesystem::rename(in("first"), tree());
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
  }

  static std::string in(const std::string& name) { return *folder_ / name; }
  static std::string tree() { return in("tree"); }

  /// Runs a line of the shell with nothing in the folder of the build.
  static ProcessEnd without_build(const std::string& line) {
    return ended({"unshare", "-rm", "sh", "-c",
                  fmt::format("mount -t tmpfs none '{}' && export PATH='{}/bin':$PATH "
                              "XDG_STATE_HOME='{}' && cd '{}' && {}",
                              build_folder().string(), tree(), in("state"), in(""), line)});
  }

  static bool can_hide() { return ended({"unshare", "-rm", "true"}).code == 0; }

  /// Makes the wheel of the tree. Returns its name, or nothing if that failed.
  static std::string wheel() {
    const ProcessEnd made =
        ended({"/usr/bin/python3", "scripts/package/wheel.py", tree(), "1.2.3", in("")});
    EXPECT_EQ(made.code, 0) << made.out << made.err;
    return made.out.substr(0, made.out.find('\n'));
  }

 private:
  static inline Folder* folder_ = nullptr;
};

/// The suite of what is done with nothing but the tree and the wheel of it.
class Installed : public InstalledStage {};

}  // namespace harness::testing
