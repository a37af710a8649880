// SPDX-License-Identifier: Apache-2.0
// Cell search: a cell of a shard is searched, by this program or by another build of it, and all
// that is found is replayed and tried with repairs.
#pragma once

#include <optional>
#include <string>

#include "harness/nightly/record.h"
#include "harness/nightly/shard/repair_trials.h"
#include "harness/nightly/shard/services.h"

namespace harness::nightly {

/// Ownership: borrows all that it is made of. Threads: confined to the runner's.
class CellSearch {
 public:
  /// For shard `shard` of the plan, counted from 1.
  CellSearch(Runner& runner, const Plan& plan, std::size_t shard, const Services& services);

  /// Returns the result of searching a cell, whose reproducers it leaves in `folder`; nothing if it
  /// was stopped. Replays and trials of repairs that do not fit before the deadline are left out,
  /// and the record says so.
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
  const Services& services_;
  RepairTrials repairs_;
};

}  // namespace harness::nightly
