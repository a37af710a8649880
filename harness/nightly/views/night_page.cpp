// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <set>
#include <vector>

#include "harness/nightly/views/night_builds.h"
#include "harness/nightly/views/night_curves.h"
#include "harness/nightly/views/night_sections.h"
#include "harness/nightly/views/night_sentence.h"
#include "harness/nightly/views/night_tapes.h"
#include "harness/nightly/views/night_trends.h"
#include "harness/nightly/views/night_views.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/html.h"
#include "harness/report/page_style.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightWindow;

Markup header_of(const Night& night) {
  const std::string_view verdict = verdict_of(night);
  return Markup::of(
      "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife nightly</span></h1>\n<p><span "
      "class=\"badge {}\">{}</span></p>\n<p class=\"lead\">{}</p>\n<p "
      "class=\"dim\">{}</p>\n</header>\n",
      verdict == "green" ? "good" : "bad", verdict, sentence_of(night), circumstances_of(night));
}

// ---- variants ----

Markup canaries_of(const Night& night) {
  Markup rows;
  for (const NightCell* cell : night.missed_canaries())
    rows += Markup::of(
        "<tr><td class=\"open\"><code>{}</code></td><td>{}</td><td class=\"number\">{}</td></tr>\n",
        shown_name(name_of(*cell)), cell->verdict(), grouped(cell->runs));
  if (rows.empty()) return {};
  return "<table class=\"wrap\">\n<tr><th>canary</th><th>verdict</th><th "
         "class=\"number\">runs</th></tr>\n" +
         rows + "</table>";
}

std::string_view class_of(const NightCell& cell) {
  const Colour colour = colour_of(cell);
  return colour == Colour::red ? "open" : colour == Colour::yellow ? "late" : "";
}

/// Returns the variants, sound ones first.
std::vector<const NightCell*> in_order(const Night& night) {
  std::vector<const NightCell*> cells;
  for (const bool canaries : {false, true})
    for (const NightCell& cell : night.cells)
      if (cell.is_canary() == canaries) cells.push_back(&cell);
  return cells;
}

Markup variants_of(const Night& night) {
  Markup html = Literal(
      "<table class=\"wrap\">\n<tr><th>variant</th><th>claim</th><th>verdict</th>"
      "<th class=\"number\">runs</th><th class=\"number spare\">faulty</th>"
      "<th class=\"number spare\">seconds</th></tr>\n");
  for (const NightCell* cell : in_order(night))
    html += Markup::of(
        "<tr><td><code>{}</code></td><td>{}</td><td class=\"{}\">{}</td><td "
        "class=\"number\">{}</td><td class=\"number spare\">{}</td><td class=\"number "
        "spare\">{:.1f}</td></tr>\n",
        shown_name(name_of(*cell)), cell->claim, class_of(*cell), cell->verdict(),
        grouped(cell->runs), grouped(cell->faulty_runs), cell->seconds);
  return html + "</table>";
}

// ---- windows ----

/// Returns the state of a window. A canary that fails is as claimed.
Markup window_cell(const NightCell& cell, const std::string& name) {
  for (const NightWindow& window : cell.windows) {
    if (window.window != name || window.reached + window.caught == 0) continue;
    if (window.caught == 0)
      return Markup::of("<td class=\"number\">{}</td>", grouped(window.reached));
    return Markup::of("<td class=\"number{}\">{}/{}</td>", cell.is_canary() ? "" : " open",
                      grouped(window.caught), grouped(window.reached));
  }
  return Literal("<td class=\"number never\">–</td>");
}

/// Returns the table of the windows of these variants of a path.
Markup windows_table(const Night& night, const std::string& path, bool canaries) {
  std::set<std::string> names;
  std::vector<const NightCell*> cells;
  for (const NightCell& cell : night.cells) {
    if (cell.path != path || cell.is_canary() != canaries) continue;
    cells.push_back(&cell);
    for (const NightWindow& window : cell.windows) names.insert(window.window);
  }
  if (names.empty()) return {};
  Markup html = Literal("<table class=\"cross\">\n<tr><th>variant</th>");
  for (const std::string& name : names)
    html += Markup::of("<th><span class=\"turned\">{}</span></th>", name);
  html += "</tr>\n";
  for (const NightCell* cell : cells) {
    html += Markup::of("<tr><td><code>{}</code></td>", cell->variant);
    for (const std::string& name : names) html += window_cell(*cell, name);
    html += "</tr>\n";
  }
  return html + "</table>";
}

