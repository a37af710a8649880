// SPDX-License-Identifier: Apache-2.0
// Shard: one part of a night, searched cell by cell in a separate folder.
//
// Its folder is named "shard-3-of-8.part", and renamed without ".part" when it is complete: the
// name implies a complete shard. Finished cells are on disk, and are not searched again when the
// shard continues after a crash; the current cell starts over. If the budget is in runs, the same
// shard of the same plan has the same result, except for times.
//
//     shard-3-of-8/shard.json               the record
//     shard-3-of-8/007-argpack-borrow/      the reproducers of a cell
//
// Errors: std::runtime_error with one line. Finished cells are kept, and the shard can continue.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/record.h"
#include "harness/nightly/shard/services.h"

namespace harness::nightly {

enum class ShardEnd : unsigned char {
  finished,
  was_finished,  ///< It was finished before; nothing was run.
  stopped,       ///< Stopped from outside.
};

struct ShardResult {
  ShardEnd end = ShardEnd::finished;
  ShardRecord record;  ///< Has the finished cells.
};

/// Runs shard `index`, counted from 1, in a folder below `folder`.
ShardResult run_shard(Runner& runner, const Plan& plan, std::size_t index,
                      const std::string& folder, const ShardOptions& options, Services& services);

/// Returns the number of finished cells of a shard whose folder is below `folder`; 0 if it does not
/// exist.
std::size_t finished_cells(const Plan& plan, std::size_t index, const std::string& folder);

/// Returns "shard-3-of-8".
std::string shard_name(std::size_t index, std::size_t count);

/// Reads a complete shard.
ShardFile read_shard(const std::string& folder);

/// Returns the distinct folders of complete shards among `folders` and directly below them, sorted.
/// Errors: std::runtime_error if one of them neither is nor contains a shard.
std::vector<std::string> find_shards(const std::vector<std::string>& folders);

}  // namespace harness::nightly
