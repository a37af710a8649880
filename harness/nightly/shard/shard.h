// SPDX-License-Identifier: Apache-2.0
// Shard: one part of a night, searched cell by cell into a separate folder.
//
// It is written as "shard-3-of-8.part" and gets its name without ".part" when all of it is there:
// code that sees the name sees a whole shard. A cell that is finished is on the disk, and is not
// searched again where the shard continues after a kill; the cell under way is begun again. The
// same shard of the same plan reaches the same, but for the seconds, if the budget is in runs.
//
//     shard-3-of-8/shard.json               the record
//     shard-3-of-8/007-argpack-borrow/      the reproducers of a cell
//
// Errors: std::runtime_error with one line; what is finished stays, and the shard can continue.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/record.h"
#include "harness/nightly/shard/services.h"

namespace harness::nightly {

enum class ShardEnd : unsigned char {
  finished,
  was_finished,  ///< Before, so that nothing was run.
  stopped,       ///< From outside.
};

struct ShardResult {
  ShardEnd end = ShardEnd::finished;
  ShardRecord record;  ///< Holds the cells that are finished.
};

/// Runs shard `index`, counted from 1, in a folder below `folder`.
ShardResult run_shard(Runner& runner, const Plan& plan, std::size_t index,
                      const std::string& folder, const Services& services);

/// Returns how many cells of a shard are finished, whose folder is below `folder`, if there is one.
std::size_t finished_cells(const Plan& plan, std::size_t index, const std::string& folder);

/// Returns "shard-3-of-8".
std::string shard_name(std::size_t index, std::size_t count);

/// Reads a whole shard.
ShardFile read_shard(const std::string& folder);

/// Returns the folders of the whole shards among `folders` and directly below them, sorted, each
/// once. Errors: std::runtime_error if one of them neither is nor holds a shard.
std::vector<std::string> find_shards(const std::vector<std::string>& folders);

}  // namespace harness::nightly
