// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/views/night_sections.h"

#include <fmt/format.h>

#include <vector>

#include "harness/base/printable.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightFinding;

constexpr std::size_t kShownBytes = 200;
constexpr std::size_t kOpenRows = 40;

Markup link_to(const NightFinding& finding, const NightFiles& files) {
  const Markup said = shown_name(shown(finding.signature, kShownBytes));
  if (!files.pages.contains(finding.file)) return Markup::of("<code>{}</code>", said);
  return Markup::of("<a href=\"{}/{}.html\"><code>{}</code></a>", reference(files.from_page),
                    reference(finding.file), said);
}

/// Returns the place of a finding, and its names in files and commands.
Markup further_of(const NightFinding& finding) {
  const bool is_plain = finding.kind == nightly::kFault;
  return Markup::of("<div class=\"dim\">{}{}{} · cause <code>{}</code> · <code>{}</code></div>",
                    shown_name(finding.hazard), is_plain ? "" : ", ", is_plain ? "" : finding.kind,
                    finding.cause, shown_name(finding.file));
}

/// Returns the repair and all symptoms of a finding, folded.
Markup cause_of(const NightFinding& finding) {
  Markup html;
  if (!finding.repair.empty())
    html += Markup::of("<div class=\"repair\">repair: {}</div>", finding.repair);
  const std::string breadth = breadth_of(finding);
  if (breadth.empty()) return html;
  html += Markup::of("<details><summary>{}</summary><ul>", breadth);
  for (const nightly::NightSymptom& symptom : finding.symptoms)
    html += Markup::of("<li><code>{}</code> {}, {} runs</li>", shown_name(symptom.variant),
                       shown_name(shown(symptom.signature, kShownBytes)), grouped(symptom.runs));
  return html + "</ul></details>";
}

/// Returns the commands that replay it and that search for the change that introduced it.
Markup commands_of(const Night& night, const NightFinding& finding, const NightFiles& files) {
  const auto command = [](const Markup& words) {
    return Markup::of("<code class=\"command\">afterlife {}</code>", words);
  };
  const Markup file = shown_name(shell_word(files.folder + "/" + finding.file));
  Markup more = command(Markup::of("nightly mark {} ignored --because TEXT", finding.cause));
  if (!night.commit_before.empty()) {
    more = Markup::of(
               "<code class=\"command\">scripts/bisect.py {} <span class=\"whole\">--good</span> "
               "{}</code>",
               file, shell_word(night.commit_before)) +
           more;
  }
  return command("replay " + file) +
         Markup::of("<details><summary>further commands</summary>{}</details>", more);
}

Markup row_of(const Night& night, const NightFinding& finding, const NightFiles& files) {
  return Markup::of(
      "<tr><td{}>{}</td><td><code>{}/{}</code></td><td class=\"fault\">{}{}</td><td "
      "class=\"number\" "
      "data-label=\"runs\">{}</td><td class=\"number\" data-label=\"since "
      "night\">{}</td></tr>\n",
      night.is_red(finding) ? Literal(" class=\"open\"") : Literal(""), to_text(finding.state),
      shown_name(finding.path), shown_name(finding.variant), link_to(finding, files),
      cause_of(finding) + further_of(finding) + commands_of(night, finding, files),
      grouped(finding.runs), finding.first_number);
}

Markup findings_table(const Night& night, const std::vector<const NightFinding*>& findings,
                      const NightFiles& files) {
  if (findings.empty()) return {};
  Markup rows;
  for (const NightFinding* finding : findings) rows += row_of(night, *finding, files);
  return "<table class=\"wrap stack\">\n<tr><th>state</th><th>variant</th><th>fault</th>"
         "<th class=\"number\">runs</th><th class=\"number\">since night</th></tr>\n" +
         rows + "</table>";
}

/// Returns the table of findings; folded if it is long.
Markup short_table(const Night& night, const std::vector<const NightFinding*>& findings,
                   const NightFiles& files) {
  const Markup table = findings_table(night, findings, files);
  return findings.size() <= kOpenRows ? table : folded(counted(findings.size(), "finding"), table);
}

