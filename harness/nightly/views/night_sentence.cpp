// SPDX-License-Identifier: Apache-2.0
// How it works. Each part is a sentence or empty. Parts that make a night red precede the others.
#include "harness/nightly/views/night_sentence.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "harness/base/printable.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/views/night_words.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightCell;
using nightly::NightFinding;
using nightly::State;

/// Number of variants that are named; others are counted.
constexpr std::size_t kNamed = 3;

/// Returns "1.1 million" for a large number.
std::string rounded(std::uint64_t number) {
  constexpr std::uint64_t kMillion = 1'000'000;
  if (number < kMillion) return grouped(number);
  return fmt::format("{:.1f} million", static_cast<double>(number) / kMillion);
}

/// Returns "a, b, c and 4 more".
std::string listed(const std::set<std::string>& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names)
    if (++count <= kNamed) text += (count == 1 ? "" : ", ") + printable(name);
  return count > kNamed ? text + fmt::format(" and {} more", count - kNamed) : text;
}

/// Findings by state.
struct Counts {
  std::size_t fresh = 0, regressed = 0, known = 0;
  std::set<std::string> variants = {};  ///< The variants that show them.

  void add(const NightFinding& finding) {
    fresh += finding.state == State::fresh;
    regressed += finding.state == State::regressed;
    known += finding.state == State::known;
    variants.insert(finding.path + "/" + finding.variant);
  }
  std::size_t all() const { return fresh + regressed + known; }

  /// Returns "3 new, 1 known".
  std::string text() const {
    std::string text;
    const auto add = [&](std::size_t count, std::string_view word) {
      if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), word);
    };
    add(fresh, "new");
    add(regressed, "regressed");
    add(known, "known");
    return text;
  }
};

std::string held_of(const Night& night) {
  std::size_t sound = 0, held = 0, ignored = 0;
  std::uint64_t runs = 0;
  for (const NightCell& cell : night.cells) {
    if (cell.is_canary()) continue;
    const std::string verdict = cell.verdict();
    ++sound;
    ignored += verdict == "refuted";
    if (verdict != "held" && verdict != "vacuous") continue;
    ++held;
    runs += cell.runs;
  }
  if (sound == 0) return {};
  std::string text = held == sound ? fmt::format("{} held in {} runs",
                                                 counted(sound, "sound variant"), rounded(runs))
                     : held == 0   ? std::string("No sound variant held")
                                   : fmt::format("{} of {} held in {} runs", held,
                                                 counted(sound, "sound variant"), rounded(runs));
  if (ignored > 0) text += fmt::format("; {} failed only by ignored findings", ignored);
  if (const std::size_t few = sound - held - ignored; few > 0)
    text += fmt::format("; {} had too few runs", few);
  return text + ".";
}

std::string sound_of(const Night& night) {
  Counts counts;
  for (const NightFinding& finding : night.findings)
    if (finding.state != State::ignored && !night.is_of_canary(finding)) counts.add(finding);
  if (counts.all() == 0) return held_of(night);
  const std::string since =
      counts.fresh == 0 || night.commit_before.empty() ? "" : ", since " + night.commit_before;
  return fmt::format("{} fault{} in sound variants ({}){}.", counts.text(),
                     counts.all() == 1 ? "" : "s", listed(counts.variants), printable(since));
}

std::string missed_of(const Night& night) {
  std::set<std::string> names;
  for (const NightCell* cell : night.missed_canaries()) names.insert(name_of(*cell));
  if (names.empty()) return {};
  return fmt::format("{} missed ({}).", counted_canaries(names.size()), listed(names));
}

