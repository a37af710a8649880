// How it works. The folder of a shard that is under way holds the plan that it follows, the file of
// each cell that is finished, and a folder of reproducers per cell. The record is put together from
// the cells, written, and only then the folder gets its name; the files of cells go last.
#include "harness/nightly/shard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>

#include "harness/files/drafts.h"
#include "harness/files/fail.h"
#include "harness/files/held_folder.h"
#include "harness/files/read.h"
#include "harness/files/whole_file.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/root.h"
#include "harness/nightly/sealed.h"
#include "harness/nightly/tapes/cell_tapes.h"
#include "harness/triage.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordFile = "shard.json";
constexpr const char* kPlanFile = "plan.json";
constexpr const char* kPartEnding = ".part";

/// Runs in which a finding that the search had no time to make smaller is made so first.
constexpr std::uint64_t kMinimizeRuns = 300;

void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) fail(folder, fmt::format("cannot make the folder: {}", failed.message()));
}

void remove_below(const fs::path& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  if (failed) fail(folder, fmt::format("cannot remove it: {}", failed.message()));
}

void sync_folder(const fs::path& folder) {
  const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return;
  ::fsync(number);
  ::close(number);
}

const Scenario& scenario_of(const Cell& cell) {
  for (const Scenario* scenario : tables::scenarios())
    if (scenario->name.view() == cell.path) return *scenario;
  throw std::runtime_error(fmt::format("there is no path '{}'", cell.path));
}

/// Counts the instructions of a search's runs, and not those of minimizing.
class RunInstructions {
 public:
  explicit RunInstructions(const Services& services) : services_(services) {}

  /// The search turns to something else.
  void turn(bool is_minimizing) {
    const std::uint64_t count = services_.instructions ? services_.instructions() : 0;
    if (is_running_) runs_ += count - before_;
    before_ = count;
    is_running_ = !is_minimizing;
  }
  /// Returns those of its runs, all together.
  std::uint64_t end() {
    turn(true);
    return runs_;
  }

 private:
  const Services& services_;
  std::uint64_t before_ = 0, runs_ = 0;
  bool is_running_ = false;
};

class ShardRun {
 public:
  ShardRun(Runner& runner, const Plan& plan, std::size_t index, const std::string& folder,
           const Services& services)
      : runner_(runner),
        plan_(plan),
        services_(services),
        cells_(cells_of(plan, index)),
        whole_(fs::path(folder) / shard_name(index, plan.terms.shards)),
        part_(whole_.string() + kPartEnding) {
    for (const KnownRepair& one : plan.known)
      for (const std::string& cause : one.causes) known_[cause] = one.words;
    result_.record = {id_of(plan), plan.terms, index, {}};
  }

