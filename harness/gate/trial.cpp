// SPDX-License-Identifier: Apache-2.0
// How it works. A measurement is a series of looks at 20, 40, 80 and 160 rounds. At each look, all
// participating benchmarks are judged together; those that already have a verdict with the samples
// of that verdict, so that Holm's correction always concerns the whole suite. Only undecided
// benchmarks continue, if more rounds can decide them. Failed ones start again with an empty
// series, and the second verdict counts. A look that must stop before all estimates are computed
// gives no verdicts, because Holm's correction needs the whole suite.
#include "harness/gate/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "harness/base/base.h"
#include "harness/gate/futility.h"

namespace harness::gate {
namespace {

using Clock = std::chrono::steady_clock;

double low_quantile(const Series& series, double Pair::* side) {
  std::vector<double> values;
  values.reserve(series.size());
  for (const Pair& pair : series) values.push_back(pair.*side);
  std::sort(values.begin(), values.end());
  return quantile(values, kQuantile);
}

double value_of(const Reading& reading, const std::string& name, const Request& request,
                std::string_view side) {
  const auto found = reading.find(name);
  if (found == reading.end())
    throw std::runtime_error(fmt::format("round {}: the {} no longer prints benchmark '{}'",
                                         request.round + 1, side, name));
  return found->second;
}

Row one_sided(const std::string& name, Verdict verdict, double Row::* side, double value) {
  Row row;
  row.name = name;
  row.verdict = verdict;
  row.*side = value;
  return row;
}

}  // namespace

std::string_view name_of(End end) {
  constexpr std::array<std::string_view, 4> kNames{"complete", "out of time", "stopped",
                                                   "no time for the next look"};
  return kNames[raw(end)];
}

std::size_t Result::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const Row& row) { return row.verdict == verdict; }));
}

void Trial::run() {
  for (std::size_t confirmation = 0; confirmation <= rule_.confirmations; ++confirmation) {
    if (confirmation > 0) {
      reopen_slower();
      if (part_count_ == 0) return;
    }
    if (!measure(confirmation)) return;
  }
}

/// Returns whether the measurement was completed.
bool Trial::measure(std::size_t confirmation) {
  std::size_t round = 0;
  for (const std::size_t rounds : rule_.looks) {
    for (; round < rounds; ++round) {
      const Request request{confirmation, round, open(), rounds - round};
      const std::optional<Round> measured = source_.measure(request);
      if (!measured) {
        end_ = source_.why_ended();
        return false;
      }
      take(request, *measured);
    }
    if (!look()) {
      end_ = source_.why_ended();
      is_unjudged_ = true;
      return false;
    }
    if (open().empty()) return true;
  }
  for (auto& [name, progress] : progress_) {
    if (progress.is_open) progress.row.verdict = last_verdict(*progress.row.estimate, rule_);
    progress.is_open = false;
  }
  return true;
}

void Trial::take(const Request& request, const Round& round) {
  if (progress_.empty()) list(round);
  ++rounds_;
  for (auto& [name, progress] : progress_)
    if (progress.is_open)
      progress.series.push_back({value_of(round.base, name, request, "base"),
                                 value_of(round.head, name, request, "head")});
}

/// Takes the names of the benchmarks from the first round.
void Trial::list(const Round& round) {
  for (const auto& [name, value] : round.base)
    if (round.head.contains(name))
      progress_[name].row.name = name;
    else
      one_sided_.push_back(one_sided(name, Verdict::gone, &Row::base, value));
  for (const auto& [name, value] : round.head)
    if (!round.base.contains(name))
      one_sided_.push_back(one_sided(name, Verdict::added, &Row::head, value));
  part_count_ = progress_.size();
  if (progress_.empty())
    throw std::runtime_error("nothing to compare: base and head have no benchmark in common");
}

/// Judges all participating benchmarks. Returns false, and gives no verdicts, if it had to stop.
bool Trial::look() {
  if (!estimate_open([this] { return source_.must_end(); })) return false;
  judge_open();
  return true;
}

/// Estimates open benchmarks with enough rounds. Returns false if it had to stop.
bool Trial::estimate_open(const MustEnd& must_end) {
  std::optional<Resamples> resamples;
  for (auto& [name, progress] : progress_) {
    Row& row = progress.row;
    const std::size_t rounds = progress.series.size();
    if (!progress.is_open || rounds < kLeastRounds || rounds == progress.estimated_rounds) continue;
    const Terms terms = rule_.terms(rounds, part_count_);
    if (!resamples || resamples->rounds() != rounds)
      resamples.emplace(rounds, terms.seed, kFirstResamples);
    const std::optional<Estimate> found = estimate(progress.series, terms, *resamples, must_end);
    if (!found) return false;
    row.estimate = found;
    progress.estimated_rounds = rounds;
    row.base = low_quantile(progress.series, &Pair::base);
    row.head = low_quantile(progress.series, &Pair::head);
  }
  return true;
}

/// Gives verdicts to open benchmarks, as far as possible.
void Trial::judge_open() {
  std::vector<Progress*> courses;
  std::vector<Estimate> estimates;
  for (auto& [name, progress] : progress_) {
    if (!progress.takes_part) continue;
    courses.push_back(&progress);
    estimates.push_back(*progress.row.estimate);
  }
  const std::vector<Verdict> verdicts = judge(estimates, rule_);
  for (std::size_t i = 0; i < courses.size(); ++i) {
    Progress& progress = *courses[i];
    Row& row = progress.row;
    if (!progress.is_open) continue;
    row.verdict = verdicts[i];
    if (verdicts[i] == Verdict::slower) row.unconfirmed.reset();
    if (verdicts[i] == Verdict::undecided && is_futile(*row.estimate, rule_)) {
      row.verdict = last_verdict(*row.estimate, rule_);
      row.is_given_up = true;
    }
    progress.is_open = verdicts[i] == Verdict::undecided && !row.is_given_up;
  }
}

void Trial::reopen_slower() {
  part_count_ = 0;
  for (auto& [name, progress] : progress_) {
    progress.takes_part = progress.is_open = progress.row.verdict == Verdict::slower;
    if (!progress.is_open) continue;
    ++part_count_;
    progress.row.unconfirmed = progress.row.estimate;
    progress.row.verdict = Verdict::undecided;
    progress.series.clear();
    progress.estimated_rounds = 0;
  }
}

std::vector<std::string> Trial::open() const {
  std::vector<std::string> names;
  for (const auto& [name, progress] : progress_)
    if (progress.is_open) names.push_back(name);
  return names;
}

Result Trial::result() {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(kShownSeconds));
  estimate_open([end] { return Clock::now() > end; });
  Result result{.rows = one_sided_, .end = end_, .rounds = rounds_, .is_unjudged = is_unjudged_};
  for (const auto& [name, progress] : progress_) {
    result.rows.push_back(progress.row);
    result.uncomputed += progress.is_open && progress.series.size() >= kLeastRounds &&
                         progress.estimated_rounds < progress.series.size();
  }
  std::sort(result.rows.begin(), result.rows.end(),
            [](const Row& a, const Row& b) { return a.name < b.name; });
  return result;
}

}  // namespace harness::gate