std::string replays_of(const Night& night) {
  std::string text;
  const nightly::NightTapes tapes = night.tapes();
  if (const std::uint64_t lost = tapes.replayed - tapes.survived; lost > 0)
    text += fmt::format("{} of {} tapes no longer reach what they reached. ", grouped(lost),
                        grouped(tapes.replayed));
  const auto is_other = [&](const NightFinding& finding) { return night.is_red(finding); };
  if (const auto others = std::count_if(night.absent.begin(), night.absent.end(), is_other);
      others > 0)
    text += fmt::format("{} recorded finding{} no longer replay{}. ", others,
                        others == 1 ? "" : "s", others == 1 ? "s" : "");
  std::size_t unstable = 0;
  for (const NightFinding& finding : night.findings)
    unstable += night.is_of_canary(finding) && night.is_red(finding);
  if (unstable > 0)
    text += fmt::format("{} in canaries did not replay.", counted(unstable, "finding"));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string canary_news_of(const Night& night) {
  Counts counts;
  for (const NightFinding& finding : night.findings)
    if (finding.is_news() && night.is_of_canary(finding) && !night.is_red(finding) &&
        !is_unsorted(finding))
      counts.add(finding);
  if (counts.all() == 0) return {};
  if (night.terms.number == 1)
    return fmt::format("{} in canaries, all new in a first night.",
                       counted(counts.all(), "finding"));
  return fmt::format("{} in canaries.", counts.text());
}

/// Returns how long a night must be for a canary that had this many runs in this one.
std::string long_enough(const Night& night, std::uint64_t runs) {
  if (runs == 0 || night.terms.budget.seconds <= 0) return {};
  const double minutes = night.terms.budget.seconds / 60 / static_cast<double>(night.terms.shards);
  const double times = static_cast<double>(nightly::kRunsToCatch) / static_cast<double>(runs);
  return fmt::format(" (a night of {} is long enough)",
                     counted(static_cast<std::uint64_t>(std::ceil(minutes * times)), "minute"));
}

std::string fixed_of(const Night& night) {
  const std::size_t fixed = night.fixed().size();
  return fixed == 0 ? "" : grouped(fixed) + " fixed.";
}

std::string caught_of(const Night& night) {
  std::size_t canaries = 0, uncaught = 0;
  std::uint64_t fewest = nightly::kRunsToCatch;
  for (const NightCell& cell : night.cells) {
    canaries += cell.is_canary();
    uncaught += cell.is_uncaught();
    if (cell.is_uncaught()) fewest = std::min(fewest, cell.runs);
  }
  if (canaries == 0) return {};
  if (uncaught == 0)
    return canaries == 1 ? "The canary was caught."
                         : fmt::format("All {} canaries caught.", canaries);
  std::string text =
      fmt::format("{} of {} caught", canaries - uncaught, counted_canaries(canaries));
  if (const std::size_t few = uncaught - night.missed_canaries().size(); few > 0)
    text += fmt::format("; {} had fewer than {} runs, which is too few{}", few,
                        grouped(nightly::kRunsToCatch), long_enough(night, fewest));
  return text + ".";
}

std::string missing_of(const Night& night) {
  std::string text;
  if (const std::size_t missing = night.terms.shards - night.shards_here; missing > 0)
    text = fmt::format("{} of {} shards are missing. ", missing, night.terms.shards);
  if (night.nights_missing > 0)
    text += fmt::format("{} before it did not run.", counted(night.nights_missing, "night"));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::string sentence_of(const Night& night) {
  std::string text;
  for (const auto& part :
       {sound_of, missed_of, replays_of, canary_news_of, fixed_of, caught_of, missing_of})
    if (const std::string one = part(night); !one.empty()) text += (text.empty() ? "" : " ") + one;
  return text;
}

std::string_view verdict_of(const Night& night) {
  if (night.is_red()) return "red";
  const bool is_whole = night.shards_here >= night.terms.shards && night.nights_missing == 0;
  return is_whole ? "green" : "incomplete";
}

std::string circumstances_of(const Night& night) {
  const nightly::NightTimes& times = night.times;
  std::uint64_t runs = 0;
  for (const NightCell& cell : night.cells) runs += cell.runs + cell.tapes.runs;
  std::string text = fmt::format("night {}", night.terms.number);
  const auto add = [&](const std::string& more) { text += ", " + more; };
  if (const std::int64_t end = night.past.empty() ? 0 : night.past.back().ended_at; end > 0)
    add(fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(end)));
  if (!night.terms.target.empty()) add(night.terms.target);
  if (!night.terms.revision.empty()) add("revision " + shown(night.terms.revision));
  if (times.seconds > 0 && night.shards_here > 0) {
    const double seconds = times.seconds / static_cast<double>(night.shards_here);
    add((seconds < 60 ? fmt::format("{:.1f} s", seconds)
                      : fmt::format("{:.1f} minutes", seconds / 60)) +
        (night.shards_here > 1 ? fmt::format(" of {} shards", night.shards_here) : ""));
  }
  add(rounded(runs) + " runs");
  add(fmt::format("seed {}", night.terms.seed));
  if (!times.machine.empty()) add(shown(times.machine));
  if (const double share = times.sound_share(night.terms); share > 0)
    text += fmt::format(". Sound variants had {:.0f} % of the time", 100 * share);
  if (times.untried > 0)
    text += fmt::format(
        ". {} for a trial of repairs in a later night",
        times.untried == 1 ? "1 way to fail waits" : grouped(times.untried) + " ways to fail wait");
  if (times.unreplayed > 0)
    text += fmt::format(". {} not replayed in a fresh process: out of time",
                        counted(times.unreplayed, "finding"));
  return text + ".";
}

}  // namespace harness::reports
