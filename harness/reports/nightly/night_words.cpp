#include "harness/reports/nightly/night_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/nightly/cause.h"
#include "harness/printable.h"

namespace harness::reports {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;
using nightly::State;

std::string name_of(const NightCell& cell) { return cell.path + "/" + cell.variant; }

Colour colour_of(const NightCell& cell) {
  const std::string verdict = cell.verdict();
  if (verdict == "held" || verdict == "caught" || verdict == "vacuous") return Colour::green;
  return verdict == "too few runs" && !cell.is_canary() ? Colour::yellow : Colour::red;
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
  return fmt::format("shows in {} ways{}", grouped(finding.symptoms.size()),
                     variants.size() > 1 ? fmt::format(", in {} variants", variants.size()) : "");
}

std::string change_of(const NightFinding& finding) {
  if (!finding.change) return {};
  const nightly::Change& change = *finding.change;
  switch (change.outcome) {
    case nightly::ChangeOutcome::was_before:
      return "not made since the night before, whose program shows it, too";
    case nightly::ChangeOutcome::unclear:
      return {};
    case nightly::ChangeOutcome::named:
      break;
  }
  return fmt::format("since the night before, {} goes another way, at {}:{}{}", change.function,
                     change.file, change.line,
                     change.upon.empty() ? ""
                                         : fmt::format(", maybe upon the answer of {}",
                                                       fmt::join(change.upon, " or of ")));
}

std::string absence_of(const NightFinding& finding) {
  const nightly::AbsentReplay& replay = finding.absent.value();
  const std::string runs = fmt::format("{} runs since, of which {:.1f} would have shown it",
                                       grouped(replay.runs), replay.expected);
  switch (replay.absence) {
    case nightly::Absence::shown:
      return "not met, but its reproducer shows it still";
    case nightly::Absence::unclear:
      return "its reproducer shows another fault, or cannot be read; " + runs;
    case nightly::Absence::gone:
      break;
  }
  return fmt::format("its reproducer does not show it; {}{}", runs,
                     replay.is_fixed() ? "" : ": too few to tell");
}

std::size_t canary_count(const Night& night) {
  return static_cast<std::size_t>(
      std::count_if(night.cells.begin(), night.cells.end(),
                    [](const NightCell& cell) { return cell.is_canary(); }));
}

std::string summary_of(const Night& night) {
  const std::size_t canaries = canary_count(night);
  std::string text = fmt::format(
      "night {} ({}seed {}{}{}): {}: {} of {} canaries caught; findings: {} new, {} regressed, {} "
      "known, {} ignored",
      night.terms.number, night.terms.target.empty() ? "" : night.terms.target + ", ",
      night.terms.seed, night.terms.revision.empty() ? "" : ", ", shown(night.terms.revision),
      night.is_red() ? "red" : "nothing new", canaries - night.missed_canaries().size(), canaries,
      night.count(State::fresh), night.count(State::regressed), night.count(State::known),
      night.count(State::ignored));
  if (const std::size_t ways = night.symptom_count(); ways > night.findings.size())
    text += fmt::format(", in {}", counted(ways, "signature"));
  if (const std::size_t fixed = night.fixed().size(); fixed > 0)
    text += fmt::format(", {} fixed", grouped(fixed));
  if (night.shards_here < night.terms.shards)
    text += fmt::format("; {} of {} shards are missing", night.terms.shards - night.shards_here,
                        night.terms.shards);
  if (night.nights_missing > 0)
    text += fmt::format("; {} before it did not happen", counted(night.nights_missing, "night"));
  return text;
}

}  // namespace harness::reports
