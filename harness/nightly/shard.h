// Shard: one part of a night, searched cell by cell into a folder of its own.
//
// It is written as "shard-3-of-8.part" and gets its name without ".part" when all of it is there:
// whoever sees the name sees a whole shard. A cell that is finished is on the disk, and is not
// searched again where the shard goes on after a kill; the cell under way is begun anew. The same
// shard of the same plan comes to the same, but for the seconds, where the budget is in runs.
//
//     shard-3-of-8/shard.json               the record
//     shard-3-of-8/007-argpack-borrow/      the reproducers of a cell
//
// Errors: std::runtime_error with one line; what is finished stays, and the shard can go on.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/nightly/build_search.h"
#include "harness/nightly/phase.h"
#include "harness/nightly/record.h"
#include "harness/search.h"

namespace harness::nightly {

/// Where in its shard a search is.
struct Place {
  std::size_t cell = 0;  ///< Counted from 0.
  std::size_t cells = 0;
};

/// The things that a shard needs from whoever runs it.
struct Services {
  const StrategyInfo* strategy = nullptr;
  const DeviceInfo* device = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside: what is finished is kept.
  /// Writes the reproducer of a finding into a folder, and returns the name of its file.
  std::function<std::string(const std::string& folder, const Finding&)> write;
  /// Replays all reproducers of a folder in a fresh process. Returns, by name of the file, how the
  /// run differs from what the file says; "" where it does not.
  std::function<std::map<std::string, std::string>(const std::string& folder)> replay;
  /// Has another build search a cell, a libFuzzer target from these inputs, and leave its
  /// reproducers in a folder.
  std::function<BuildSearch(const Cell&, std::span<const std::string> inputs,
                            const std::string& folder)>
      search_in_build;
  std::function<void(const Place&, const Cell&, const SearchResult&)> progress;
  std::function<void(Phase)> phase;  ///< Called where another one begins.
  /// Runs of other schedules in which a repair of a finding must work.
  std::uint64_t repair_runs = 240;
  /// Tells the time, in seconds since 1970, UTC; empty = it is not recorded.
  std::function<std::int64_t()> clock;
  /// Tells how many instructions this thread has carried out; empty or 0 = nobody counts them.
  std::function<std::uint64_t()> instructions;
  /// Tells the most memory that this process had, in bytes; empty = it is not recorded.
  std::function<std::uint64_t()> peak_bytes;
  std::string machine;  ///< Its class: nights of one class are compared; "" = not recorded.
};

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

/// Returns "shard-3-of-8".
std::string shard_name(std::size_t index, std::size_t count);

/// Reads a whole shard.
ShardRecord read_shard(const std::string& folder);

/// Returns the folders of the whole shards among `folders` and directly below them, sorted, each
/// once. Errors: std::runtime_error where one of them neither is nor holds a shard.
std::vector<std::string> find_shards(const std::vector<std::string>& folders);

}  // namespace harness::nightly
