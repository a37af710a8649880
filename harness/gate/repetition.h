// SPDX-License-Identifier: Apache-2.0
// Repetition: the length of one repetition of a benchmark. Shorter repetitions are less often
// interrupted, and the smallest time of several counts. harness/docs/explanation/gate.md has
// measurements.
#pragma once

#include <optional>
#include <string_view>

#include "harness/base/process/process.h"

namespace harness::gate {

/// The length that the gate selects, in seconds: less than a time slice of the scheduler.
inline constexpr double kRepetitionSeconds = 0.001;

/// A placeholder for the length in a command, as the value of --benchmark_min_time.
inline constexpr std::string_view kMinTimePlace = "{min_time}";

/// Returns whether the gate determines the length of the command's repetitions.
bool has_min_time_place(const Command& command);

/// Returns the length of a repetition that a command specifies for Google Benchmark, in seconds.
/// Returns nothing if it specifies none, or leaves it to the gate.
std::optional<double> own_repetition_seconds(const Command& command);

}  // namespace harness::gate
