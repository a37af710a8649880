// nightly: plans a night, runs its shards and merges them into the history; and each of these steps
// by itself, for nights on many machines.
//
// One night at a time is run over a history: its folder is held meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/entries/cli/interrupt.h"
#include "harness/entries/cli/lookup.h"
#include "harness/entries/cli/nightly/absent.h"
#include "harness/entries/cli/nightly/builds.h"
#include "harness/entries/cli/nightly/commands.h"
#include "harness/entries/cli/nightly/compare.h"
#include "harness/entries/cli/nightly/night_folder.h"
#include "harness/entries/cli/nightly/notice.h"
#include "harness/entries/cli/nightly/phase.h"
#include "harness/entries/cli/nightly/report.h"
#include "harness/entries/cli/nightly/services.h"
#include "harness/files/held_folder.h"
#include "harness/nightly/history.h"
#include "harness/nightly/transfer.h"
#include "harness/printable.h"
#include "harness/reports/html.h"
#include "harness/reports/json_text.h"

namespace harness::entries {
namespace {

using nightly::History;
using nightly::Phase;
using nightly::Plan;
using nightly::ShardEnd;
using nightly::ShardResult;

constexpr double kDefaultMinutes = 10;

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
                            tables::scenarios(), history.known_repairs(), history.tapes(),
                            history.inputs());
}

/// A night that goes on keeps its terms: other ones are a misunderstanding.
void require_same_terms(const Plan& plan, const NightlyOptions& options,
                        const NightFolder& folder) {
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
      printable(folder.name())));
}

Plan begun(const NightlyOptions& options, const NightFolder& folder, History& history) {
  if (folder.is_under_way(history)) {
    if (!options.resume)
      throw UsageError(fmt::format("a night is under way in {}: --resume goes on with it",
                                   printable(folder.name())));
    Plan plan = folder.plan();
    require_same_terms(plan, options, folder);
    return plan;
  }
  Plan plan = planned(options, 1, history);
  folder.write(plan);
  return plan;
}

ShardResult run_shard(const NightFolder& folder, const Plan& plan, std::size_t index,
                      const std::atomic<bool>& stop) {
  Runner runner;
  NightlyServices services(stop, index, plan.terms.shards);
  return nightly::run_shard(runner, plan, index, folder.name(), services.services());
}

/// Returns how many variants the program's own search is through with.
std::size_t searched_variants(const ShardResult& result) {
  const auto& cells = result.record.cells;
  return static_cast<std::size_t>(std::count_if(
      cells.begin(), cells.end(), [](const auto& record) { return record.cell.build.empty(); }));
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
                                         {"finished_cells", searched_variants(result)},
                                         {"findings", findings}}));
  else
    fmt::print(
        "stopped in shard {} of {}: {} variants are searched, with {} findings, and kept in {}\n"
        "To go on:\n  {} nightly --resume --history {}\n",
        result.record.index, result.record.terms.shards, searched_variants(result), findings,
        printable(NightFolder(options.history).name()), reports::shell_word(program_name()),
        reports::shell_word(options.history));
  return is_refuted ? kNotAsClaimed : kStopped;
}

void tell_dropped(const NightlyOptions& options, const nightly::Dropped& dropped) {
  constexpr double kMib = 1 << 20;
  const double left = static_cast<double>(dropped.bytes_left) / kMib;
  const double limit = static_cast<double>(options.keep_bytes) / kMib;
  if (dropped.files + dropped.reproducers > 0)
    fmt::print(
        stderr,
        "afterlife: --keep {:.1f} MiB: dropped {} old files of findings, and the reproducers "
        "of {} closed ones\n",
        limit, dropped.files, dropped.reproducers);
  if (dropped.bytes_left > options.keep_bytes && options.keep_bytes > 0)
    fmt::print(stderr,
               "afterlife: the history takes {:.1f} MiB, over --keep {:.1f} MiB: what is open, and "
               "what nights came to, is not dropped\n",
               left, limit);
}

/// Merges, reports the last night that the shards are of, tells people of one that is whole by
/// this, and returns the exit code.
int merge_and_tell(const NightlyOptions& options, History& history,
                   const std::vector<std::string>& folders, const std::atomic<bool>& stop) {
  show_phase(Phase::merge);
  const nightly::Merged merged = history.merge(folders);
  if (!merged.nights.empty()) {
    const NightFolder folder(options.history);
    const std::string id = history.last_night(merged.nights);
    const nightly::Night outline = history.outline(id);
    const bool is_whole = outline.shards_here == outline.terms.shards;
    if (is_whole) {
      history.sort_findings();
      replay_absent(history, outline, stop);
    }
    nightly::Night night = night_of(history, id, options);
    const bool compares = options.diverge || !options.good_program.empty();
    if (is_whole && compares && compare_news(options, history, night, stop))
      night = night_of(history, id, options);
    if (is_whole) replay_in_builds(history, night, stop);
    show_phase(Phase::report);
    const int code = report_night(options, history, night, stop);
    if (is_whole && (merged.added > 0 || folder.is_untold(night.id)))
      notify(options, history, night, stop);
    tell_dropped(options, nightly::keep_within(history, options.history, options.keep_bytes));
    if (is_whole) folder.note_told(night.id);
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
  const Plan plan = begun(options, folder, history);
  std::vector<std::string> shards;
  for (std::size_t index = 1; index <= plan.terms.shards; ++index) {
    const ShardResult result = run_shard(folder, plan, index, stop);
    if (result.end == ShardEnd::stopped) return tell_stopped(options, result);
    shards.push_back(folder.shard(index, plan.terms.shards));
  }
  const int code = merge_and_tell(options, history, shards, stop);
  folder.clear();
  return code;
}

int nightly_plan(const NightlyOptions& options) {
  end_on_interrupts();
  History history(options.history);
  const HeldFolder held(options.history);
  const NightFolder folder(options.history);
  const bool is_under_way = folder.is_under_way(history);
  const Plan plan = planned(options, options.shards, history);
  if (is_under_way && folder.plan() != plan)
    throw UsageError(fmt::format("another night is under way in {}: merge it, or remove it",
                                 printable(folder.name())));
  folder.write(plan);
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
  const NightFolder night(options.history);
  const Plan plan = night.plan();
  if (options.index > plan.terms.shards)
    throw UsageError(fmt::format("the night under way has {} shards", plan.terms.shards));
  const ShardResult result = run_shard(night, plan, options.index, stop);
  if (result.end == ShardEnd::stopped) return tell_stopped(options, result);
  std::size_t findings = 0;
  for (const nightly::CellRecord& cell : result.record.cells) findings += cell.findings.size();
  const std::string folder = night.shard(options.index, plan.terms.shards);
  if (options.json)
    fmt::print("{}\n", reports::to_text({{"schema", 1},
                                         {"stopped", false},
                                         {"shard", options.index},
                                         {"finished_cells", searched_variants(result)},
                                         {"findings", findings},
                                         {"folder", folder}}));
  else
    fmt::print("shard {} of {}{}: {} variants, {} findings: {}\n", options.index, plan.terms.shards,
               result.end == ShardEnd::was_finished ? " was finished before" : "",
               searched_variants(result), findings, printable(folder));
  return kAsClaimed;
}

int nightly_merge(const NightlyOptions& options) {
  end_on_interrupts();
  require_places_for_reports(options);
  const std::vector<std::string> folders = nightly::find_shards(
      options.folders.empty() ? std::vector{NightFolder(options.history).name()} : options.folders);
  History history(options.history);
  const std::atomic<bool> goes_on{false};
  return merge_and_tell(options, history, folders, goes_on);
}

}  // namespace harness::entries
