#include <fmt/format.h>

#include <set>
#include <vector>

#include "harness/printable.h"
#include "harness/reports/html.h"
#include "harness/reports/nightly/night_curves.h"
#include "harness/reports/nightly/night_views.h"
#include "harness/reports/nightly/night_words.h"
#include "harness/reports/page_style.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;
using nightly::NightWindow;

constexpr std::size_t kShownBytes = 200;
constexpr std::size_t kOpenRows = 40;

std::string head_of(const Night& night) {
  return fmt::format(
      "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'\">\n<title>night {}: {}</title>\n<style>{}{}{}</style>\n"
      "</head>\n",
      night.terms.number, night.is_red() ? "red" : "nothing new", page_style(),
      night_curves_style(),
      ".number{text-align:right}.open{color:var(--bad);font-weight:600}.late{color:var(--death)}"
      ".never{color:var(--dim)}summary{cursor:pointer;padding:8px 14px;color:var(--task)}"
      "a{color:var(--task)}\n");
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

/// A section whose content scrolls by itself where it is wider than the page.
std::string section(std::string_view title, std::string_view said, const std::string& inside) {
  if (inside.empty()) return {};
  return fmt::format(
      "<section>\n<h2>{0}</h2>\n{1}<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\">{2}</div>\n</section>\n",
      title, said.empty() ? "" : fmt::format("<p class=\"dim\">{}</p>\n", said), inside);
}

// ---- findings ----

std::string link_to(const NightFinding& finding, const NightFiles& files) {
  const std::string said = shown_text(shown(finding.signature, kShownBytes));
  if (!files.pages.contains(finding.file)) return fmt::format("<code>{}</code>", said);
  return fmt::format("<a href=\"{}/{}.html\"><code>{}</code></a>",
                     escaped(reference(files.from_page)), escaped(reference(finding.file)), said);
}

std::string row_of(const NightFinding& finding, const NightFiles& files) {
  return fmt::format(
      "<tr><td{}>{}</td><td><code>{}/{}</code></td><td>{}</td><td>{}</td><td>{}</td><td "
      "class=\"number\">{}</td><td class=\"number\">{}</td><td><code>{}</code></td><td><code>{}"
      "</code></td></tr>\n",
      finding.is_news() ? " class=\"open\"" : "", to_text(finding.state), shown_text(finding.path),
      shown_text(finding.variant), link_to(finding, files), shown_text(finding.hazard),
      shown_text(finding.kind), grouped(finding.runs), finding.first_number,
      shown_text(finding.cause), shown_text(finding.file));
}

/// A table of findings; a long one is closed until somebody opens it.
std::string findings_table(const std::vector<const NightFinding*>& findings,
                           const NightFiles& files) {
  if (findings.empty()) return {};
  std::string rows;
  for (const NightFinding* finding : findings) rows += row_of(*finding, files);
  const std::string table =
      "<table>\n<tr><th>state</th><th>variant</th><th>signature</th><th>window</th><th>kind</th>"
      "<th class=\"number\">runs</th><th class=\"number\">first "
      "night</th><th>cause</th><th>reproducer</th></tr>\n" +
      rows + "</table>";
  if (findings.size() <= kOpenRows) return table;
  return fmt::format("<details>\n<summary>{} findings</summary>\n{}</details>",
                     grouped(findings.size()), table);
}

/// Findings of one state in canaries, or in variants that claim to be sound.
std::vector<const NightFinding*> findings_in(const Night& night, bool news, bool canaries) {
  std::set<std::string> canary_names;
  for (const NightCell& cell : night.cells)
    if (cell.is_canary()) canary_names.insert(name_of(cell));
  std::vector<const NightFinding*> findings;
  for (const NightFinding& finding : night.findings)
    if (finding.is_news() == news &&
        canary_names.contains(finding.path + "/" + finding.variant) == canaries)
      findings.push_back(&finding);
  return findings;
}

std::string findings_of(const Night& night, const NightFiles& files) {
  const std::string seen_again =
      fmt::format("To see one again: <code>afterlife replay {}/REPRODUCER</code>",
                  shown_text(shell_word(files.folder)));
  return section("News in sound variants", seen_again,
                 findings_table(findings_in(night, true, false), files)) +
         section("News in canaries", seen_again,
                 findings_table(findings_in(night, true, true), files));
}

std::string known_of(const Night& night, const NightFiles& files) {
  return section("Known findings in sound variants", "",
                 findings_table(findings_in(night, false, false), files)) +
         section("Known findings in canaries", "",
                 findings_table(findings_in(night, false, true), files));
}

// ---- variants ----

std::string canaries_of(const Night& night) {
  std::string rows;
  for (const NightCell* cell : night.missed_canaries())
    rows += fmt::format(
        "<tr><td class=\"open\"><code>{}</code></td><td>{}</td><td class=\"number\">{}</td></tr>\n",
        shown_text(name_of(*cell)), shown_text(cell->verdict()), grouped(cell->runs));
  if (rows.empty()) return {};
  return "<table>\n<tr><th>canary</th><th>verdict</th><th class=\"number\">runs</th></tr>\n" +
         rows + "</table>";
}

std::string_view class_of(const NightCell& cell) {
  const Colour colour = colour_of(cell);
  return colour == Colour::red ? "open" : colour == Colour::yellow ? "late" : "";
}

std::string variants_of(const Night& night) {
  std::string html =
      "<table>\n<tr><th>variant</th><th>claim</th><th>verdict</th><th "
      "class=\"number\">runs</th><th>with a "
      "fault</th>"
      "<th class=\"number\">seconds</th></tr>\n";
  for (const NightCell& cell : night.cells)
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td class=\"{}\">{}</td><td "
        "class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{:.1f}</td></tr>"
        "\n",
        shown_text(name_of(cell)), shown_text(cell.claim), class_of(cell),
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
  return "<td class=\"number never\">never</td>";
}

std::string windows_of(const Night& night, const std::string& path) {
  std::set<std::string> names;
  for (const NightCell& cell : night.cells)
    if (cell.path == path)
      for (const NightWindow& window : cell.windows) names.insert(window.window);
  if (names.empty()) return {};
  std::string html = "<table>\n<tr><th>variant</th>";
  for (const std::string& name : names)
    html += fmt::format("<th class=\"number\">{}</th>", shown_text(name));
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
    html += section("Windows of " + shown_text(path),
                    "In how many runs a window was reached; red: in how many of them it failed.",
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
  html +=
      row("budget", terms.budget.runs > 0 ? grouped(terms.budget.runs) + " runs"
                                          : fmt::format("{:g} minutes", terms.budget.seconds / 60));
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
         header_of(night) + findings_of(night, files) +
         section("Canaries that were not caught",
                 "Each claims how it fails: where that is not seen, the search is broken or too "
                 "short.",
                 canaries_of(night)) +
         curves_of(night) + section("Variants", "", variants_of(night)) + all_windows_of(night) +
         known_of(night, files) + section("This night", "", terms_of(night)) +
         "</main>\n</body>\n</html>\n";
}

}  // namespace harness::reports
