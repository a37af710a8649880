// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/repetition.h"

#include <algorithm>
#include <charconv>

namespace harness::gate {
namespace {

constexpr std::string_view kOfBenchmark = "--benchmark_";
constexpr std::string_view kMinTime = "--benchmark_min_time=";
constexpr double kDefaultSeconds = 0.5;  ///< The default of Google Benchmark.

/// Returns the seconds in "0.5" and "0.5s"; nothing for a number of iterations, "5x".
std::optional<double> seconds_in(std::string_view value) {
  if (value.ends_with('s')) value.remove_suffix(1);
  double seconds = 0;
  const auto [rest, failed] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (failed != std::errc{} || rest != value.data() + value.size()) return std::nullopt;
  return seconds;
}

}  // namespace

bool has_min_time_place(const Command& command) {
  return std::any_of(command.begin(), command.end(),
                     [](const std::string& word) { return word.find(kMinTimePlace) != word.npos; });
}

std::optional<double> own_repetition_seconds(const Command& command) {
  if (has_min_time_place(command)) return std::nullopt;
  std::optional<double> seconds;
  for (const std::string_view word : command) {
    if (word.starts_with(kMinTime)) return seconds_in(word.substr(kMinTime.size()));
    if (word.starts_with(kOfBenchmark)) seconds = kDefaultSeconds;
  }
  return seconds;
}

}  // namespace harness::gate
