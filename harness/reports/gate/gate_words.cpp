#include "harness/reports/gate/gate_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/reports/html.h"

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
  return fmt::format("{} .. {}", percent(row.estimate->low), percent(row.estimate->high));
}

std::string verdict_of(const gate::Row& row) {
  std::string text(gate::name_of(row.verdict));
  if (row.verdict == Verdict::too_noisy)
    text += fmt::format(": noise floor {:.1f} %", 100 * std::expm1(row.estimate->noise_floor()));
  if (row.verdict == Verdict::gone) text += ": the head does not have it";
  if (row.unconfirmed)
    text += fmt::format("; {} at first, not confirmed", percent(row.unconfirmed->log_ratio));
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
  if (!comparison.failure.empty()) return text + "; ended before its time";
  if (result.end == gate::End::stopped) return text + "; stopped";
  if (result.end == gate::End::out_of_time) return text + "; the time was over (--seconds)";
  return text;
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
