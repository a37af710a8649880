#include "harness/nightly/shard/shard.h"

#include <optional>

#include "harness/nightly/shard/cell_search.h"
#include "harness/nightly/shard/shard_folder.h"

namespace harness::nightly {
namespace {

/// Returns the record of a cell that was finished before, or searches it now; nothing when it was
/// told to stop.
std::optional<CellRecord> finish_cell(const ShardFolder& folder, CellSearch& search,
                                      const Cell& cell, const Place& place,
                                      const Services& services) {
  if (auto record = folder.finished(place.cell, cell)) return record;
  if (services.is_stopped()) return std::nullopt;
  const std::string reproducers = folder.begin(place.cell, cell);
  std::optional<CellRecord> record = search.run(cell, place, reproducers);
  if (!record) return std::nullopt;
  services.tell(Phase::record);
  folder.finish(place.cell, *record, reproducers);
  return record;
}

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
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto record = finish_cell(folder, search, cells[i], {i, cells.size()}, services);
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
  const std::size_t count = cells_of(plan, index).size();
  std::size_t finished = 0;
  for (std::size_t i = 0; i < count; ++i) finished += folder.is_whole() || folder.has_finished(i);
  return finished;
}

}  // namespace harness::nightly
