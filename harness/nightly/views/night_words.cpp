// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/views/night_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/printable.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/deadline.h"

namespace harness::reports {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;

std::string name_of(const NightCell& cell) { return cell.path + "/" + cell.variant; }

Colour colour_of(const NightCell& cell) {
  const std::string verdict = cell.verdict();
  if (verdict == "held" || verdict == "caught" || verdict == "vacuous") return Colour::green;
  return verdict == "too few runs" ? Colour::yellow : Colour::red;
}

std::string headline_of(const NightFinding& finding) {
  return fmt::format("{}{} {}/{}: {}", to_text(finding.state),
                     finding.kind == nightly::kNondeterminism ? ", and does not replay:" : "",
                     finding.path, finding.variant, finding.signature);
}

std::string breadth_of(const NightFinding& finding) {
  if (finding.symptoms.size() < 2) return {};
  std::set<std::string_view> variants;
  for (const nightly::NightSymptom& symptom : finding.symptoms) variants.insert(symptom.variant);
  return fmt::format("appears in {} forms{}", grouped(finding.symptoms.size()),
                     variants.size() > 1 ? fmt::format(", in {} variants", variants.size()) : "");
}

std::string absence_of(const NightFinding& finding) {
  const nightly::AbsentReplay& replay = finding.absent.value();
  const std::string runs = fmt::format("{} runs since, of which {:.1f} would have shown it",
                                       grouped(replay.runs), replay.expected);
  switch (replay.absence) {
    case nightly::Absence::shown:
      return "not seen, but its reproducer still shows it";
    case nightly::Absence::unclear:
      return "its reproducer shows another fault, or cannot be read; " + runs;
    case nightly::Absence::late:
      return nightly::kOutOfTime;
    case nightly::Absence::gone:
      break;
  }
  return fmt::format("its reproducer does not show it; {}{}", runs,
                     replay.is_fixed() ? "" : ": too few to tell");
}

bool is_unsorted(const NightFinding& finding) {
  return finding.kind == nightly::kFault && !finding.symptoms.empty() &&
         finding.root == finding.symptoms.front().cause;
}

std::vector<const NightFinding*> findings_in(const Night& night, bool news, bool canaries) {
  std::vector<const NightFinding*> findings;
  for (const NightFinding& finding : night.findings)
    if (finding.is_news() == news && night.is_of_canary(finding) == canaries)
      findings.push_back(&finding);
  return findings;
}

std::vector<const NightFinding*> reported_findings(const Night& night) {
  std::vector<const NightFinding*> reported;
  for (const bool is_red : {true, false})
    for (const bool canaries : {false, true})
      for (const bool news : {true, false})
        for (const NightFinding* finding : findings_in(night, news, canaries))
          if (night.is_red(*finding) == is_red && (is_red || (news && !is_unsorted(*finding))))
            reported.push_back(finding);
  return reported;
}

std::size_t canary_count(const Night& night) {
  return static_cast<std::size_t>(
      std::count_if(night.cells.begin(), night.cells.end(),
                    [](const NightCell& cell) { return cell.is_canary(); }));
}

std::string counted_canaries(std::size_t count) {
  return count == 1 ? "1 canary" : grouped(count) + " canaries";
}

}  // namespace harness::reports
