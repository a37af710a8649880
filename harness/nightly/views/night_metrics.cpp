// SPDX-License-Identifier: Apache-2.0
// The format is that of OpenMetrics 1.0, section "Text Format"
// (https://prometheus.io/docs/specs/om/open_metrics_spec/).
#include <fmt/format.h>

#include <functional>

#include "harness/nightly/views/night_views.h"
#include "harness/nightly/views/night_words.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::State;

std::string label(std::string_view name, std::string_view value) {
  std::string text = fmt::format("{}=\"", name);
  for (const char c : value)
    text += c == '\n'               ? std::string("\\n")
            : c == '"' || c == '\\' ? std::string{'\\', c}
                                    : std::string(1, c);
  return text + '"';
}

std::string family(std::string_view name, std::string_view help) {
  return fmt::format("# TYPE afterlife_{0} gauge\n# HELP afterlife_{0} {1}\n", name, help);
}

template <class Value>
std::string one(std::string_view name, std::string_view help, Value value) {
  return family(name, help) + fmt::format("afterlife_{} {}\n", name, value);
}

/// Returns one sample per variant.
template <class Value>
std::string per_variant(const Night& night, std::string_view name, std::string_view help,
                        Value value) {
  std::string text = family(name, help);
  for (const NightCell& cell : night.cells)
    text += fmt::format("afterlife_{}{{{},{}}} {}\n", name, label("path", cell.path),
                        label("variant", cell.variant), value(cell));
  return text;
}

/// Returns one sample for each series with a change, for its last change; "" if there is none.
template <class Value>
std::string per_change(const Night& night, std::string_view name, std::string_view help,
                       Value value) {
  std::string text;
  for (const nightly::Trend& trend : night.trends) {
    if (trend.changes.empty()) continue;
    text += fmt::format("afterlife_{}{{{},{},{}}} {}\n", name, label("path", trend.path),
                        label("variant", trend.variant), label("quantity", to_text(trend.quantity)),
                        value(trend, trend.changes.back()));
  }
  return text.empty() ? text : family(name, help) + text;
}

}  // namespace

std::string night_metrics(const Night& night) {
  std::string text =
      one("night_number", "Number of the night in its history.", night.terms.number) +
      one("night_red",
          "1 if a sound variant failed, a recording no longer replays or a canary was missed.",
          night.is_red() ? 1 : 0) +
      one("night_shards_missing", "Shards that are not merged.",
          night.terms.shards - night.shards_here) +
      one("night_nights_missing", "Earlier nights that did not happen.", night.nights_missing) +
      one("night_end_timestamp_seconds", "Time at which the night ended; 0 if unknown.",
          night.past.empty() ? 0 : night.past.back().ended_at) +
      one("night_canaries", "Canaries.", canary_count(night)) +
      one("night_canaries_missed", "Canaries that were not caught in enough runs.",
          night.missed_canaries().size());
  text += family("night_findings", "Findings of the night by state.");
  for (const State state : {State::fresh, State::known, State::regressed, State::ignored})
    text += fmt::format("afterlife_night_findings{{{}}} {}\n", label("state", to_text(state)),
                        night.count(state));
  text += fmt::format("afterlife_night_findings{{{}}} {}\n", label("state", to_text(State::fixed)),
                      night.fixed().size());
  return text +
         per_variant(night, "variant_runs", "Runs of a variant.",
                     [](const NightCell& cell) { return cell.runs; }) +
         per_variant(night, "variant_faulty_runs", "Runs of a variant with a fault.",
                     [](const NightCell& cell) { return cell.faulty_runs; }) +
         per_variant(night, "variant_seconds", "Time of running and minimizing.",
                     [](const NightCell& cell) { return cell.seconds; }) +
         per_variant(night, "variant_tapes_replayed", "Tapes of earlier nights that were replayed.",
                     [](const NightCell& cell) { return cell.tapes.replayed; }) +
         per_variant(night, "variant_tapes_survived", "Tapes that still reach what they reached.",
                     [](const NightCell& cell) { return cell.tapes.survived; }) +
         per_change(night, "trend_change_ratio", "The last change of a series over nights.",
                    [](const nightly::Trend&, const nightly::ChangePoint& change) {
                      return change.ratio;
                    }) +
         per_change(night, "trend_change_night", "The first night after it.",
                    [](const nightly::Trend& trend, const nightly::ChangePoint& change) {
                      return trend.points[change.index].number;
                    }) +
         "# EOF\n";
}

}  // namespace harness::reports
