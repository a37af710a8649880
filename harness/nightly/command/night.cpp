// SPDX-License-Identifier: Apache-2.0
// nightly: plans a night, runs its shards and merges them into the history. Each step is also a
// separate command, for nights that run on several machines.
//
// Only one night at a time runs on a history: the command holds a lock on its folder.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/base/files/held_folder.h"
#include "harness/base/printable.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/nightly/command/absent.h"
#include "harness/nightly/command/builds.h"
#include "harness/nightly/command/commands.h"
#include "harness/nightly/command/night_folder.h"
#include "harness/nightly/command/notice.h"
#include "harness/nightly/command/phase.h"
#include "harness/nightly/command/planning.h"
#include "harness/nightly/command/report.h"
#include "harness/nightly/command/resources.h"
#include "harness/nightly/command/services.h"
#include "harness/nightly/command/shards_at_once.h"
#include "harness/nightly/history.h"
#include "harness/report/html.h"
#include "harness/report/json_text.h"

namespace harness::entries {
namespace {

using nightly::Deadline;
using nightly::History;
using nightly::Phase;
using nightly::Plan;
using nightly::ShardEnd;
using nightly::ShardResult;

/// Least number of seconds at the end of a night, for replays and pages.
constexpr double kLeastAtEnd = 5;
/// Fraction of the remaining time that each kind of replay may take. The rest is for later steps.
constexpr double kReplaysPart = 0.4;

ShardResult run_shard(const NightlyOptions& options, const NightFolder& folder, const Plan& plan,
                      std::size_t index, const std::atomic<bool>& stop) {
  Runner runner;
  NightlyServices services(stop, index, plan.terms.shards, read_programs(options.programs));
  const nightly::ShardOptions terms{&find_strategy("random_walk"), &find_device("sim"), &stop};
  return nightly::run_shard(runner, plan, index, folder.name(), terms, services);
}

/// Returns the number of variants that this program itself has searched.
std::size_t searched_variants(const ShardResult& result) {
  const auto& cells = result.record.cells;
  return static_cast<std::size_t>(std::count_if(
      cells.begin(), cells.end(), [](const auto& record) { return record.cell.build.empty(); }));
}

/// The finished work of shards. Results of a stopped shard count, too, as with `fuzz`.
struct SoFar {
  std::size_t stopped_in = 0;  ///< The first stopped shard, counted from 1; 0 = none.
  std::size_t variants = 0;
  std::size_t findings = 0;
  bool is_refuted = false;

