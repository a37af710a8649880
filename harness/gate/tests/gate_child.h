// SPDX-License-Identifier: Apache-2.0
// `afterlife gate` run as a child, and the commands that it compares.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/cli/tests/toys_child.h"

namespace harness::testing {

using Words = std::vector<std::string>;

/// A shell script as a command.
inline Words shell(const std::string& script) { return {"sh", "-c", script}; }

/// Google Benchmark's JSON with these rows.
inline std::string benchmarks_json(const std::string& rows) {
  return "{\"context\": {}, \"benchmarks\": [" + rows + "]}";
}

inline std::string row(const std::string& name, double time) {
  return "{\"name\": \"" + name + "\", \"run_name\": \"" + name +
         "\", \"run_type\": \"iteration\", \"real_time\": " + std::to_string(time) +
         ", \"time_unit\": \"ns\"}";
}

inline Words printing(const std::string& text) { return shell("cat <<'EOF'\n" + text + "\nEOF"); }

inline Words gate_arguments(Words options, const Words& base, const Words& head) {
  options.insert(options.begin(), "gate");
  options.emplace_back("--");
  options.insert(options.end(), base.begin(), base.end());
  options.emplace_back("--");
  options.insert(options.end(), head.begin(), head.end());
  return options;
}

inline Ended run_gate(const Words& options, const Words& base, const Words& head) {
  return run_toys(gate_arguments(options, base, head));
}

inline void expect_only_line(const Ended& ended, int code, const std::string& why) {
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, ::testing::StartsWith("afterlife: "));
  EXPECT_THAT(ended.err, ::testing::HasSubstr(why));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

}  // namespace harness::testing
