// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/cell_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "harness/base/files/make_folder.h"
#include "harness/base/files/read.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/shard/shard_folder.h"
#include "harness/nightly/shard/stopwatch.h"
#include "harness/nightly/tapes/cell_tapes.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

const Scenario& scenario_of(const Cell& cell) {
  for (const Scenario* scenario : tables::scenarios())
    if (scenario->name.view() == cell.path) return *scenario;
  throw std::runtime_error(fmt::format("there is no path '{}'", cell.path));
}

/// Counts the instructions of a search's runs, without those of minimizing.
class RunInstructions {
 public:
  explicit RunInstructions(Services& services) : services_(services) {}

  /// Notes that the search begins or ends minimizing.
  void turn(bool is_minimizing) {
    const std::uint64_t count = services_.instructions();
    if (is_running_) runs_ += count - before_;
    before_ = count;
    is_running_ = !is_minimizing;
  }
  /// Returns the number of instructions of all runs.
  std::uint64_t end() {
    turn(true);
    return runs_;
  }

 private:
  Services& services_;
  std::uint64_t before_ = 0, runs_ = 0;
  bool is_running_ = false;
};

CellRecord record_of(const Cell& cell, const SearchResult& found) {
  CellRecord record;
  record.cell = cell;
  record.runs = found.tally.runs;
  record.vacuous_runs = found.tally.vacuous_runs;
  record.faulty_runs = found.tally.faulty_runs;
  for (const HazardTally& hazard : found.hazards)
    if (names(found.claim, hazard.hazard)) record.caught_runs += hazard.runs;
  record.least_runs = least_runs(found.claim, found.config_tallies());
  record.first_fault_run = found.first_fault_run;
  record.cut_short = found.cut_short;
  record.seconds = found.seconds;
  record.minimize_seconds = found.minimize_seconds;
  for (std::size_t i = 0; i < found.windows.size(); ++i)
    record.windows.push_back({std::string(found.scenario->windows[i].name.view()),
                              found.windows[i].reached, found.windows[i].caught});
  return record;
}

}  // namespace

CellSearch::CellSearch(Runner& runner, const Plan& plan, std::size_t shard,
                       const ShardOptions& options, Services& services)
    : runner_(runner),
      plan_(plan),
      shard_(shard),
      options_(options),
      services_(services),
      repairs_(runner, plan, options) {}

std::optional<CellRecord> CellSearch::run(const Cell& cell, const Place& place,
                                          const std::string& folder, const Deadline& deadline) {
  if (options_.is_stopped()) return std::nullopt;
  if (cell.path == kPrograms) return services_.search_program(place, cell, folder);
  auto record = cell.build.empty() ? search_here(cell, place, folder, deadline)
                                   : search_in_build(cell, place, folder, deadline);
  if (options_.is_stopped()) return std::nullopt;
  return record;
}

// ---- searching ----------------------------------------------------------------------------------

std::optional<CellRecord> CellSearch::search_here(const Cell& cell, const Place& place,
                                                  const std::string& folder,
                                                  const Deadline& deadline) {
  const Scenario& scenario = scenario_of(cell);
  CellTapes tapes(plan_, shard_, cell, scenario);
  RunInstructions instructions(services_);
  SearchOptions options = options_of(cell);
  options.run_limit = cell.budget.runs;
  options.second_limit = cell.budget.seconds;
  options.turned = [&](bool is_minimizing) {
    instructions.turn(is_minimizing);
    services_.show(is_minimizing ? Phase::minimize : Phase::run);
  };
  options.ran = [&](const Outcome& outcome, const Config& config) {
    tapes.take_in(outcome, config);
  };
  options.progress = [&](const SearchResult& result) { services_.show(place, cell, result); };
  SearchResult found =
      harness::search(runner_, scenario, variant_named(scenario, cell.variant), options);
  CellRecord record = record_of(cell, found);
  record.instructions = instructions.end();
  if (!found.findings.empty()) {
    services_.show(Phase::record);
    make_folder(folder);
  }
  for (const Finding& finding : found.findings)
    record.findings.push_back(keep(cell, finding, folder));
  if (found.stopped || options_.is_stopped()) return std::nullopt;
  const Stopwatch watch;
  add(record, found.findings, tapes.run(runner_, options_of(cell)), folder);
  if (record.tapes = tapes.record(); record.tapes.given > 0) record.tape_seconds = watch.seconds();
  confirm(record, folder, deadline);
  for (std::size_t i = 0; i < found.findings.size(); ++i)
    record.waiting +=
        !repairs_.note(record.findings[i], found.findings[i].reproducer.the_case, deadline);
  return record;
}

