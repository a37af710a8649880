// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/programs/program_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "harness/base/files/make_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/client/command/unjudged.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/command/programs/program_finding.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using nightly::FindingRecord;

/// Forwards the progress of a search.
class Listener final : public client::SearchWatcher {
 public:
  using Progress = std::function<void(std::uint64_t, std::size_t)>;
  explicit Listener(const Progress& progress) : progress_(progress) {}

  void plain(const client::ClientRun&) override {}
  void progress(const client::SearchResult& result, const char*, double) override {
    if (progress_) progress_(result.run_count, result.findings.size());
  }
  void found(const client::Finding&) override {}

 private:
  const Progress& progress_;
};

/// Writes a finding's file, and adds the finding to the record.
void add(nightly::CellRecord& record, FindingRecord finding, const std::string& text,
         const fs::path& folder) {
  make_folder(folder.string());
  write_whole_file((folder / finding.file).string(), text);
  finding.cause = nightly::cause_of(record.cell, {finding.kind, finding.hazard, finding.signature});
  finding.reproducer = text;
  finding.file = (folder.filename() / finding.file).string();
  record.findings.push_back(std::move(finding));
}

/// Adds the findings of the search. Two that differ only in lines are one finding.
void add_findings(nightly::CellRecord& record, const NightProgram& program,
                  const client::SearchResult& result, const fs::path& folder) {
  std::set<std::string> known;
  for (const client::Finding& found : result.findings) {
    FindingRecord finding;
    finding.kind = nightly::kFault;
    finding.hazard = found.fault.kind;
    finding.signature = signature_of(found.fault);
    if (!known.insert(finding.signature).second) continue;
    finding.runs = found.run_count;
    finding.first_run = found.run + 1;
    finding.minimized = true;
    finding.file = client::finding_name(found, program.name);
    record.faulty_runs = std::max(record.faulty_runs, finding.runs);
    if (record.first_fault_run == 0) record.first_fault_run = finding.first_run;
    add(record, finding, program_reproducer(found, program), folder);
  }
}

/// Adds a failure of the program itself, which prevents other findings.
void add_trouble(nightly::CellRecord& record, const NightProgram& program, const std::string& why,
                 const fs::path& folder) {
  FindingRecord finding;
  finding.kind = nightly::kBadEnd;
  finding.hazard = "program";
  finding.signature = why;
  finding.file = program.name + "-by-itself.txt";
  finding.other_runs = 1;
  add(record, finding, fmt::format("# {}\n", why), folder);
}

}  // namespace

client::SearchOptions search_of(const NightProgram& program, std::uint64_t seed,
                                const nightly::Budget& budget) {
  client::SearchOptions search;
  search.client = {program.command, client::library_folder(), program.timeout_seconds};
  search.client.environment = program.environment;
  search.seed = seed;
  search.runs = budget.runs;
  search.seconds = budget.seconds;
  if (!program.suppressions.empty())
    search.suppressions = client::Suppressions(program.suppressions);
  search.fails = program.failures;
  search.forces = program.forced;
  search.jobs = program.jobs;
  return search;
}

nightly::CellRecord record_of(const nightly::Cell& cell, const NightProgram& program,
                              const client::SearchResult& result, double seconds,
                              const std::string& folder) {
  nightly::CellRecord record;
  record.cell = cell;
  record.runs = record.least_runs = result.run_count;
  record.seconds = seconds;
  add_findings(record, program, result, folder);
  if (const std::string why = unjudged(result); !why.empty())
    add_trouble(record, program, why, folder);
  return record;
}

std::optional<nightly::CellRecord> search_program(
    const nightly::Cell& cell, const NightProgram& program, const std::string& folder,
    const std::atomic<bool>& stop,
    const std::function<void(std::uint64_t, std::size_t)>& progress) {
  const std::string place = fs::absolute(folder).string();
  const auto begin = std::chrono::steady_clock::now();
  const InFolder there(program.folder);
  Listener listener(progress);
  const client::SearchResult result =
      client::search(search_of(program, cell.seed, cell.budget), listener, stop);
  if (result.stopped) return std::nullopt;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record_of(cell, program, result, seconds, place);
}

}  // namespace harness::entries
