// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "harness/base/printable.h"
#include "harness/nightly/views/night_builds.h"
#include "harness/nightly/views/night_sentence.h"
#include "harness/nightly/views/night_tapes.h"
#include "harness/nightly/views/night_trends.h"
#include "harness/nightly/views/night_views.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/table.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;

/// More new findings than this are not printed on a terminal; all are in the JSON.
constexpr std::size_t kShownNews = 20;
/// Number of nights for which a change of a trend is reported.
constexpr std::uint64_t kReportedNights = 14;

/// Returns a row for each variant that is not as claimed, and for each sound one with too few runs.
/// The others are counted in the sentence.
std::string cells_of(const Night& night, const Terminal& terminal) {
  Table table({{"variant", Align::left, true},
               {"claim"},
               {"verdict"},
               {"runs", Align::right},
               {"seconds", Align::right},
               {"findings", Align::right}});
  std::size_t count = 0;
  for (const NightCell& cell : night.cells) {
    const Colour colour = colour_of(cell);
    if (colour == Colour::green || (cell.is_canary() && colour != Colour::red)) continue;
    const auto findings = static_cast<std::size_t>(
        std::count_if(night.findings.begin(), night.findings.end(),
                      [&](const NightFinding& finding) { return finding.is_of(cell); }));
    table.add({{name_of(cell)},
               {cell.claim},
               {cell.verdict(), colour},
               {grouped(cell.runs)},
               {fmt::format("{:.1f}", cell.seconds)},
               {grouped(findings)}});
    ++count;
  }
  return count == 0 ? "" : table.to_string(terminal) + "\n";
}

std::string finding_text(const NightFinding& finding, Colour colour, const std::string& folder,
                         const Terminal& terminal) {
  NightFinding shortened = finding;
  shortened.signature = shown(finding.signature, kShownSignatureBytes);
  std::string text =
      terminal.paint(colour, wrapped(headline_of(shortened), terminal.width, 2)) + "\n";
  if (!finding.repair.empty())
    text += "  " + wrapped("repair: " + printable(finding.repair), terminal.width, 4) + "\n";
  if (const std::string breadth = breadth_of(finding); !breadth.empty())
    text += "  " + breadth + "\n";
  return text +
         fmt::format("  {}\n", printable((std::filesystem::path(folder) / finding.file).string()));
}

std::string findings_of(const Night& night, const std::string& folder, const Terminal& terminal) {
  std::string text;
  const std::vector<const NightFinding*> reported = reported_findings(night);
  for (std::size_t i = 0; i < std::min(reported.size(), kShownNews); ++i)
    text += finding_text(*reported[i], night.is_red(*reported[i]) ? Colour::red : Colour::none,
                         folder, terminal);
  if (reported.size() > kShownNews)
    text += fmt::format("and {} more (--json)\n", reported.size() - kShownNews);
  return text.empty() ? text : text + "\n";
}

std::string fixed_of(const Night& night, const Terminal& terminal) {
  std::string text;
  for (const NightFinding* finding : night.fixed())
    text += terminal.paint(Colour::green, wrapped(headline_of(*finding), terminal.width, 2)) +
            "\n  " + absence_of(*finding) + "\n";
  return text.empty() ? text : text + "\n";
}

/// Returns the recorded findings that now show a different fault.
std::string unclear_of(const Night& night, const Terminal& terminal) {
  std::string text;
  for (const NightFinding& finding : night.absent)
    if (night.is_red(finding))
      text += terminal.paint(Colour::red, wrapped(headline_of(finding), terminal.width, 2)) +
              "\n  " + absence_of(finding) + "\n";
  return text.empty() ? text : text + "\n";
}

/// Returns a line for each build, and one for the missing builds.
std::string builds_of(const Night& night, const Terminal& terminal) {
  std::string text;
  const auto add = [&](const std::string& build, bool is_same, const std::string& outcome) {
    text += terminal.paint(is_same ? Colour::none : Colour::yellow,
                           fmt::format("in {}: {}", printable(build), outcome)) +
            "\n";
  };
  for (const nightly::BuildSearches& one : night.build_searches)
    if (!is_missing(one.why_not)) add(one.build, one.not_run == 0, outcome_of(one));
  for (const nightly::BuildReplays& one : night.builds)
    if (!is_missing(one.why_not))
      add(one.build, one.same_count() == one.differences.size(), outcome_of(one));
  if (const std::string missing = missing_builds(night); !missing.empty()) text += missing + "\n";
  return text.empty() ? text : text + "\n";
}

/// Returns a line about the tapes of earlier nights.
std::string tapes_of(const Night& night, const Terminal& terminal) {
  const nightly::NightTapes tapes = night.tapes();
  if (tapes.given == 0) return {};
  const Colour colour = tapes.survived < tapes.replayed ? Colour::red : Colour::none;
  return terminal.paint(colour, wrapped(survival_of(tapes), terminal.width, 2)) + "\n\n";
}

/// Returns the recent changes for the worse.
std::string trends_of(const Night& night, const Terminal& terminal) {
  std::string text;
  for (const nightly::Trend& trend : night.trends)
    for (const nightly::ChangePoint& change : trend.changes)
      if (trend.is_worse(change) &&
          trend.points[change.index].number + kReportedNights > night.terms.number)
        text += terminal.paint(Colour::yellow, wrapped("trend: " + change_in_words(trend, change),
                                                       terminal.width, 2)) +
                "\n";
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string night_table(const Night& night, const std::string& folder, const Terminal& terminal) {
  const std::string_view verdict = verdict_of(night);
  const Colour colour = verdict == "red"     ? Colour::red
                        : verdict == "green" ? Colour::green
                                             : Colour::yellow;
  const std::string sentence = fmt::format("{}: {}", verdict, sentence_of(night));
  return findings_of(night, folder, terminal) + fixed_of(night, terminal) +
         unclear_of(night, terminal) + cells_of(night, terminal) + builds_of(night, terminal) +
         tapes_of(night, terminal) + trends_of(night, terminal) +
         wrapped(circumstances_of(night), terminal.width, 2) + "\n" +
         terminal.paint(colour, wrapped(sentence, terminal.width, 2)) + "\n";
}

}  // namespace harness::reports
