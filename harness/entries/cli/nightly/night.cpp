// nightly: plans a night, runs its shards and merges them into the history; and each of these steps
// by itself, for nights on many machines.
//
// The night under way is a folder: its plan, and its shards. A night is over when the history has
// all of its shards; then the folder goes.
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "harness/entries/cli/interrupt.h"
#include "harness/entries/cli/lookup.h"
#include "harness/entries/cli/nightly/commands.h"
#include "harness/entries/cli/nightly/notice.h"
#include "harness/entries/cli/nightly/report.h"
#include "harness/entries/cli/nightly/services.h"
#include "harness/files/read.h"
#include "harness/files/whole_file.h"
#include "harness/nightly/history.h"
#include "harness/nightly/transfer.h"
#include "harness/printable.h"
#include "harness/reports/html.h"
#include "harness/reports/json_text.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using nightly::History;
using nightly::Plan;
using nightly::ShardEnd;
using nightly::ShardResult;

constexpr double kDefaultMinutes = 10;

fs::path night_folder(const std::string& history) { return fs::path(history) / "night"; }
fs::path plan_file(const std::string& history) { return night_folder(history) / "plan.json"; }
void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw std::runtime_error(fmt::format("{}: cannot make the folder: {}",
                                         printable(folder.string()), failed.message()));
}

bool has_length(const NightLength& length) {
  return length.runs > 0 || length.minutes > 0 || length.hours > 0;
}

nightly::Budget budget_of(const NightLength& length) {
  if (length.runs > 0) return {length.runs, 0};
  const double minutes = has_length(length) ? length.minutes + 60 * length.hours : kDefaultMinutes;
  return {0, 60 * minutes};
}

Plan planned(const NightlyOptions& options, std::size_t shards, History& history) {
  find_targets(options.target);  // Says what was meant, where there is none.
  const std::uint64_t number = history.next_number();
  return nightly::make_plan({number, options.seed.value_or(number), budget_of(options.length),
                             shards, options.target, options.revision},
                            tables::scenarios());
}

/// Reads the plan of the night under way, which must be one that this program would make.
Plan read_plan(const std::string& history) {
  const std::string file = plan_file(history).string();
  Plan plan = nightly::parse_plan(read_whole_file(file), file);
  if (plan != nightly::make_plan(plan.terms, tables::scenarios()))
    throw std::runtime_error(fmt::format(
        "{}: was made by a program that has other paths or variants; finish the night with that "
        "one, or remove {}",
        printable(file), printable(night_folder(history).string())));
  return plan;
}

bool is_over(const std::string& history_folder, History& history) {
  const std::string file = plan_file(history_folder).string();
  const Plan plan = nightly::parse_plan(read_whole_file(file), file);
  return history.has_all(nightly::id_of(plan), plan.terms.shards);
}

/// Removes the folder of the night: what it was for is in the history.
void clear_night(const std::string& history) {
  std::error_code failed;
  fs::remove_all(night_folder(history), failed);
  if (failed)
    throw std::runtime_error(fmt::format(
        "{}: cannot remove it: {}", printable(night_folder(history).string()), failed.message()));
}

/// Returns whether there is a night under way; one that is over is cleared away.
bool is_under_way(const std::string& folder, History& history) {
  if (!fs::exists(plan_file(folder))) return false;
  if (!is_over(folder, history)) return true;
  clear_night(folder);
  return false;
}

void write_plan(const Plan& plan, const std::string& history) {
  make_folder(night_folder(history));
  write_whole_file(plan_file(history).string(), nightly::to_text(plan));
}

/// A night that goes on keeps its terms: other ones are a misunderstanding.
void require_same_terms(const Plan& plan, const NightlyOptions& options) {
  const bool same_length =
      !has_length(options.length) || budget_of(options.length) == plan.terms.budget;
  const bool same_seed = !options.seed || *options.seed == plan.terms.seed;
  const bool same_target = options.target.empty() || options.target == plan.terms.target;
  if (same_length && same_seed && same_target) return;
  throw UsageError(fmt::format(
      "the night to resume has {} and --seed {}{}; leave them out, or remove {}",
      plan.terms.budget.runs > 0 ? fmt::format("--runs {}", plan.terms.budget.runs)
                                 : fmt::format("--minutes {:g}", plan.terms.budget.seconds / 60),
      plan.terms.seed, plan.terms.target.empty() ? "" : " and --only " + plan.terms.target,
      printable(night_folder(options.history).string())));
}

Plan begun(const NightlyOptions& options, History& history) {
  if (is_under_way(options.history, history)) {
    if (!options.resume)
      throw UsageError(fmt::format("a night is under way in {}: --resume goes on with it",
                                   printable(night_folder(options.history).string())));
    Plan plan = read_plan(options.history);
    require_same_terms(plan, options);
    return plan;
  }
  Plan plan = planned(options, 1, history);
  write_plan(plan, options.history);
  return plan;
}

ShardResult run_shard(const NightlyOptions& options, const Plan& plan, std::size_t index,
                      const std::atomic<bool>& stop) {
  Runner runner;
  NightlyServices services(stop, index, plan.terms.shards);
  return nightly::run_shard(runner, plan, index, night_folder(options.history).string(),
                            services.services());
}

