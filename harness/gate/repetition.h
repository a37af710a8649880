// SPDX-License-Identifier: Apache-2.0
// Repetition: how long one repetition of a benchmark takes. The shorter it is, the more of them are
// never interrupted, and the smallest time of a few counts. harness/docs/explanation/gate.md has
// measurements.
#pragma once

#include <optional>
#include <string_view>

#include "harness/process/process.h"

namespace harness::gate {

/// The length that the gate chooses, in seconds: less than a time slice of the scheduler.
inline constexpr double kRepetitionSeconds = 0.001;

/// Stands for the length in a command, as the value of --benchmark_min_time.
inline constexpr std::string_view kMinTimePlace = "{min_time}";

/// Returns whether the gate says how long a repetition of the command is.
bool has_min_time_place(const Command& command);

/// Returns the repetition time that a command asks Google Benchmark for, in seconds. Returns
/// nothing if the command does not say, or leaves it to the gate.
std::optional<double> own_repetition_seconds(const Command& command);

}  // namespace harness::gate
