// SPDX-License-Identifier: Apache-2.0
// How it works. Each canary goes through the record independently, one trial after the other. A
// trial is the same code that judges all benchmarks (trial.h), with a source that takes rounds from
// the record.
#include <algorithm>
#include <future>

#include "harness/gate/canaries.h"
#include "harness/gate/random.h"
#include "harness/gate/trial.h"

namespace harness::gate {
namespace {

using Rounds = std::span<const CanaryRound>;

constexpr double kSignificant = 0.05;  ///< The level of compare.py.
/// Number of trials after which a broken gate must be detected.
constexpr std::size_t kEnoughTrials = 10;
/// Distance in rounds between sides that were not measured together: longer than a stretch.
constexpr std::size_t kApart = 8;
/// Length of a disturbance in rounds, and its largest relative size.
constexpr std::size_t kStretch = 3;
constexpr double kDisturbance = 0.5;

Rule rule_of(Planted planted) {
  Rule rule;
  if (planted == Planted::threshold) rule.slower_by = -rule.allowed;
  if (planted == Planted::confirmation) rule.confirmations = 0;
  return rule;
}

/// Replays recorded measurements, beginning with one round.
class Walk : public Source {
 public:
  Walk(Rounds rounds, std::size_t begin, Canary canary, Planted planted)
      : rounds_(rounds), next_(begin), canary_(canary), planted_(planted) {}

  std::optional<Round> measure(const Request& request) override {
    if (next_ == rounds_.size()) return std::nullopt;
    const std::size_t apart = planted_ == Planted::pairing ? kApart : 0;
    const std::size_t base = (next_ + apart) % rounds_.size();
    const CanaryRound& round = rounds_[next_];
    const Reading& head = round.*head_in(request);
    return Round{disturbed(rounds_[base].base, base), disturbed(head, next_++)};
  }
  End why_ended() const override { return End::stopped; }

  std::size_t next() const { return next_; }

 private:
  Reading CanaryRound::* head_in(const Request& request) const {
    if (canary_ == Canary::unchanged) return &CanaryRound::same;
    if (canary_ == Canary::slower_by_1) return &CanaryRound::slower_by_1;
    const bool is_gone = canary_ == Canary::passing && request.confirmation > 0;
    return is_gone ? &CanaryRound::same : &CanaryRound::slower_by_3;
  }

  Reading disturbed(Reading reading, std::size_t round) const {
    if (canary_ != Canary::disturbed) return reading;
    const double more = kDisturbance * Random(round / kStretch).uniform();
    for (auto& [name, time] : reading) time *= 1 + more;
    return reading;
  }

  Rounds rounds_;
  std::size_t next_;
  Canary canary_;
  Planted planted_;
};

/// Returns the probability of such a difference between two sets that do not differ.
using Test = double (*)(std::span<const double>, std::span<const double>);

/// Returns the number of benchmarks that a test at 5 % calls slower after the first look, by their
/// medians, like Google Benchmark's rule.
std::uint64_t slower_by(Test test, Walk walk, std::size_t rounds) {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> samples;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Round round = *walk.measure({});
    for (const auto& [name, time] : round.base) samples[name].first.push_back(time);
    for (const auto& [name, time] : round.head) samples[name].second.push_back(time);
  }
  std::uint64_t slower = 0;
  for (auto& [name, sides] : samples) {
    auto& [base, head] = sides;
    const bool differs = test(base, head) < kSignificant;
    std::sort(base.begin(), base.end());
    std::sort(head.begin(), head.end());
    slower += differs && quantile(head, 0.5) > quantile(base, 0.5);
  }
  return slower;
}

/// Counts a suite, or its benchmarks, of which `slower` were called slower.
void count(Canary canary, std::uint64_t slower, std::uint64_t benchmarks, Rate& rate) {
  if (is_false_alarm(canary)) return rate.add(slower > 0);
  rate.count += slower;
  rate.total += benchmarks;
}

Health health_of(const CanaryRow& row) {
  if (row.canary == Canary::slower_by_1) return Health::reported;
  return health_of(row.found, is_false_alarm(row.canary));
}

/// Returns the number of rounds before the last verdict of a benchmark.
std::size_t rounds_of(const Row& row) { return row.estimate ? row.estimate->rounds : 0; }

bool is_open(Verdict verdict) {
  return verdict == Verdict::undecided || verdict == Verdict::too_noisy;
}

void count(const Result& whole, const Result& curtailed, Curtailing& curtailing) {
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    const Row &with = whole.rows[i], &without = curtailed.rows[i];
    curtailing.saved.total += rounds_of(with);
    curtailing.saved.count += rounds_of(with) - std::min(rounds_of(with), rounds_of(without));
    curtailing.lost.add(!is_open(with.verdict) && is_open(without.verdict));
  }
}