Markup absent_table(const std::vector<const NightFinding*>& findings) {
  if (findings.empty()) return {};
  Markup rows;
  for (const NightFinding* finding : findings)
    rows += Markup::of(
        "<tr><td>{}</td><td><code>{}/{}</code></td><td class=\"fault\"><code>{}</code><div "
        "class=\"dim\">{} · cause <code>{}</code></div></td></tr>\n",
        to_text(finding->state), shown_name(finding->path), shown_name(finding->variant),
        shown_name(shown(finding->signature, kShownBytes)), absence_of(*finding), finding->cause);
  return "<table class=\"wrap stack\">\n<tr><th>state</th><th>variant</th><th>fault</th></tr>\n" +
         rows + "</table>";
}

constexpr std::string_view kStyle = R"(.number{text-align:right;white-space:nowrap}
.wrap td.number{white-space:nowrap}
.command{display:block;margin:2px 0}
.whole{white-space:nowrap}
dt{font-weight:600;padding:6px 14px 0}
dd{margin:0;padding:0 14px 6px}
.open{color:var(--bad);font-weight:600}
.late{color:var(--death)}
.never{color:var(--dim)}
summary{cursor:pointer;padding:8px 14px;color:var(--task)}
a{color:var(--task)}
.stack .dim{font-size:13px}
@media (min-width:601px){.stack td:nth-child(2)>code{white-space:nowrap}}
.fault summary{padding:2px 0}
.fault ul{margin:4px 0;padding-left:18px}
.fault li,.repair{overflow-wrap:anywhere}
.cross td,.cross th{padding:6px 8px}
.cross td:first-child,.cross th:first-child{position:sticky;left:0;background:var(--page)}
.cross th{vertical-align:bottom}
.turned{display:inline-block;writing-mode:vertical-rl;transform:rotate(180deg)}
.cross th:not(:first-child){text-align:right}
@media (max-width:600px){.spare{display:none}
.stack tr{display:block;padding:8px 0;border-bottom:1px solid var(--line)}
.stack tr:last-child{border-bottom:0}
.stack tr:first-child{display:none}
.stack td{display:inline-block;border:0;padding:1px 10px}
.stack td.fault{display:block}
.stack td[data-label]::before{content:attr(data-label) " ";color:var(--dim)}}
)";

}  // namespace

Markup night_section(std::string_view title, std::string_view said, const Markup& inside) {
  if (inside.empty()) return {};
  return section(title, inside,
                 said.empty() ? Markup() : Markup::of("<p class=\"dim\">{}</p>\n", said));
}

Markup folded(std::string_view line, const Markup& inside) {
  if (inside.empty()) return {};
  return Markup::of("<details>\n<summary>{}</summary>\n{}</details>", line, inside);
}

Markup sound_sections(const Night& night, const NightFiles& files) {
  return night_section("New in sound variants", "",
                       short_table(night, findings_in(night, true, false), files)) +
         night_section("Known findings in sound variants", "",
                       short_table(night, findings_in(night, false, false), files));
}

Markup canary_sections(const Night& night, const NightFiles& files) {
  std::vector<const NightFinding*> news = findings_in(night, true, true);
  const std::size_t unsorted =
      std::erase_if(news, [](const NightFinding* finding) { return is_unsorted(*finding); });
  const auto known = findings_in(night, false, true);
  const Markup rest = unsorted == 0
                          ? Markup()
                          : Markup::of("<p class=\"dim\">Not sorted by repairs yet: {}.</p>",
                                       counted(unsorted, "more way"));
  return night_section("New in canaries",
                       "Canaries are broken on purpose, so new findings in them are no alarm.",
                       short_table(night, news, files) + rest) +
         night_section(
             "Known findings in canaries", "",
             folded(counted(known.size(), "finding"), findings_table(night, known, files)));
}

Markup absent_sections(const Night& night) {
  std::vector<const NightFinding*> open;
  for (const NightFinding& finding : night.absent)
    if (finding.state != nightly::State::fixed) open.push_back(&finding);
  return night_section("Fixed", "Not seen, not shown by the reproducer, and absent in enough runs.",
                       absent_table(night.fixed())) +
         night_section("Known, and not seen in this night", "", absent_table(open));
}

Markup night_sections_style() { return Literal(kStyle); }

}  // namespace harness::reports