  ShardResult run() {
    if (fs::exists(whole_)) return already_whole();
    make_folder(part_);
    const HeldFolder held(part_);
    remove_drafts(part_);
    require_same_plan();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      std::optional<CellRecord> record = finished(i);
      if (!record) record = cells_[i].build.empty() ? search_cell(i) : search_in_build(i);
      if (!record) return stopped();
      result_.record.cells.push_back(std::move(*record));
    }
    place();
    return std::move(result_);
  }

 private:
  ShardResult already_whole() {
    result_.record = read_shard(whole_.string());
    if (result_.record.night != id_of(plan_))
      fail(whole_, "is a shard of another night; merge it, then remove it");
    result_.end = ShardEnd::was_finished;
    return std::move(result_);
  }

  ShardResult stopped() {
    result_.end = ShardEnd::stopped;
    return std::move(result_);
  }

  void require_same_plan() const {
    const fs::path file = part_ / kPlanFile;
    const std::string text = to_text(plan_);
    if (!fs::exists(file)) return write_whole_file(file.string(), text);
    if (read_whole_file(file.string()) != text)
      fail(part_, "is of another night; remove it, or finish that one");
  }

  std::string name_of_cell(std::size_t i) const {
    const Cell& cell = cells_[i];
    return fmt::format("{:03}-{}-{}{}{}", i + 1, cell.path, cell.variant,
                       cell.build.empty() ? "" : "-", cell.build);
  }
  fs::path file_of_cell(std::size_t i) const {
    return part_ / fmt::format("cell-{:03}.json", i + 1);
  }

  /// Returns the record of a cell that was finished before; one that is damaged is searched again.
  std::optional<CellRecord> finished(std::size_t i) const {
    const std::string file = file_of_cell(i).string();
    if (!fs::exists(file)) return std::nullopt;
    try {
      CellRecord record = parse_cell(read_whole_file(file), file, part_.string());
      if (record.cell == cells_[i]) return record;
    } catch (const std::runtime_error&) {
    }
    return std::nullopt;
  }

  bool told_to_stop() const {
    return services_.stop != nullptr && services_.stop->load(std::memory_order_relaxed);
  }

  void tell(Phase phase) const {
    if (services_.phase) services_.phase(phase);
  }

  /// Searches a cell and records it; nothing when it was stopped.
  std::optional<CellRecord> search_cell(std::size_t i) {
    if (told_to_stop()) return std::nullopt;
    const fs::path folder = part_ / name_of_cell(i);
    remove_below(folder);
    CellTapes tapes(plan_, result_.record.index, cells_[i], scenario_of(cells_[i]));
    RunInstructions instructions(services_);
    SearchResult found = search(i, instructions, tapes);
    CellRecord record = record_of(cells_[i], found);
    record.instructions = instructions.end();
    std::vector<Finding> findings = std::move(found.findings);
    keep_all(record, findings, folder);
    if (found.stopped || told_to_stop()) return std::nullopt;
    add(record, findings, tapes.run(runner_, options_of(cells_[i])), folder);
    record.tapes = tapes.record();
    if (!findings.empty()) confirm(record, folder);
    if (!findings.empty()) tell(Phase::triage);
    for (std::size_t k = 0; k < findings.size(); ++k)
      try_repairs(record.findings[k], findings[k].reproducer.the_case);
    return finish(i, std::move(record), folder);
  }

  /// Has another build search a cell, and records it likewise.
  std::optional<CellRecord> search_in_build(std::size_t i) {
    if (told_to_stop()) return std::nullopt;
    const fs::path folder = part_ / name_of_cell(i);
    remove_below(folder);
    make_folder(folder);
    tell(Phase::run);
    BuildSearch found{.why_not = "this program runs no other"};
    if (services_.search_in_build)
      found = services_.search_in_build(cells_[i], plan_.inputs_of(cells_[i]), folder.string());
    if (told_to_stop()) return std::nullopt;
    CellRecord record = nightly::record_of(cells_[i], found, folder.string());
    if (!record.findings.empty()) confirm(record, folder);
    for (FindingRecord& finding : record.findings)
      if (finding.kind == kFault)
        try_repairs(finding, parse_reproducer(finding.reproducer, finding.file).the_case);
    add_bad_end(record, found, folder.string());
    return finish(i, std::move(record), folder);
  }

  std::optional<CellRecord> finish(std::size_t i, CellRecord record, const fs::path& folder) const {
    if (told_to_stop()) return std::nullopt;
    tell(Phase::record);
    sync_folder(folder);
    write_whole_file(file_of_cell(i).string(), to_text(record));
    return record;
  }

  /// Returns what all searches of a cell have in common.
  SearchOptions options_of(const Cell& cell) const {
    SearchOptions options;
    options.strategy = services_.strategy;
    options.device = services_.device;
    options.seed = cell.seed;
    options.stop = services_.stop;
    options.turned = [this](bool is_minimizing) {
      tell(is_minimizing ? Phase::minimize : Phase::run);
    };
    return options;
  }

  SearchResult search(std::size_t i, RunInstructions& instructions, CellTapes& tapes) {
    const Cell& cell = cells_[i];
    const Scenario& scenario = scenario_of(cell);
    SearchOptions options = options_of(cell);
    options.run_limit = cell.budget.runs;
    options.second_limit = cell.budget.seconds;
    options.turned = [this, &instructions](bool is_minimizing) {
      instructions.turn(is_minimizing);
      tell(is_minimizing ? Phase::minimize : Phase::run);
    };
    options.ran = [&tapes](const Outcome& outcome, const Config& config) {
      tapes.take_in(outcome, config);
    };
    if (services_.progress)
      options.progress = [&, i](const SearchResult& result) {
        services_.progress({i, cells_.size()}, cells_[i], result);
      };
    return harness::search(runner_, scenario, variant_named(scenario, cell.variant), options);
  }

  static CellRecord record_of(const Cell& cell, const SearchResult& found) {
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

  /// Records the findings of the cell's own search.
  void keep_all(CellRecord& record, const std::vector<Finding>& findings, const fs::path& folder) {
    if (findings.empty()) return;
    tell(Phase::record);
    make_folder(folder);
    for (const Finding& finding : findings)
      record.findings.push_back(keep(record.cell, finding, folder));
  }

  /// Adds what another search of the cell found: runs, where its own search found it as well.
  void add(CellRecord& record, std::vector<Finding>& findings, std::vector<Finding> others,
           const fs::path& folder) const {
    for (Finding& other : others) {
      const auto known = std::find_if(findings.begin(), findings.end(), [&](const Finding& one) {
        return one.signature == other.signature && one.window == other.window;
      });
      const auto index = static_cast<std::size_t>(known - findings.begin());
      const std::uint64_t count = other.count;
      if (known == findings.end()) {
        make_folder(folder);
        record.findings.push_back(keep(record.cell, other, folder));
        record.findings.back().runs = record.findings.back().first_run = 0;
        findings.push_back(std::move(other));
      }
      record.findings[index].other_runs += count;
    }
  }

  FindingRecord keep(const Cell& cell, const Finding& finding, const fs::path& folder) const {
    FindingRecord record;
    record.kind = finding.nondeterministic ? kNondeterminism : kFault;
    record.hazard = finding.hazard.view();
    record.signature = finding.signature;
    record.cause = cause_of(cell, {record.kind, record.hazard, record.signature});
    record.runs = finding.count;
    record.first_run = finding.first_run;
    record.minimized = finding.is_minimized;
    const std::string file = services_.write(folder.string(), finding);
    record.file = (folder.filename() / file).string();
    record.reproducer = read_whole_file((folder / file).string());
    if (finding.nondeterministic) record.difference = "replayed otherwise in the search itself";
    return record;
  }

  /// Replays all findings of a cell; those that come out otherwise are another kind of finding.
  void confirm(CellRecord& record, const fs::path& folder) const {
    tell(Phase::replay);
    const std::map<std::string, std::string> differences = services_.replay(folder.string());
    for (FindingRecord& finding : record.findings) {
      const auto replayed = differences.find(fs::path(finding.file).filename().string());
      const std::string difference =
          replayed == differences.end() ? "was not replayed" : replayed->second;
      if (difference.empty() || finding.kind != kFault) continue;
      finding.kind = kNondeterminism;
      finding.difference = difference;
      finding.cause = cause_of(record.cell, {finding.kind, finding.hazard, finding.signature});
    }
  }

  /// Notes which repairs work for a finding that is a fault. Of one that the plan knows, only its
  /// own repair is tried, unless that no longer works.
  void try_repairs(FindingRecord& finding, const Case& the_case) {
    if (finding.kind == kFault && !told_to_stop()) finding.repairs = repairs_of(finding, the_case);
  }

  std::string repairs_of(const FindingRecord& finding, const Case& the_case) {
    const Suspect suspect{the_case, finding.signature};
    if (const auto known = known_.find(finding.cause); known != known_.end()) {
      if (known->second.empty()) return to_text(Sorted{});
      if (const auto one = repair_that_still_works(runner_, suspect, known->second))
        return to_text(Sorted{{as_record(*one)}, {}});
    }
    TriageOptions options;
    options.search_runs = services_.repair_runs;
    options.minimize_runs = finding.minimized ? 0 : kMinimizeRuns;
    options.stop = services_.stop;
    const Explanation found = explain(runner_, suspect, options);
    Sorted sorted{{}, found.first};
    for (const WorkingRepair& one : found.repairs) sorted.repairs.push_back(as_record(one));
    return to_text(sorted);
  }

  static RepairRecord as_record(const WorkingRepair& one) {
    return {in_words(one.repair), one.cost, one.is_own};
  }

  void place() {
    tell(Phase::record);
    if (services_.clock) result_.record.ended_at = services_.clock();
    if (services_.peak_bytes) result_.record.peak_bytes = services_.peak_bytes();
    result_.record.machine = services_.machine;
    write_whole_file((part_ / kRecordFile).string(), to_text(result_.record));
    sync_folder(part_);
    std::error_code failed;
    fs::rename(part_, whole_, failed);
    if (failed) fail(whole_, fmt::format("cannot create: {}", failed.message()));
    sync_folder(whole_.parent_path());
    for (std::size_t i = 0; i < cells_.size(); ++i)
      fs::remove(whole_ / file_of_cell(i).filename(), failed);
    fs::remove(whole_ / kPlanFile, failed);
  }

  Runner& runner_;
  const Plan& plan_;
  const Services& services_;
  std::vector<Cell> cells_;
  std::map<std::string, std::string> known_;  ///< The words of the repair, by cause.
  fs::path whole_;                            ///< The folder, once the shard is whole.
  fs::path part_;
  ShardResult result_;
};

