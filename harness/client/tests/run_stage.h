// SPDX-License-Identifier: Apache-2.0
// `afterlife run` of a test's own: with its findings in a folder that goes with the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/cli/tests/toys_child.h"

namespace harness::testing {

using Words = std::vector<std::string>;

/// Returns the name of a script that the tests bring.
inline std::string script(const std::string& name) {
  return "harness/client/tests/clients/" + name;
}

/// Returns the folder of this program, where the clients that are not scripts are.
inline std::filesystem::path program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// Returns the number of the only line that has this text.
inline int line_of(const std::string& file, const std::string& text) {
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

/// Returns the line of a finding's place: of the innermost frame, or of a caller.
inline int line_at(const nlohmann::json& finding, const char* place, std::size_t frame = 0) {
  return finding.at("places").at(place).at(frame).at("line");
}

/// Expects the code, and `why` in the one line on stderr that is ours.
inline void expect_one_line(const Ended& ended, int code, const std::string& why) {
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  EXPECT_THAT(ended.err, ::testing::HasSubstr(why));
  std::istringstream lines(ended.err);
  int ours = 0;
  for (std::string line; std::getline(lines, line);) ours += line.starts_with("afterlife: ");
  EXPECT_EQ(ours, 1) << ended.err;
}

class RunStage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  }

  /// Returns the command with the options that keep its findings here.
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
  /// Returns the same as the object that it prints.
  nlohmann::json found(const Words& options, const Words& command, int code) const {
    Words with = options;
    with.emplace_back("--json");
    const Ended ended = run(with, command);
    EXPECT_EQ(ended.code, code) << ended.out << ended.err;
    return nlohmann::json::parse(ended.out);
  }

  Folder folder_;
};

}  // namespace harness::testing
