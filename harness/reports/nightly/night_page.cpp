#include <fmt/format.h>

#include <set>
#include <vector>

#include "harness/reports/html.h"
#include "harness/reports/nightly/night_builds.h"
#include "harness/reports/nightly/night_curves.h"
#include "harness/reports/nightly/night_sections.h"
#include "harness/reports/nightly/night_tapes.h"
#include "harness/reports/nightly/night_trends.h"
#include "harness/reports/nightly/night_views.h"
#include "harness/reports/nightly/night_words.h"
#include "harness/reports/page_style.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightWindow;

std::string head_of(const Night& night) {
  return fmt::format(
      "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'\">\n<title>night {}: {}</title>\n<style>{}{}{}{}</style>\n"
      "</head>\n",
      night.terms.number, night.is_red() ? "red" : "nothing new", page_style(),
      night_curves_style(), trends_style(), night_sections_style());
}

std::string_view badge_of(const Night& night) {
  if (night.is_red()) return "red";
  if (night.shards_here < night.terms.shards) return "shards are missing";
  return night.nights_missing > 0 ? "nights are missing" : "nothing new";
}

std::string header_of(const Night& night) {
  const std::string_view badge = badge_of(night);
  return fmt::format(
      "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife nightly</span></h1>\n<p><span "
      "class=\"badge {}\">{}</span></p>\n<p class=\"lead\">{}</p>\n</header>\n",
      badge == "nothing new" ? "good" : "bad", badge, shown_text(summary_of(night)));
}

// ---- variants ----

std::string canaries_of(const Night& night) {
  std::string rows;
  for (const NightCell* cell : night.missed_canaries())
    rows += fmt::format(
        "<tr><td class=\"open\"><code>{}</code></td><td>{}</td><td class=\"number\">{}</td></tr>\n",
        shown_name(name_of(*cell)), shown_text(cell->verdict()), grouped(cell->runs));
  if (rows.empty()) return {};
  return "<table class=\"wrap\">\n<tr><th>canary</th><th>verdict</th><th "
         "class=\"number\">runs</th></tr>\n" +
         rows + "</table>";
}

std::string_view class_of(const NightCell& cell) {
  const Colour colour = colour_of(cell);
  return colour == Colour::red ? "open" : colour == Colour::yellow ? "late" : "";
}

std::string variants_of(const Night& night) {
  std::string html =
      "<table class=\"wrap\">\n<tr><th>variant</th><th class=\"spare\">claim</th><th>verdict</th>"
      "<th class=\"number\">runs</th><th class=\"number\">faulty</th>"
      "<th class=\"number spare\">seconds</th></tr>\n";
  for (const NightCell& cell : night.cells)
    html += fmt::format(
        "<tr><td><code>{}</code></td><td class=\"spare\">{}</td><td class=\"{}\">{}</td><td "
        "class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number "
        "spare\">{:.1f}</td></tr>\n",
        shown_name(name_of(cell)), shown_text(cell.claim), class_of(cell),
        shown_text(cell.verdict()), grouped(cell.runs), grouped(cell.faulty_runs), cell.seconds);
  return html + "</table>";
}

// ---- windows ----

std::string window_cell(const NightCell& cell, const std::string& name) {
  for (const NightWindow& window : cell.windows) {
    if (window.window != name || window.reached + window.caught == 0) continue;
    return window.caught > 0 ? fmt::format("<td class=\"number open\">{} of {}</td>",
                                           grouped(window.caught), grouped(window.reached))
                             : fmt::format("<td class=\"number\">{}</td>", grouped(window.reached));
  }
  return "<td class=\"number never\">–</td>";
}

std::string windows_of(const Night& night, const std::string& path) {
  std::set<std::string> names;
  for (const NightCell& cell : night.cells)
    if (cell.path == path)
      for (const NightWindow& window : cell.windows) names.insert(window.window);
  if (names.empty()) return {};
  std::string html = "<table class=\"cross\">\n<tr><th>variant</th>";
  for (const std::string& name : names)
    html += fmt::format("<th><span class=\"turned\">{}</span></th>", shown_text(name));
  html += "</tr>\n";
  for (const NightCell& cell : night.cells) {
    if (cell.path != path) continue;
    html += fmt::format("<tr><td><code>{}</code></td>", shown_text(cell.variant));
    for (const std::string& name : names) html += window_cell(cell, name);
    html += "</tr>\n";
  }
  return html + "</table>";
}

std::string all_windows_of(const Night& night) {
  std::set<std::string> paths;
  for (const NightCell& cell : night.cells) paths.insert(cell.path);
  std::string html;
  for (const std::string& path : paths)
    html +=
        section("Windows of " + shown_text(path),
                "In how many runs a window was reached (–: in none); red: in how many of them it "
                "failed.",
                windows_of(night, path));
  return html;
}

// ---- terms ----

std::string terms_of(const Night& night) {
  const auto row = [](std::string_view name, const std::string& value) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, shown_text(value));
  };
  double seconds = 0;
  for (const NightCell& cell : night.cells) seconds += cell.seconds;
  const nightly::Terms& terms = night.terms;
  std::string html = "<table class=\"wrap\">\n" + row("night", fmt::format("{}", terms.number)) +
                     row("revision", terms.revision.empty() ? "not said" : terms.revision) +
                     row("seed", fmt::format("{}", terms.seed)) +
                     row("searched", terms.target.empty() ? "everything" : terms.target);
  html += row("budget", terms.budget.runs > 0
                            ? grouped(terms.budget.runs) + " runs"
                            : fmt::format("{:g} minutes{}", terms.budget.seconds / 60,
                                          terms.shards > 1 ? " of all shards together" : ""));
  html += row("time spent", fmt::format("{:.1f} s of running and minimizing", seconds));
  html += row("shards", fmt::format("{} of {}", night.shards_here, terms.shards));
  return html + row("name", night.id) + "</table>";
}

std::string curves_of(const Night& night) {
  const std::string curves = night_curves(night.past);
  if (curves.empty()) return {};
  return "<section>\n<h2>Nights</h2>\n<div class=\"curves\">\n" + curves + "</div>\n</section>\n";
}

}  // namespace

std::string night_page(const Night& night, const NightFiles& files) {
  return "<!doctype html>\n<html lang=\"en\">\n" + head_of(night) + "<body>\n<main>\n" +
         header_of(night) + news_sections(night, files) + absent_sections(night) +
         section("Canaries that were not caught",
                 "Each claims how it fails: where that is not seen, the search is broken or too "
                 "short.",
                 canaries_of(night)) +
         curves_of(night) + trends_section(night) + builds_section(night) + tapes_section(night) +
         section("Variants", "", variants_of(night)) + all_windows_of(night) +
         known_sections(night, files) + section("This night", "", terms_of(night)) +
         "</main>\n</body>\n</html>\n";
}

}  // namespace harness::reports