bool is_shard(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / kRecordFile, unreadable);
}

}  // namespace

ShardResult run_shard(Runner& runner, const Plan& plan, std::size_t index,
                      const std::string& folder, const Services& services) {
  return ShardRun(runner, plan, index, folder, services).run();
}

std::string shard_name(std::size_t index, std::size_t count) {
  return fmt::format("shard-{}-of-{}", index, count);
}

ShardRecord read_shard(const std::string& folder) {
  const std::string file = (fs::path(folder) / kRecordFile).string();
  return parse_shard(read_whole_file(file), file, folder);
}

// A shard that is under way has no shard's name, even when its record is written.
std::vector<std::string> find_shards(const std::vector<std::string>& folders) {
  std::set<std::string> found;
  for (const std::string& name : folders) {
    bool is_any = false;
    const auto add = [&](const fs::path& folder) {
      if (folder.extension() == kPartEnding || !is_shard(folder)) return;
      found.insert(folder.string());
      is_any = true;
    };
    fs::path place = fs::path(name).lexically_normal();
    if (!place.has_filename()) place = place.parent_path();  // "a/" is "a".
    add(place);
    std::error_code failed;
    fs::directory_iterator entries(place, failed);
    if (failed) fail(name, fmt::format("cannot open: {}", failed.message()));
    if (!is_any)
      for (const fs::directory_entry& entry : entries) add(entry.path());
    if (!is_any) fail(name, "is no finished shard, and holds none directly below it");
  }
  return {found.begin(), found.end()};
}

}  // namespace harness::nightly
