// SPDX-License-Identifier: Apache-2.0
// Nights of `afterlife` on toy paths, and a comparison of their histories.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "harness/cli/tests/toys_child.h"

namespace harness::testing {

/// The text without the breaks of lines that were too long for a terminal.
inline std::string unwrapped(const std::string& text) {
  static const std::regex breaks("\n +");
  return std::regex_replace(text, breaks, " ");
}

/// The history as it exports, without the times: equal nights have equal ones.
inline std::string remembered(const std::string& history) {
  const Ended ended = run_toys({"nightly", "export", "--history", history});
  EXPECT_EQ(ended.code, 0) << ended.err;
  static const std::regex times(
      "\"((minimize_|tape_|all_)?seconds|ended_at|peak_bytes|instructions)\":[^,}]*|"
      "\"content\":\"[^\"]*\"");
  return std::regex_replace(ended.out, times, "");
}

}  // namespace harness::testing
