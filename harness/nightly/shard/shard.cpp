// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/shard.h"

#include <optional>
#include <utility>

#include "harness/nightly/shard/cell_search.h"
#include "harness/nightly/shard/pace.h"
#include "harness/nightly/shard/shard_folder.h"
#include "harness/nightly/shard/stopwatch.h"

namespace harness::nightly {
namespace {

/// Returns the actual seconds for each planned second in a shard with these cells. Each shard has
/// the same part of the night's time, however the cells are distributed.
double scale_of(const Plan& plan, const std::vector<Cell>& cells) {
  double planned = 0;
  for (const Cell& cell : cells) planned += cell.budget.seconds + cell.tapes_budget.seconds;
  return planned > 0 ? seconds_of_shard(plan) / planned : 1;
}

/// Finishes the cells of a shard in order.
class PendingCells {
 public:
  PendingCells(const Plan& plan, const ShardFolder& folder, CellSearch& search,
               const std::vector<Cell>& cells, const ShardOptions& options, Services& services)
      : folder_(folder),
        search_(search),
        cells_(cells),
        options_(options),
        services_(services),
        pace_(scale_of(plan, cells)),
        deadline_(plan.terms.budget.seconds > 0 ? Deadline::in(seconds_of_shard(plan))
                                                : Deadline()) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!folder.has_finished(i)) pace_.expect(cells[i], is_left_out(cells[i]));
  }

  /// Returns the record of a cell that was finished before, or searches it now. Returns nothing if
  /// it was stopped.
  std::optional<CellRecord> finish(std::size_t index) {
    const Cell& cell = cells_[index];
    if (auto record = folder_.finished(index, cell)) return record;
    if (options_.is_stopped()) return std::nullopt;
    const Stopwatch watch;
    const std::string reproducers = folder_.begin(index, cell);
    const Pace::Turn turn = is_left_out(cell) ? Pace::Turn{cell, 0} : pace_.next(cell);
    std::optional<CellRecord> record =
        search_.run(turn.cell, {index, cells_.size()}, reproducers, deadline_of(turn));
    if (!record) return std::nullopt;
    record->cell = cell;
    record->all_seconds = watch.seconds();
    services_.show(Phase::record);
    folder_.finish(index, *record, reproducers);
    pace_.took(cell, watch.seconds());
    return record;
  }

 private:
  bool is_left_out(const Cell& cell) const {
    return !cell.build.empty() && !services_.has_build(cell.build);
  }
  /// Has a minimum, because a process of another build needs time to start and to end.
  Deadline deadline_of(const Pace::Turn& turn) const {
    constexpr double kTimes = 10, kStart = 10;
    if (turn.seconds <= 0) return deadline_;
    return deadline_.within(turn.cell.build.empty() ? turn.seconds
                                                    : kTimes * turn.seconds + kStart);
  }

  const ShardFolder& folder_;
  CellSearch& search_;
  const std::vector<Cell>& cells_;
  const ShardOptions& options_;
  Services& services_;
  Pace pace_;
  Deadline deadline_;
};

void add_circumstances(ShardRecord& record, const Services& services) {
  Circumstances now = services.circumstances();
  record.ended_at = now.ended_at;
  record.peak_bytes = now.peak_bytes;
  record.machine = std::move(now.machine);
}

}  // namespace

ShardResult run_shard(Runner& runner, const Plan& plan, std::size_t index,
                      const std::string& folder_name, const ShardOptions& options,
                      Services& services) {
  ShardFolder folder(plan, index, folder_name);
  if (folder.is_whole()) return {ShardEnd::was_finished, folder.whole()};
  folder.open();
  ShardResult result{ShardEnd::finished, {id_of(plan), plan.terms, index, {}}};
  CellSearch search(runner, plan, index, options, services);
  const std::vector<Cell> cells = cells_of(plan, index);
  PendingCells pending(plan, folder, search, cells, options, services);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto record = pending.finish(i);
    if (!record) {
      result.end = ShardEnd::stopped;
      return result;
    }
    result.record.cells.push_back(std::move(*record));
  }
  services.show(Phase::record);
  add_circumstances(result.record, services);
  folder.place(result.record);
  return result;
}

std::size_t finished_cells(const Plan& plan, std::size_t index, const std::string& folder_name) {
  const ShardFolder folder(plan, index, folder_name);
  if (folder.is_whole()) return cells_of(plan, index).size();
  std::size_t finished = 0;  // Cells are searched in order.
  while (folder.has_finished(finished)) ++finished;
  return finished;
}

}  // namespace harness::nightly