/// Says where a stopped shard is. What it has found by then counts, as with `fuzz`.
int tell_stopped(const NightlyOptions& options, const ShardResult& result) {
  bool is_refuted = false;
  std::size_t findings = 0;
  for (const nightly::CellRecord& cell : result.record.cells) {
    findings += cell.findings.size();
    is_refuted |= cell.cell.claim != "unsound" && !cell.findings.empty();
  }
  if (options.json)
    fmt::print("{}\n", reports::to_text({{"schema", 1},
                                         {"stopped", true},
                                         {"shard", result.record.index},
                                         {"finished_cells", result.record.cells.size()},
                                         {"findings", findings}}));
  else
    fmt::print(
        "stopped in shard {} of {}: {} variants are searched, with {} findings, and kept in {}\n"
        "To go on:\n  {} nightly --resume --history {}\n",
        result.record.index, result.record.terms.shards, result.record.cells.size(), findings,
        printable(night_folder(options.history).string()), reports::shell_word(program_name()),
        reports::shell_word(options.history));
  return is_refuted ? kNotAsClaimed : kStopped;
}

/// Merges, reports the last night that the shards are of, tells people of one that is whole by
/// this, and returns the exit code.
int merge_and_tell(const NightlyOptions& options, History& history,
                   const std::vector<std::string>& folders, const std::atomic<bool>& stop) {
  const nightly::Merged merged = history.merge(folders);
  if (!merged.nights.empty()) {
    const nightly::Night night = night_of(history, history.last_night(merged.nights), options);
    const int code = report_night(options, history, night, stop);
    const bool whole_now = merged.added > 0 && night.shards_here == night.terms.shards;
    if (whole_now) notify(options, history, night, stop);
    if (merged.errors.empty()) return code;
  }
  throw std::runtime_error(merged.errors.size() == 1
                               ? merged.errors.front()
                               : fmt::format("{} (and {} more shards could not be merged)",
                                             merged.errors.front(), merged.errors.size() - 1));
}

}  // namespace

int nightly(const NightlyOptions& options) {
  const std::atomic<bool>& stop = take_interrupts();
  require_places_for_reports(options);
  History history(options.history);
  const Plan plan = begun(options, history);
  std::vector<std::string> folders;
  for (std::size_t index = 1; index <= plan.terms.shards; ++index) {
    const ShardResult result = run_shard(options, plan, index, stop);
    if (result.end == ShardEnd::stopped) return tell_stopped(options, result);
    folders.push_back(
        (night_folder(options.history) / nightly::shard_name(index, plan.terms.shards)).string());
  }
  const int code = merge_and_tell(options, history, folders, stop);
  clear_night(options.history);
  return code;
}

int nightly_plan(const NightlyOptions& options) {
  end_on_interrupts();
  History history(options.history);
  const Plan plan = planned(options, options.shards, history);
  if (is_under_way(options.history, history) && read_plan(options.history) != plan)
    throw UsageError(fmt::format("another night is under way in {}: merge it, or remove it",
                                 printable(night_folder(options.history).string())));
  write_plan(plan, options.history);
  if (options.json) {
    fmt::print("{}", nightly::to_text(plan));
    return kAsClaimed;
  }
  for (std::size_t index = 1; index <= plan.terms.shards; ++index)
    fmt::print("{} nightly shard {} --history {}\n", reports::shell_word(program_name()), index,
               reports::shell_word(options.history));
  return kAsClaimed;
}

int nightly_shard(const NightlyOptions& options) {
  const std::atomic<bool>& stop = take_interrupts();
  const Plan plan = read_plan(options.history);
  if (options.index > plan.terms.shards)
    throw UsageError(fmt::format("the night under way has {} shards", plan.terms.shards));
  const ShardResult result = run_shard(options, plan, options.index, stop);
  if (result.end == ShardEnd::stopped) return tell_stopped(options, result);
  std::size_t findings = 0;
  for (const nightly::CellRecord& cell : result.record.cells) findings += cell.findings.size();
  const std::string folder =
      (night_folder(options.history) / nightly::shard_name(options.index, plan.terms.shards))
          .string();
  if (options.json)
    fmt::print("{}\n", reports::to_text({{"schema", 1},
                                         {"stopped", false},
                                         {"shard", options.index},
                                         {"finished_cells", result.record.cells.size()},
                                         {"findings", findings},
                                         {"folder", folder}}));
  else
    fmt::print("shard {} of {}{}: {} variants, {} findings: {}\n", options.index, plan.terms.shards,
               result.end == ShardEnd::was_finished ? " was finished before" : "",
               result.record.cells.size(), findings, printable(folder));
  return kAsClaimed;
}

int nightly_merge(const NightlyOptions& options) {
  end_on_interrupts();
  require_places_for_reports(options);
  const std::vector<std::string> folders = nightly::find_shards(
      options.folders.empty() ? std::vector{night_folder(options.history).string()}
                              : options.folders);
  History history(options.history);
  const std::atomic<bool> goes_on{false};
  return merge_and_tell(options, history, folders, goes_on);
}

}  // namespace harness::entries
