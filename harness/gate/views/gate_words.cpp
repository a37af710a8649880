// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/views/gate_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/gate/benchmark_output.h"
#include "harness/report/html.h"

namespace harness::reports {

using gate::Verdict;

std::string percent(double log_ratio) {
  if (!std::isfinite(log_ratio)) return "?";
  const std::string text = fmt::format("{:+.1f} %", 100 * std::expm1(log_ratio));
  return text == "-0.0 %" ? "+0.0 %" : text;
}

std::string ratio_of(const gate::Row& row) {
  return row.estimate ? percent(row.estimate->log_ratio) : "";
}

std::string interval_of(const gate::Row& row) {
  if (!row.estimate) return "";
  const std::string low = percent(row.estimate->low);
  return fmt::format("{} .. {}", low == "?" ? low : low.substr(0, low.size() - 2),
                     percent(row.estimate->high));
}

std::string verdict_of(const gate::Row& row) {
  std::string text(gate::name_of(row.verdict));
  if (row.verdict == Verdict::too_noisy)
    text += fmt::format(" ({:.1f} %)", 100 * std::expm1(row.estimate->noise_floor()));
  if (row.unconfirmed) text += fmt::format(" (first {})", percent(row.unconfirmed->log_ratio));
  return text;
}

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::faster:
      return Colour::green;
    case Verdict::slower:
    case Verdict::gone:
      return Colour::red;
    case Verdict::added:
      return Colour::blue;
    default:
      return Colour::yellow;
  }
}

std::string value_in_words(double value) { return value > 0 ? fmt::format("{:.4g}", value) : ""; }

Sides sides_of(const gate::Row& row) {
  struct Unit {
    const char* name;
    double nanoseconds;
  };
  constexpr std::array<Unit, 4> kUnits{{{" s", 1e9}, {" ms", 1e6}, {" us", 1e3}, {" ns", 1}}};
  const double shorter =
      row.base > 0 && row.head > 0 ? std::min(row.base, row.head) : std::max(row.base, row.head);
  Unit unit = kUnits.back();
  for (const Unit& one : kUnits)
    if (shorter >= one.nanoseconds) {
      unit = one;
      break;
    }
  if (row.name == gate::kNumberName) unit = {"", 1};
  const auto words = [&](double value) {
    return value > 0 ? value_in_words(value / unit.nanoseconds) + unit.name : "";
  };
  return {words(row.base), words(row.head)};
}

std::string summary_of(const gate::Comparison& comparison) {
  const gate::Result& result = comparison.result;
  std::string text =
      fmt::format("{} benchmark{}:", result.rows.size(), result.rows.size() == 1 ? "" : "s");
  std::string parts;
  for (const Verdict verdict : {Verdict::slower, Verdict::gone, Verdict::undecided,
                                Verdict::too_noisy, Verdict::added, Verdict::faster, Verdict::pass})
    if (const std::size_t count = result.count(verdict); count > 0)
      parts += fmt::format("{}{} {}", parts.empty() ? " " : ", ", count, gate::name_of(verdict));
  text += fmt::format("{}; {} round{}", parts, result.rounds, result.rounds == 1 ? "" : "s");
  if (has_min_time_place(comparison.plan))
    text += fmt::format("; repetitions of {:g} ms", 1e3 * comparison.plan.repetition_seconds);
  const auto given_up = std::count_if(result.rows.begin(), result.rows.end(),
                                      [](const gate::Row& row) { return row.is_given_up; });
  if (given_up > 0) text += fmt::format("; {} given up: more rounds would not decide", given_up);
  if (result.uncomputed > 0)
    text += fmt::format("; {} not computed", counted(result.uncomputed, "estimate"));
  if (!comparison.failure.empty()) return text + "; ended before its time";
  if (result.end == gate::End::stopped) return text + "; stopped";
  if (result.end == gate::End::out_of_time) return text + "; the time was over (--seconds)";
  if (result.end == gate::End::too_short)
    return text + "; no time for the next look (--seconds is too short)";
  return text;
}

bool has_min_time_place(const gate::Plan& plan) {
  return gate::has_min_time_place(plan.base) || gate::has_min_time_place(plan.head);
}

std::string advice_of(const gate::Comparison& comparison) {
  // Twice as long is still shorter than a time slice.
  constexpr double kLong = 2 * gate::kRepetitionSeconds;
  const gate::Result& result = comparison.result;
  if (result.count(Verdict::undecided) + result.count(Verdict::too_noisy) == 0) return {};
  for (const Command* side : {&comparison.plan.base, &comparison.plan.head})
    if (const std::optional<double> seconds = gate::own_repetition_seconds(*side);
        seconds && *seconds > kLong)
      return fmt::format(
          "advice: a repetition of {:g} ms is interrupted more often than one of {:g} ms; write "
          "--benchmark_min_time={}, and --benchmark_repetitions=5",
          1e3 * *seconds, 1e3 * gate::kRepetitionSeconds, gate::kMinTimePlace);
  return {};
}

std::string_view name_of(gate::Outcome outcome) {
  constexpr std::array<std::string_view, 5> kNames{"passed", "regressed", "failed", "undecided",
                                                   "stopped"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string command_line(const Command& command) {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace harness::reports
