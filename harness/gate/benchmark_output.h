// SPDX-License-Identifier: Apache-2.0
// Benchmark output: parses the output of a benchmark program.
//
// Supported formats: the JSON of Google Benchmark (`--benchmark_format=json`) and of NVBench
// (`--json stdout`), a single number, which is named "value", and lines with a number and a name
// before or after it. The least of several repetitions counts. Times are real times in nanoseconds.
// Google Benchmark's aggregates (means, medians) are ignored. NVBench prints no single times: its
// least GPU time counts, else its mean, else those of the CPU; skipped states are ignored. Errors:
// std::runtime_error, in words that follow "the base ".
#pragma once

#include <string_view>

#include "harness/gate/samples.h"

namespace harness::gate {

/// The name of a single number in the output. Its unit is unknown.
inline constexpr std::string_view kNumberName = "value";

/// Parses the output of a program.
Reading read_output(std::string_view text);

}  // namespace harness::gate
