#include "harness/nightly/shard/shard.h"

#include <chrono>
#include <optional>

#include "harness/nightly/shard/cell_search.h"
#include "harness/nightly/shard/pace.h"
#include "harness/nightly/shard/shard_folder.h"

namespace harness::nightly {
namespace {

using Clock = std::chrono::steady_clock;

/// Finishes the cells of a shard, one after another.
class PendingCells {
 public:
  PendingCells(const ShardFolder& folder, CellSearch& search, const std::vector<Cell>& cells,
               const Services& services)
      : folder_(folder), search_(search), cells_(cells), services_(services) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!folder.has_finished(i)) pace_.expect(cells[i]);
  }

  /// Returns the record of a cell that was finished before, or searches it now; nothing when it was
  /// told to stop.
  std::optional<CellRecord> finish(std::size_t index) {
    const Cell& cell = cells_[index];
    if (auto record = folder_.finished(index, cell)) return record;
    if (services_.is_stopped()) return std::nullopt;
    const std::string reproducers = folder_.begin(index, cell);
    const std::chrono::duration<double> spent = Clock::now() - begin_;
    std::optional<CellRecord> record =
        search_.run(pace_.next(cell, spent.count()), {index, cells_.size()}, reproducers);
    if (!record) return std::nullopt;
    record->cell = cell;
    services_.tell(Phase::record);
    folder_.finish(index, *record, reproducers);
    return record;
  }

 private:
  const ShardFolder& folder_;
  CellSearch& search_;
  const std::vector<Cell>& cells_;
  const Services& services_;
  Pace pace_;
  Clock::time_point begin_ = Clock::now();
};

void add_circumstances(ShardRecord& record, const Services& services) {
  if (services.clock) record.ended_at = services.clock();
  if (services.peak_bytes) record.peak_bytes = services.peak_bytes();
  record.machine = services.machine;
}

}  // namespace

ShardResult run_shard(Runner& runner, const Plan& plan, std::size_t index,
                      const std::string& folder_name, const Services& services) {
  ShardFolder folder(plan, index, folder_name);
  if (folder.is_whole()) return {ShardEnd::was_finished, folder.whole()};
  folder.open();
  ShardResult result{ShardEnd::finished, {id_of(plan), plan.terms, index, {}}};
  CellSearch search(runner, plan, index, services);
  const std::vector<Cell> cells = cells_of(plan, index);
  PendingCells pending(folder, search, cells, services);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto record = pending.finish(i);
    if (!record) {
      result.end = ShardEnd::stopped;
      return result;
    }
    result.record.cells.push_back(std::move(*record));
  }
  services.tell(Phase::record);
  add_circumstances(result.record, services);
  folder.place(result.record);
  return result;
}

std::size_t finished_cells(const Plan& plan, std::size_t index, const std::string& folder_name) {
  const ShardFolder folder(plan, index, folder_name);
  if (folder.is_whole()) return cells_of(plan, index).size();
  std::size_t finished = 0;  // In order, as they are searched.
  while (folder.has_finished(finished)) ++finished;
  return finished;
}

}  // namespace harness::nightly