Rule uncurtailed(Rule rule) {
  rule.curtails = false;
  return rule;
}

/// Returns the result of a trial, and the next round after it.
std::pair<Result, std::size_t> result_of(Walk walk, const Rule& rule) {
  Trial trial(walk, rule);
  trial.run();
  return {trial.result(), walk.next()};
}

CanaryRow judge_one(const std::string& load, Rounds rounds, Canary canary, Planted planted) {
  CanaryRow row{.load = load, .canary = canary};
  const Rule rule = rule_of(planted);
  for (std::size_t begin = 0; begin + rule.most_rounds() <= rounds.size();) {
    const Walk walk(rounds, begin, canary, planted);
    for (const auto& [test, rate] :
         {std::pair<Test, Rate*>{mann_whitney, &row.mann_whitney}, {welch, &row.means}})
      count(canary, slower_by(test, walk, rule.looks.front()), rounds[begin].base.size(), *rate);
    const auto [result, next] = result_of(walk, rule);
    count(canary, result.count(Verdict::slower), result.rows.size(), row.found);
    const bool is_curtailed = std::ranges::any_of(result.rows, &Row::is_given_up);
    count(is_curtailed ? result_of(walk, uncurtailed(rule)).first : result, result, row.curtailing);
    begin = next;
    ++row.trials;
  }
  row.health = health_of(row);
  return row;
}

}  // namespace

CanaryRound planted_in(const Round& round) {
  const auto slower_by = [&](double more) {
    Reading reading = round.head;
    for (auto& [name, time] : reading) time *= 1 + more;
    return reading;
  };
  return {round.base, round.head, slower_by(0.01), slower_by(0.03)};
}

std::string_view name_of(Canary canary) {
  constexpr std::array<std::string_view, kCanaryCount> kNames{"unchanged", "+3 %, passing", "+3 %",
                                                              "+3 %, disturbed", "+1 %"};
  return kNames[static_cast<std::size_t>(canary)];
}

bool is_false_alarm(Canary canary) {
  return canary == Canary::unchanged || canary == Canary::passing;
}

std::string_view name_of(Planted planted) {
  constexpr std::array<std::string_view, kPlantedCount> kNames{"nothing", "threshold", "pairing",
                                                               "confirmation"};
  return kNames[static_cast<std::size_t>(planted)];
}

std::vector<CanaryRow> judge_canaries(const CanaryRecord& record, Planted planted) {
  std::vector<std::future<CanaryRow>> judged;
  for (const auto& [load, rounds] : record)
    for (std::size_t i = 0; i < kCanaryCount; ++i)
      judged.push_back(std::async(std::launch::async, judge_one, load, Rounds(rounds),
                                  static_cast<Canary>(i), planted));
  std::vector<CanaryRow> rows;
  rows.reserve(judged.size());
  for (std::future<CanaryRow>& row : judged) rows.push_back(row.get());
  return rows;
}

std::vector<PlantedRow> plant_in_gate(const CanaryRecord& record) {
  std::vector<PlantedRow> plants;
  for (std::size_t i = 1; i < kPlantedCount; ++i) {
    PlantedRow row{.planted = static_cast<Planted>(i), .had_enough = false};
    for (const CanaryRow& canary : judge_canaries(record, row.planted)) {
      row.is_seen = row.is_seen || canary.health == Health::red;
      row.had_enough = row.had_enough || canary.trials >= kEnoughTrials;
    }
    plants.push_back(row);
  }
  return plants;
}

}  // namespace harness::gate
