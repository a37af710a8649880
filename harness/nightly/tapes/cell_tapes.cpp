// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/tapes/cell_tapes.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "harness/nightly/cause.h"

namespace harness::nightly {
namespace {

using Clock = std::chrono::steady_clock;

bool is_requested(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

}  // namespace

CellTapes::CellTapes(const Plan& plan, std::size_t shard, const Cell& cell,
                     const Scenario& scenario)
    : plan_(plan),
      shard_(shard),
      cell_(cell),
      scenario_(scenario),
      variant_(variant_named(scenario, cell.variant)),
      is_sound_(scenario.variants[variant_].claim.kind == ClaimKind::sound),
      tapes_(plan.tapes_of(cell)),
      shortest_(scenario) {}

// A failing run of a sound variant is not kept here: it is a finding with a reproducer.
void CellTapes::take_in(const Outcome& outcome, const Config& config) {
  if (!is_sound_ || !outcome.failed()) shortest_.take_in(outcome, config);
}

std::vector<Finding> CellTapes::run(Runner& runner, const SearchOptions& options) {
  if (tapes_.empty()) return {};
  if (options.turned) options.turned(false);
  const Clock::time_point begin = Clock::now();
  for (std::size_t i = 0; i < tapes_.size(); ++i) {
    if (!is_replayed_by(plan_, shard_, i)) continue;
    ++record_.given;
    if (has_runs_left() && !is_requested(options.stop)) replay(runner, tapes_[i], options);
  }
  const std::chrono::duration<double> spent = Clock::now() - begin;
  if (is_sound_ && !is_requested(options.stop)) search_around(runner, options, spent.count());
  return std::move(findings_);
}

bool CellTapes::has_runs_left() const {
  return cell_.tapes_budget.seconds > 0 || record_.runs < cell_.tapes_budget.runs;
}

Case CellTapes::case_of(const KeptTape& tape) const {
  try {
    return {&scenario_, variant_, parse_config(scenario_, tape.config), nullptr,
            parse_tape(tape.tape)};
  } catch (const std::runtime_error&) {
    return {};
  }
}

void CellTapes::replay(Runner& runner, const KeptTape& tape, const SearchOptions& options) {
  ++record_.replayed;
  Case the_case = case_of(tape);
  if (the_case.scenario == nullptr) return;
  the_case.device = options.device;
  ++record_.runs;
  const Outcome& outcome = runner.run(the_case);
  const std::vector<std::string> features = shortest_.features_of(outcome);
  record_.survived +=
      std::includes(features.begin(), features.end(), tape.features.begin(), tape.features.end());
  take_in(outcome, the_case.config);
  if (!is_sound_ || !outcome.failed()) return;
  SearchOptions again = options;
  again.configs = {the_case.config};
  again.tapes = {&the_case.tape, 1};
  again.run_limit = 1;
  again.second_limit = 0;
  search(runner, again);
}

void CellTapes::search_around(Runner& runner, SearchOptions options, double spent_seconds) {
  const Budget& budget = cell_.tapes_budget;
  if (!has_runs_left() || (budget.seconds > 0 && budget.seconds <= spent_seconds)) return;
  std::vector<Tape> tapes;
  for (const KeptTape& one : tapes_)
    if (Case the_case = case_of(one); the_case.scenario != nullptr)
      tapes.push_back(std::move(the_case.tape));
  if (tapes.empty()) return;
  options.tapes = tapes;
  options.seed = mix(cell_.seed, hash_name("tapes"));
  options.run_limit = budget.runs > 0 ? budget.runs - record_.runs : 0;
  options.second_limit = budget.seconds > 0 ? budget.seconds - spent_seconds : 0;
  options.ran = [this](const Outcome& outcome, const Config& config) {
    ++record_.runs;
    take_in(outcome, config);
  };
  search(runner, options);
}

void CellTapes::search(Runner& runner, SearchOptions options) {
  SearchResult found = harness::search(runner, scenario_, variant_, options);
  for (Finding& one : found.findings) {
    const std::size_t place = place_of(one, findings_);
    if (place == findings_.size())
      findings_.push_back(std::move(one));
    else
      findings_[place].count += one.count;
  }
}

bool CellTapes::is_ours(const std::string& feature, std::size_t decisions) const {
  for (std::size_t i = 0; i < tapes_.size(); ++i) {
    const std::vector<std::string>& features = tapes_[i].features;
    if (!std::binary_search(features.begin(), features.end(), feature)) continue;
    return is_replayed_by(plan_, shard_, i) || decisions < decision_count(tapes_[i].tape);
  }
  return true;
}

TapesRecord CellTapes::record() const {
  TapesRecord record = record_;
  for (KeptTape& tape : shortest_.kept(kMostFeatures)) {
    const std::size_t decisions = decision_count(tape.tape);
    std::erase_if(tape.features,
                  [&](const std::string& feature) { return !is_ours(feature, decisions); });
    if (!tape.features.empty()) record.kept.push_back(std::move(tape));
  }
  return record;
}

}  // namespace harness::nightly
