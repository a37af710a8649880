// SPDX-License-Identifier: Apache-2.0
// Services: the part of a shard's work that the program does which runs it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "harness/nightly/deadline.h"
#include "harness/nightly/record.h"
#include "harness/nightly/shard/build_search.h"
#include "harness/nightly/shard/phase.h"
#include "harness/search/search.h"

namespace harness::nightly {

/// The position of a search in its shard.
struct Place {
  std::size_t cell = 0;  ///< Counted from 0.
  std::size_t cells = 0;
};

/// The options of all searches of a shard. Threads: any thread may set `stop`.
struct ShardOptions {
  const StrategyInfo* strategy = nullptr;
  const DeviceInfo* device = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside. Finished work is kept.
  /// Number of runs with other schedules in which a repair must work.
  std::uint64_t repair_runs = 240;

  /// Returns whether the shard was stopped.
  bool is_stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// The conditions under which a shard ended.
struct Circumstances {
  std::int64_t ended_at = 0;     ///< Seconds since 1970, UTC; 0 = not recorded.
  std::uint64_t peak_bytes = 0;  ///< The peak memory of this process; 0 = not recorded.
  std::string machine;  ///< The kind of machine, for comparisons of nights; "" = not recorded.
};

/// Threads: all functions are called by the shard's thread.
class Services {
 public:
  virtual ~Services() = default;

  /// Writes the reproducer of a finding into a folder. Returns the name of its file.
  virtual std::string write(const std::string& folder, const Finding& finding) = 0;
  /// Replays all reproducers of a folder in a new process. Returns, by file name, how the run
  /// differs from the file ("": it does not), or kOutOfTime.
  virtual std::map<std::string, std::string> replay(const std::string& folder,
                                                    const Deadline& deadline) = 0;

  /// Returns whether a build exists.
  virtual bool has_build(const std::string& build) const = 0;
  /// Runs another build to search a cell; a libFuzzer target starts from these inputs. Its
  /// reproducers are written into a folder.
  virtual BuildSearch search_in_build(const Cell& cell, std::span<const std::string> inputs,
                                      const std::string& folder, const Deadline& deadline) = 0;
  /// Searches a program, and writes its findings into a folder. Returns nothing if it was stopped.
  /// Errors: std::runtime_error if the night has no list of programs.
  virtual std::optional<CellRecord> search_program(const Place& place, const Cell& cell,
                                                   const std::string& folder) = 0;

  /// Shows progress. Called periodically during a search; for a search in another build, once at
  /// its beginning.
  virtual void show(const Place& /*place*/, const Cell& /*cell*/, const SearchResult& /*found*/) {}
  /// Shows that another phase begins.
  virtual void show(Phase /*phase*/) {}

  /// Returns the number of instructions of this thread; 0 = they are not counted.
  virtual std::uint64_t instructions() { return 0; }
  /// Returns the conditions under which the shard ends.
  virtual Circumstances circumstances() const { return {}; }
};

}  // namespace harness::nightly
