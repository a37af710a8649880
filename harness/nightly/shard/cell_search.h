// SPDX-License-Identifier: Apache-2.0
// Cell search: searches a cell of a shard, by this program or another build, replays all findings,
// and tries repairs on them.
#pragma once

#include <optional>
#include <string>

#include "harness/nightly/record.h"
#include "harness/nightly/shard/repair_trials.h"
#include "harness/nightly/shard/services.h"

namespace harness::nightly {

/// Ownership: borrows all its arguments. Threads: confined to the runner's.
class CellSearch {
 public:
  /// `shard`: number of the shard in the plan, counted from 1.
  CellSearch(Runner& runner, const Plan& plan, std::size_t shard, const ShardOptions& options,
             Services& services);

  /// Searches a cell, and writes its reproducers into `folder`. Returns nothing if it was stopped.
  /// Replays and repairs for which there is no time before the deadline are left out, and the
  /// record shows it.
  std::optional<CellRecord> run(const Cell& cell, const Place& place, const std::string& folder,
                                const Deadline& deadline);

 private:
  std::optional<CellRecord> search_here(const Cell& cell, const Place& place,
                                        const std::string& folder, const Deadline& deadline);
  std::optional<CellRecord> search_in_build(const Cell& cell, const Place& place,
                                            const std::string& folder, const Deadline& deadline);
  SearchOptions options_of(const Cell& cell) const;
  FindingRecord keep(const Cell& cell, const Finding& finding, const std::string& folder) const;
  void add(CellRecord& record, std::vector<Finding>& findings, std::vector<Finding> others,
           const std::string& folder) const;
  void confirm(CellRecord& record, const std::string& folder, const Deadline& deadline) const;

  Runner& runner_;
  const Plan& plan_;
  std::size_t shard_;
  const ShardOptions& options_;
  Services& services_;
  RepairTrials repairs_;
};

}  // namespace harness::nightly
