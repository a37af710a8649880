// SPDX-License-Identifier: Apache-2.0
// Services: functions that a shard needs from the program that runs it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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

/// Threads: all functions are called by the shard's thread; any thread may set `stop`.
struct Services {
  const StrategyInfo* strategy = nullptr;
  const DeviceInfo* device = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside. Finished work is kept.
  /// Writes the reproducer of a finding into a folder. Returns the name of its file.
  std::function<std::string(const std::string& folder, const Finding&)> write;
  /// Replays all reproducers of a folder in a new process. Returns, by file name, how the run
  /// differs from the file ("": it does not), or kOutOfTime.
  std::function<std::map<std::string, std::string>(const std::string& folder, const Deadline&)>
      replay;
  /// Returns whether a build exists.
  std::function<bool(const std::string& build)> has_build;
  /// Runs another build to search a cell; a libFuzzer target starts from these inputs. Its
  /// reproducers are written into a folder.
  std::function<BuildSearch(const Cell&, std::span<const std::string> inputs,
                            const std::string& folder, const Deadline&)>
      search_in_build;
  /// Searches a program, and writes its findings into a folder. Returns nothing if it was stopped.
  std::function<std::optional<CellRecord>(const Place&, const Cell&, const std::string& folder)>
      search_program;
  /// Called periodically during a search; for a search in another build, once at its beginning.
  std::function<void(const Place&, const Cell&, const SearchResult&)> progress;
  std::function<void(Phase)> phase;  ///< Called at the beginning of each phase.
  /// Number of runs with other schedules in which a repair must work.
  std::uint64_t repair_runs = 240;
  /// Returns the time in seconds since 1970, UTC; empty = it is not recorded.
  std::function<std::int64_t()> clock;
  /// Returns the number of instructions of this thread; empty or 0 = they are not counted.
  std::function<std::uint64_t()> instructions;
  /// Returns the peak memory of this process in bytes; empty = it is not recorded.
  std::function<std::uint64_t()> peak_bytes;
  std::string machine;  ///< The kind of machine, for comparisons of nights; "" = not recorded.

  /// Returns whether the shard was stopped.
  bool is_stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  /// Reports that another phase begins.
  void tell(Phase one) const {
    if (phase) phase(one);
  }
};

}  // namespace harness::nightly