  void add(const ShardResult& result) {
    if (result.end == ShardEnd::stopped && stopped_in == 0) stopped_in = result.record.index;
    variants += searched_variants(result);
    for (const nightly::CellRecord& cell : result.record.cells) {
      findings += cell.findings.size();
      is_refuted |= cell.cell.claim != "unsound" && !cell.findings.empty();
    }
  }
};

/// Returns the program list as an option. It must be repeated, because a plan starts no programs.
std::string list_of(const NightlyOptions& options) {
  return options.programs.empty() ? "" : " --programs " + reports::shell_word(options.programs);
}

int tell_stopped(const NightlyOptions& options, const SoFar& so_far, std::size_t shards) {
  if (options.json)
    fmt::print("{}\n", reports::to_text({{"schema", 1},
                                         {"stopped", true},
                                         {"shard", so_far.stopped_in},
                                         {"finished_cells", so_far.variants},
                                         {"findings", so_far.findings}}));
  else
    fmt::print(
        "stopped in shard {} of {}: {} variants are searched, with {} findings, and kept in {}\n"
        "To go on:\n  {} nightly --resume --history {}{}\n",
        so_far.stopped_in, shards, so_far.variants, so_far.findings,
        printable(NightFolder(options.history).name()), reports::shell_word(program_name()),
        reports::shell_word(options.history), list_of(options));
  return so_far.is_refuted ? kNotAsClaimed : kStopped;
}

std::size_t jobs_of(const NightlyOptions& options) {
  return options.jobs > 0 ? options.jobs : core_count();
}

/// Returns the end of a night with a time limit, including all steps after its shards.
Deadline deadline_of(const NightlyOptions& options, const Plan& plan) {
  if (plan.terms.budget.seconds <= 0) return {};
  const std::size_t jobs = jobs_of(options), rounds = (plan.terms.shards + jobs - 1) / jobs;
  return Deadline::in(static_cast<double>(rounds) * nightly::seconds_of_shard(plan));
}

/// Runs all shards of a night: concurrently in separate processes if requested, then here, which
/// also collects their results. After a stop, it only collects the results of shards that have
/// some.
SoFar run_shards(const NightlyOptions& options, const NightFolder& folder, const Plan& plan,
                 const std::atomic<bool>& stop) {
  const std::size_t jobs = jobs_of(options);
  if (jobs > 1 && plan.terms.shards > 1) {
    show_phase(Phase::run);
    run_at_once(options, plan, jobs, stop);
  }
  SoFar so_far;
  for (std::size_t index = 1; index <= plan.terms.shards; ++index)
    if (so_far.stopped_in == 0 || nightly::finished_cells(plan, index, folder.name()) > 0)
      so_far.add(run_shard(options, folder, plan, index, stop));
  return so_far;
}

void tell_dropped(const NightlyOptions& options, const nightly::Dropped& dropped) {
  constexpr double kMib = 1 << 20;
  const double left = static_cast<double>(dropped.bytes_left) / kMib;
  const double limit = static_cast<double>(options.keep_bytes) / kMib;
  if (dropped.files + dropped.reproducers > 0)
    fmt::print(stderr,
               "afterlife: --keep {:.1f} MiB: deleted {} old files of findings, and the "
               "reproducers of {} closed findings\n",
               limit, dropped.files, dropped.reproducers);
  if (dropped.bytes_left > options.keep_bytes && options.keep_bytes > 0)
    fmt::print(stderr,
               "afterlife: the history takes {:.1f} MiB, over --keep {:.1f} MiB: open findings and "
               "the results of nights are never deleted\n",
               left, limit);
}

/// Merges shards and reports the last night among them. If that night is now complete, sends its
/// notice. Returns the exit code.
int merge_and_tell(const NightlyOptions& options, History& history,
                   const std::vector<std::string>& folders, const Deadline& deadline,
                   const std::atomic<bool>& stop) {
  show_phase(Phase::merge);
  const nightly::Merged merged = history.merge(folders);
  if (!merged.nights.empty()) {
    const NightFolder folder(options.history);
    const std::string id = history.last_night(merged.nights);
    const nightly::Night outline = history.outline(id);
    const bool is_whole = outline.shards_here == outline.terms.shards;
    if (is_whole) {
      history.sort_findings();
      replay_absent(history, outline, read_programs(options.programs), deadline.part(kReplaysPart),
                    stop);
    }
    nightly::Night night = night_of(history, id, options);
    const bool is_of_paths = !outline.terms.target.starts_with(nightly::kPrograms);
    if (is_whole && is_of_paths)
      replay_in_builds(history, night, deadline.part(kReplaysPart), stop);
    show_phase(Phase::report);
    const int code = report_night(options, history, night, deadline, stop);
    if (is_whole && (merged.added > 0 || folder.lacks_notice(night.id)))
      notify(options, history, night, stop);
    tell_dropped(options, nightly::keep_within(history, options.history, options.keep_bytes));
    if (is_whole) folder.record_notice(night.id);
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
  show_phase(Phase::plan);
  require_places_for_reports(options);
  History history(options.history);
  const HeldFolder held(options.history);
  remove_old_drafts(options.history);
  const NightFolder folder(options.history);
  const Plan plan = plan_here(options, folder, history);
  const Deadline deadline = deadline_of(options, plan);
  const SoFar so_far = run_shards(options, folder, plan, stop);
  if (so_far.stopped_in > 0) return tell_stopped(options, so_far, plan.terms.shards);
  std::vector<std::string> shards;
  for (std::size_t index = 1; index <= plan.terms.shards; ++index)
    shards.push_back(folder.shard(index, plan.terms.shards));
  const int code = merge_and_tell(options, history, shards, deadline.at_least(kLeastAtEnd), stop);
  folder.clear();
  return code;
}

int nightly_plan(const NightlyOptions& options) {
  end_on_interrupts();
  History history(options.history);
  const HeldFolder held(options.history);
  const NightFolder folder(options.history);
  const bool is_under_way = folder.is_under_way(history);
  const Plan plan = plan_elsewhere(options, history);
  if (is_under_way && folder.plan() != plan)
    throw UsageError(fmt::format("another night is running in {}: merge it, or remove it",
                                 printable(folder.name())));
  folder.write(plan);
  if (options.json) {
    fmt::print("{}", nightly::to_text(plan));
    return kAsClaimed;
  }
  for (std::size_t index = 1; index <= plan.terms.shards; ++index)
    fmt::print("{} nightly shard {} --history {}{}\n", reports::shell_word(program_name()), index,
               reports::shell_word(options.history), list_of(options));
  return kAsClaimed;
}

int nightly_shard(const NightlyOptions& options) {
  const std::atomic<bool>& stop = take_interrupts();
  const NightFolder night(options.history);
  const Plan plan = night.plan();
  if (options.index > plan.terms.shards)
    throw UsageError(fmt::format("the current night has {} shards", plan.terms.shards));
  const ShardResult result = run_shard(options, night, plan, options.index, stop);
  SoFar so_far;
  so_far.add(result);
  if (so_far.stopped_in > 0) return tell_stopped(options, so_far, plan.terms.shards);
  const std::string folder = night.shard(options.index, plan.terms.shards);
  if (options.json)
    fmt::print("{}\n", reports::to_text({{"schema", 1},
                                         {"stopped", false},
                                         {"shard", options.index},
                                         {"finished_cells", so_far.variants},
                                         {"findings", so_far.findings},
                                         {"folder", folder}}));
  else
    fmt::print("shard {} of {}{}: {} variants, {} findings: {}\n", options.index, plan.terms.shards,
               result.end == ShardEnd::was_finished ? " was finished before" : "", so_far.variants,
               so_far.findings, printable(folder));
  return kAsClaimed;
}

int nightly_merge(const NightlyOptions& options) {
  end_on_interrupts();
  require_places_for_reports(options);
  const std::vector<std::string> folders = nightly::find_shards(
      options.folders.empty() ? std::vector{NightFolder(options.history).name()} : options.folders);
  History history(options.history);
  const std::atomic<bool> goes_on{false};
  return merge_and_tell(options, history, folders, {}, goes_on);
}

}  // namespace harness::entries