std::optional<CellRecord> CellSearch::search_in_build(const Cell& cell, const Place& place,
                                                      const std::string& folder,
                                                      const Deadline& deadline) {
  make_folder(folder);
  services_.show(Phase::run);
  services_.show(place, cell, {});
  const BuildSearch found =
      services_.search_in_build(cell, plan_.inputs_of(cell), folder, deadline);
  if (options_.is_stopped()) return std::nullopt;
  CellRecord record = record_of(cell, found, folder);
  confirm(record, folder, deadline);
  for (FindingRecord& finding : record.findings)
    if (finding.kind == kFault)
      record.waiting += !repairs_.note(
          finding, parse_reproducer(finding.reproducer, finding.file).the_case, deadline);
  add_bad_end(record, found, folder);
  return record;
}

/// Returns the options that all searches of a cell have in common.
SearchOptions CellSearch::options_of(const Cell& cell) const {
  SearchOptions options;
  options.strategy = options_.strategy;
  options.device = options_.device;
  options.seed = cell.seed;
  options.stop = options_.stop;
  options.turned = [this](bool is_minimizing) {
    services_.show(is_minimizing ? Phase::minimize : Phase::run);
  };
  return options;
}

// ---- findings -----------------------------------------------------------------------------------

/// Writes the reproducer of a finding into an existing folder. Returns its record, with the runs of
/// the cell's own search.
FindingRecord CellSearch::keep(const Cell& cell, const Finding& finding,
                               const std::string& folder) const {
  FindingRecord record;
  record.kind = finding.nondeterministic ? kNondeterminism : kFault;
  record.hazard = finding.hazard.view();
  record.signature = finding.signature;
  record.cause = cause_of(cell, {record.kind, record.hazard, record.signature});
  record.runs = finding.count;
  record.first_run = finding.first_run;
  record.minimized = finding.is_minimized;
  const fs::path place(folder);
  const std::string file = services_.write(folder, finding);
  record.file = (place.filename() / file).string();
  record.reproducer = read_whole_file((place / file).string());
  if (finding.nondeterministic) record.difference = "its replay in the search differed";
  return record;
}

/// Adds findings of another search of the cell; only their runs if its own search found them, too.
void CellSearch::add(CellRecord& record, std::vector<Finding>& findings,
                     std::vector<Finding> others, const std::string& folder) const {
  for (Finding& other : others) {
    const std::size_t index = place_of(other, findings);
    if (index == findings.size()) {
      make_folder(folder);
      record.findings.push_back(keep(record.cell, other, folder));
      record.findings.back().runs = record.findings.back().first_run = 0;
      findings.push_back(other);
    }
    record.findings[index].other_runs += other.count;
  }
}

/// Replays all findings of a cell. Those whose replay differs become another kind of finding.
/// Triage follows.
void CellSearch::confirm(CellRecord& record, const std::string& folder,
                         const Deadline& deadline) const {
  if (record.findings.empty()) return;
  services_.show(Phase::replay);
  const std::map<std::string, std::string> differences = services_.replay(folder, deadline);
  for (FindingRecord& finding : record.findings) {
    const auto replayed = differences.find(fs::path(finding.file).filename().string());
    const std::string difference =
        replayed == differences.end() ? "was not replayed" : replayed->second;
    if (difference.empty() || finding.kind != kFault) continue;
    finding.difference = difference;
    if (difference == kOutOfTime) continue;  // It says nothing about the run.
    finding.kind = kNondeterminism;
    finding.cause = cause_of(record.cell, {finding.kind, finding.hazard, finding.signature});
  }
  services_.show(Phase::triage);
}

}  // namespace harness::nightly
