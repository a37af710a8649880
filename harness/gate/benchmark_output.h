// SPDX-License-Identifier: Apache-2.0
// Benchmark output: the text that a benchmark program printed, as a reading.
//
// Understood are the JSON of Google Benchmark (`--benchmark_format=json`), that of NVBench (`--json
// stdout`), one number, which is called "value", and lines of numbers, each with its name before it
// or after it, or with none. Of repetitions the least counts; times are real times in nanoseconds;
// what Google Benchmark adds up itself (means, medians) is left out. NVBench gives no single times:
// its least GPU time counts, else its mean, else those of the CPU; its skipped states are left out.
// Errors: std::runtime_error, in words that follow "the base ".
#pragma once

#include <string_view>

#include "harness/gate/samples.h"

namespace harness::gate {

/// The name of what a program measured that printed one number: its unit is not known.
inline constexpr std::string_view kNumberName = "value";

/// Reads what a program printed.
Reading read_output(std::string_view text);

}  // namespace harness::gate
