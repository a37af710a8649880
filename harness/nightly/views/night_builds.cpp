// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/views/night_builds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "harness/base/printable.h"
#include "harness/nightly/views/night_sections.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

using nightly::BuildReplays;
using nightly::Night;
using nightly::NightFinding;

constexpr std::size_t kShownBytes = 200;

/// Returns the finding whose simplest reproducer has this cause; null if there is none.
const NightFinding* finding_of(const Night& night, const std::string& cause) {
  for (const NightFinding& finding : night.findings)
    if (finding.symptoms.front().cause == cause) return &finding;
  return nullptr;
}

Markup row_of(std::string_view build, std::string_view colour, const Markup& said) {
  return Markup::of(
      "<tr><td><code>{}</code></td><td class=\"fault\"><span class=\"{}\">{}</span></td></tr>\n",
      build, colour, said);
}

Markup others_in(const Night& night, const BuildReplays& replays) {
  Markup rows;
  for (const auto& [cause, difference] : replays.differences) {
    const NightFinding* finding = finding_of(night, cause);
    if (difference.empty() || finding == nullptr) continue;
    rows += row_of(replays.build, "",
                   Markup::of("<code>{}/{}</code> {}<div class=\"dim\">{} · cause "
                              "<code>{}</code></div>",
                              shown_name(finding->path), shown_name(finding->variant),
                              shown_name(shown(finding->signature, kShownBytes)),
                              shown(difference, kShownBytes), cause));
  }
  return rows;
}

}  // namespace

bool is_missing(const std::string& why_not) { return why_not.starts_with("it is not built"); }

std::string outcome_of(const BuildReplays& replays) {
  if (!replays.why_not.empty()) return "not replayed: " + replays.why_not;
  const std::size_t same = replays.same_count(), others = replays.differences.size() - same;
  return counted(same, "finding") + " as recorded" +
         (others > 0 ? fmt::format(", {} otherwise", grouped(others)) : "");
}

std::string outcome_of(const nightly::BuildSearches& searches) {
  const std::uint64_t searched = searches.variants - searches.not_run;
  if (searched == 0) return "not searched: " + searches.why_not;
  std::string text =
      fmt::format("{} searched, {} runs", counted(searched, "variant"), grouped(searches.runs));
  if (searches.inputs_given > 0)
    text += fmt::format(", {} of {} inputs of earlier nights still reach a window",
                        grouped(searches.inputs_survived), grouped(searches.inputs_given));
  if (searches.not_run > 0)
    text += fmt::format(", {} not: {}", grouped(searches.not_run), searches.why_not);
  return text;
}

std::string missing_builds(const Night& night) {
  std::set<std::string> missing;
  for (const nightly::BuildSearches& one : night.build_searches)
    if (is_missing(one.why_not)) missing.insert(printable(one.build));
  for (const BuildReplays& one : night.builds)
    if (is_missing(one.why_not)) missing.insert(printable(one.build));
  if (missing.empty()) return {};
  return fmt::format("not built: {}", fmt::join(missing, ", "));
}

Markup builds_section(const Night& night) {
  Markup rows;
  for (const nightly::BuildSearches& one : night.build_searches)
    if (!is_missing(one.why_not))
      rows += row_of(one.build, one.not_run > 0 ? "late" : "", shown_text(outcome_of(one)));
  for (const BuildReplays& one : night.builds)
    if (!is_missing(one.why_not))
      rows += row_of(one.build, one.same_count() < one.differences.size() ? "late" : "",
                     shown_text(outcome_of(one))) +
              others_in(night, one);
  const Markup missing = shown_text(missing_builds(night));
  if (rows.empty() && missing.empty()) return {};
  const Markup table =
      rows.empty() ? Markup()
                   : "<table class=\"wrap stack\">\n<tr><th>build</th><th>findings</th></tr>\n" +
                         rows + "</table>";
  return night_section(
      "Other builds",
      "Sound variants are searched there as well, and the simplest reproducer of each "
      "finding is replayed.",
      table + (missing.empty() ? Markup() : "<p class=\"late\">" + missing + "</p>"));
}

}  // namespace harness::reports
