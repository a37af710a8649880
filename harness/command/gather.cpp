// SPDX-License-Identifier: Apache-2.0
#include "harness/command/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/base/printable.h"
#include "harness/core/fault/kinds.h"
#include "harness/report/story.h"

namespace harness::entries {
namespace {

// The key by which the failure to print is selected: stale uses come first, then findings in a
// window, then those with few choices, by window and number of turns.
auto plainness(const Finding& finding) {
  const FaultKind kind = finding.fault.kind;
  const bool stale = kind == FaultKind::use_after_free || kind == FaultKind::recycled_use;
  return std::tuple(!stale, finding.window < 0, finding.reproducer.the_case.tape.size(),
                    finding.window, finding.fault.tick);
}

reports::WindowCell cell_of(const StandingRow& row, const Claim& claim) {
  std::string answer;
  for (const DocumentedRefusal& refusal : claim.refusals)
    if (refusal.window == row.hazard) answer = refusal.answer.view();
  return {std::string(row.hazard.view()),
          std::string(row.way.view()),
          row.claimed,
          row.unexplained,
          row.arrivals,
          row.standing,
          answer};
}

template <class Rows, class Same, class Make>
auto& find_or_add(Rows& rows, Same same, Make make) {
  const auto found = std::find_if(rows.begin(), rows.end(), same);
  return found != rows.end() ? *found : rows.emplace_back(make());
}

}  // namespace

void Gathered::add(const SearchResult& result, const FileOf& file_of) {
  const Scenario& scenario = *result.scenario;
  reports::VariantRow row;
  row.path = scenario.name.view();
  row.variant = scenario.variants[result.variant].name.view();
  row.claim = result.claim;
  row.verdict = result.verdict;
  row.runs = result.tally.runs;
  row.runs_to_first_fault = result.first_fault_run;
  row.seconds = result.seconds;
  row.further_signatures = result.further_signatures;
  row.least_runs = least_runs(result.claim, result.config_tallies());
  row.stopped = result.stopped;
  row.cut_short = result.cut_short;
  for (const StandingRow& outside : result.rows)
    if (outside.standing == Standing::outside)
      (outside.unexplained ? row.unexplained_kinds : row.unclaimed).push_back(outside.name());
  row.missed = result.names_of(Standing::missed);
  for (const StandingRow& window : result.rows)
    row.windows.push_back(cell_of(window, result.claim));
  for (const Finding& finding : result.findings) {
    row.findings.push_back({finding.signature, std::string(finding.hazard.view()), finding.count,
                            finding.is_minimized, file_of(finding)});
    if (finding.nondeterministic) nondeterministic_.push_back(finding.signature);
    consider(finding, row.findings.back().file, !row.came_out() || !row.unexplained_kinds.empty());
  }
  for (const ConfigTally& config : result.configs)
    row.configs.push_back({to_string(scenario, config.config), judge(result.claim, config.tally),
                           config.tally.runs, exercised_runs(config.tally)});
  findings_.variants.push_back(std::move(row));
  add_windows(result);
  add_ops(result);
}

/// Adds the runs of each config of a path that are not vacuous. Returns the least of the sums.
std::uint64_t Gathered::add_exercised(const SearchResult& result) {
  std::map<std::string, std::uint64_t>& runs = exercised_[result.scenario];
  std::uint64_t least = ~std::uint64_t{0};
  for (const ConfigTally& config : result.configs) {
    std::uint64_t& sum = runs[to_string(*result.scenario, config.config)];
    least = std::min(least, sum += exercised_runs(config.tally));
  }
  return least;
}

void Gathered::add_windows(const SearchResult& result) {
  const std::string path(result.scenario->name.view());
  const std::uint64_t least = add_exercised(result);
  for (std::size_t i = 0; i < result.windows.size(); ++i) {
    const Window& window = result.scenario->windows[i];
    if (!findings_.window.empty() && findings_.window != window.name.view()) continue;
    reports::WindowRow& row = find_or_add(
        findings_.windows,
        [&](const auto& known) { return known.path == path && known.window == window.name.view(); },
        [&] {
          return reports::WindowRow{path,
                                    std::string(window.name.view()),
                                    std::string(window.summary),
                                    0,
                                    0,
                                    least,
                                    window.is_callers};
        });
    row.reached += result.windows[i].reached;
    row.caught += result.windows[i].caught;
    row.least_runs = least;
  }
}

void Gathered::add_ops(const SearchResult& result) {
  const std::string path(result.scenario->name.view());
  for (std::size_t i = 0; i < result.ops.size(); ++i) {
    const Label op = result.scenario->ops[i].name;
    reports::OpRow& row = find_or_add(
        findings_.ops,
        [&](const auto& known) { return known.path == path && known.op == op.view(); },
        [&] { return reports::OpRow{path, std::string(op.view()), 0}; });
    row.reached += result.ops[i];
  }
}

void Gathered::consider(const Finding& finding, const std::string& file, bool surprising) {
  if (!told_.empty()) {
    const Told& best = told_.front();
    if (told_surprises_ != surprising) {
      if (told_surprises_) return;
    } else if (plainness(best.finding) <= plainness(finding)) {
      return;
    }
  }
  told_.assign(1, {finding, file});
  told_surprises_ = surprising;
}

// A refuted claim determines the exit code even if the session was stopped. A search that was
// stopped does not fail for faults that it had not found yet.
ExitCode Gathered::exit_code() const {
  const bool wrong = std::any_of(
      findings_.variants.begin(), findings_.variants.end(),
      [](const auto& row) { return row.is_refuted() || (!row.stopped && !row.came_out()); });
  if (wrong || !nondeterministic_.empty()) return kNotAsClaimed;
  return findings_.stopped ? kStopped : kAsClaimed;
}

void put_first(Reproducer& reproducer, const std::string& signature) {
  const auto found = std::find(reproducer.faults.begin(), reproducer.faults.end(), signature);
  if (found != reproducer.faults.end()) std::rotate(reproducer.faults.begin(), found, found + 1);
}

std::string never_asked(const Runner& runner, const Reproducer& reproducer) {
  const Tape decisions = runner.never_asked(reproducer.the_case);
  if (decisions.empty()) return {};
  return fmt::format(
      "{} never made: {}",
      decisions.size() == 1 ? "1 choice was" : fmt::format("{} choices were", decisions.size()),
      shown(to_string(reproducer, decisions.front()), 200));
}

std::size_t fault_index(const Outcome& outcome, std::string_view signature) {
  for (std::size_t i = 0; i < outcome.faults.size(); ++i)
    if (outcome.faults[i].signature() == signature) return i;
  return 0;
}

std::string story_of(Runner& runner, const Finding& finding, const reports::Terminal& terminal) {
  const Case& the_case = finding.reproducer.the_case;
  const Outcome& outcome = runner.run(the_case);
  return reports::story(
      {the_case, outcome, runner.world(), fault_index(outcome, finding.signature)}, terminal);
}

}  // namespace harness::entries
