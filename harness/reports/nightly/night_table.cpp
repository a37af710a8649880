#include <fmt/format.h>

#include <filesystem>

#include "harness/printable.h"
#include "harness/reports/nightly/night_builds.h"
#include "harness/reports/nightly/night_tapes.h"
#include "harness/reports/nightly/night_trends.h"
#include "harness/reports/nightly/night_views.h"
#include "harness/reports/nightly/night_words.h"
#include "harness/reports/table.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;

/// More news than this nobody reads in a terminal; all of it is in the JSON.
constexpr std::size_t kShownNews = 20;
/// A change of a trend is told for so many nights.
constexpr std::uint64_t kToldNights = 14;

std::string cells_of(const Night& night, const Terminal& terminal) {
  Table table({{"variant", Align::left, true},
               {"claim"},
               {"verdict"},
               {"runs", Align::right},
               {"seconds", Align::right},
               {"new", Align::right},
               {"known", Align::right}});
  for (const NightCell& cell : night.cells) {
    std::size_t news = 0, others = 0;
    for (const NightFinding& finding : night.findings)
      if (finding.is_of(cell)) ++(finding.is_news() ? news : others);
    table.add({{name_of(cell)},
               {cell.claim},
               {cell.verdict(), colour_of(cell)},
               {grouped(cell.runs)},
               {fmt::format("{:.1f}", cell.seconds)},
               {grouped(news), news > 0 ? Colour::red : Colour::none},
               {grouped(others)}});
  }
  return table.to_string(terminal);
}

std::string news_of(const Night& night, const std::string& folder, const Terminal& terminal) {
  std::string text;
  std::size_t count = 0;
  for (const NightFinding& finding : night.findings) {
    if (!finding.is_news()) break;
    if (++count > kShownNews) continue;
    NightFinding told = finding;
    told.signature = shown(finding.signature, kShownSignatureBytes);
    const std::string line = headline_of(told);
    text += terminal.paint(Colour::red, wrapped(line, terminal.width, 2)) + "\n";
    if (!finding.repair.empty())
      text += "  " + wrapped("repair: " + printable(finding.repair), terminal.width, 4) + "\n";
    if (const std::string change = change_of(finding); !change.empty())
      text += "  " + wrapped(printable(change), terminal.width, 4) + "\n";
    if (const std::string breadth = breadth_of(finding); !breadth.empty())
      text += "  " + breadth + "\n";
    text +=
        fmt::format("  {}\n", printable((std::filesystem::path(folder) / finding.file).string()));
  }
  if (count > kShownNews) text += fmt::format("and {} more (--json)\n", count - kShownNews);
  return text.empty() ? text : text + "\n";
}

std::string fixed_of(const Night& night, const Terminal& terminal) {
  std::string text;
  for (const NightFinding* finding : night.fixed())
    text += terminal.paint(Colour::green, wrapped(headline_of(*finding), terminal.width, 2)) +
            "\n  " + absence_of(*finding) + "\n";
  return text.empty() ? text : text + "\n";
}

std::string canaries_of(const Night& night, const Terminal& terminal) {
  std::string text;
  for (const NightCell* cell : night.missed_canaries())
    text += terminal.paint(Colour::red, fmt::format("canary not caught: {} in {} runs",
                                                    name_of(*cell), grouped(cell->runs))) +
            "\n";
  return text.empty() ? text : text + "\n";
}

/// Returns a line for each build that findings were replayed in, and in one those that are not
/// there.
std::string builds_of(const Night& night, const Terminal& terminal) {
  std::string text, missing;
  for (const nightly::BuildSearches& one : night.build_searches)
    if (one.not_run < one.variants)
      text += terminal.paint(one.not_run > 0 ? Colour::yellow : Colour::none,
                             fmt::format("in {}: {}", printable(one.build), outcome_of(one))) +
              "\n";
  for (const nightly::BuildReplays& one : night.builds) {
    if (!one.why_not.empty()) {
      missing += (missing.empty() ? "" : ", ") + printable(one.build);
      continue;
    }
    const bool is_same = one.same_count() == one.differences.size();
    text += terminal.paint(is_same ? Colour::none : Colour::yellow,
                           fmt::format("in {}: {}", printable(one.build), outcome_of(one))) +
            "\n";
  }
  if (!missing.empty()) text += "not replayed in " + missing + ", which are not built\n";
  return text.empty() ? text : text + "\n";
}

/// Returns a line about the tapes of earlier nights.
std::string tapes_of(const Night& night, const Terminal& terminal) {
  const nightly::NightTapes tapes = all_tapes(night);
  if (tapes.given == 0) return {};
  const Colour colour = tapes.survived < tapes.replayed ? Colour::yellow : Colour::none;
  return terminal.paint(colour, wrapped(survival_of(tapes), terminal.width, 2)) + "\n\n";
}

/// Returns the changes for the worse of the last nights.
std::string trends_of(const Night& night, const Terminal& terminal) {
  std::string text;
  for (const nightly::Trend& trend : night.trends)
    for (const nightly::ChangePoint& change : trend.changes)
      if (trend.is_worse(change) &&
          trend.points[change.index].number + kToldNights > night.terms.number)
        text += terminal.paint(Colour::yellow, wrapped("trend: " + change_in_words(trend, change),
                                                       terminal.width, 2)) +
                "\n";
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string night_table(const Night& night, const std::string& folder, const Terminal& terminal) {
  const Colour colour = night.is_red()                           ? Colour::red
                        : night.shards_here < night.terms.shards ? Colour::yellow
                                                                 : Colour::green;
  return cells_of(night, terminal) + "\n" + news_of(night, folder, terminal) +
         fixed_of(night, terminal) + canaries_of(night, terminal) + builds_of(night, terminal) +
         tapes_of(night, terminal) + trends_of(night, terminal) +
         terminal.paint(colour, wrapped(summary_of(night), terminal.width, 2)) + "\n";
}

}  // namespace harness::reports