Markup windows_of(const Night& night, const std::string& path) {
  const Markup canaries = windows_table(night, path, true);
  return windows_table(night, path, false) + folded("canaries", canaries);
}

Markup all_windows_of(const Night& night) {
  std::set<std::string> paths;
  for (const NightCell& cell : night.cells) paths.insert(cell.path);
  Markup html;
  for (const std::string& path : paths)
    html += night_section(
        "Windows of " + path,
        "The runs that reached a window (–: none). 14/93: 93 reached it and 14 of them failed "
        "there, which is red in a variant that claims to be sound.",
        windows_of(night, path));
  return html;
}

// ---- terms ----

Markup terms_of(const Night& night) {
  double seconds = 0;
  for (const NightCell& cell : night.cells) seconds += cell.seconds;
  const nightly::Terms& terms = night.terms;
  Markup html = "<table class=\"wrap\">\n" + table_row("night", fmt::format("{}", terms.number)) +
                table_row("revision", terms.revision.empty() ? "not said" : terms.revision) +
                table_row("seed", fmt::format("{}", terms.seed)) +
                table_row("searched", terms.target.empty() ? "everything" : terms.target);
  html += table_row("budget", terms.budget.runs > 0
                                  ? grouped(terms.budget.runs) + " runs"
                                  : fmt::format("{:g} minutes{}", terms.budget.seconds / 60,
                                                terms.shards > 1 ? " of all shards together" : ""));
  html += table_row("time spent", fmt::format("{:.1f} s of running and minimizing", seconds));
  html += table_row("shards", fmt::format("{} of {}", night.shards_here, terms.shards));
  return html + table_row("name", night.id) + "</table>";
}

/// Returns explanations of the page's terms.
Markup legend_of() {
  struct Word {
    std::string_view word, meaning;
  };
  static constexpr std::array kWords{
      Word{"sound variant", "An implementation that claims to have no fault on any schedule."},
      Word{"canary",
           "An implementation that is broken on purpose. A search that misses it is "
           "broken, too."},
      Word{"claim",
           "The result that a variant must have: sound, unsound (it fails in the way it names) or "
           "vacuous (no run reaches the code under test)."},
      Word{"held, refuted", "A sound variant had no fault in enough runs; it had one."},
      Word{"caught, missed", "A canary failed as claimed; it did not, in enough runs."},
      Word{"window", "A span of time in which a wrong implementation can fail."},
      Word{"tape", "The recorded choices of a run, which replay it."},
      Word{"signature", "The kind and the sites of a fault: equal faults have equal ones."},
      Word{"cause", "The name of one form of a finding, for commands."},
      Word{"repair",
           "A change to the run that removes the fault. Faults with one repair are one "
           "finding."}};
  Markup html = Literal("<dl>");
  for (const Word& one : kWords)
    html += Markup::of("<dt>{}</dt><dd>{}</dd>\n", one.word, one.meaning);
  return folded("Glossary of this page", html + "</dl>");
}

Markup curves_of(const Night& night) {
  const Markup curves = night_curves(night.past);
  if (curves.empty()) return {};
  return "<section>\n<h2>Nights</h2>\n<div class=\"curves\">\n" + curves + "</div>\n</section>\n";
}

}  // namespace

std::string night_page(const Night& night, const NightFiles& files) {
  const Markup style =
      page_style() + night_curves_style() + trends_style() + night_sections_style();
  return whole_page(
             fmt::format("night {}: {}", night.terms.number, verdict_of(night)), style,
             header_of(night) + sound_sections(night, files) +
                 night_section("Missed canaries",
                               fmt::format("Each claims how it fails, and did not in {} runs or "
                                           "more: the search is broken.",
                                           grouped(nightly::kRunsToCatch)),
                               canaries_of(night)) +
                 absent_sections(night) + canary_sections(night, files) +
                 night_section("Variants", "", variants_of(night)) + curves_of(night) +
                 trends_section(night) + builds_section(night) + tapes_section(night) +
                 all_windows_of(night) + night_section("This night", "", terms_of(night)) +
                 night_section("Words", "", legend_of()))
      .text();
}

}  // namespace harness::reports
