// SPDX-License-Identifier: Apache-2.0
// Services: the things that a shard needs from code that runs it.
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
#include "harness/search.h"

namespace harness::nightly {

/// Where in its shard a search is.
struct Place {
  std::size_t cell = 0;  ///< Counted from 0.
  std::size_t cells = 0;
};

/// Threads: all are called by the thread that runs the shard, but `stop` is set by any.
struct Services {
  const StrategyInfo* strategy = nullptr;
  const DeviceInfo* device = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside: what is finished is kept.
  /// Writes the reproducer of a finding into a folder, and returns the name of its file.
  std::function<std::string(const std::string& folder, const Finding&)> write;
  /// Replays all reproducers of a folder in a fresh process. Returns, by name of the file, how the
  /// run differs from what the file says ("": not at all), or kOutOfTime.
  std::function<std::map<std::string, std::string>(const std::string& folder, const Deadline&)>
      replay;
  /// Returns whether a build is there to search in.
  std::function<bool(const std::string& build)> has_build;
  /// Has another build search a cell, a libFuzzer target from these inputs, and leave its
  /// reproducers in a folder.
  std::function<BuildSearch(const Cell&, std::span<const std::string> inputs,
                            const std::string& folder, const Deadline&)>
      search_in_build;
  /// Searches a program, and leaves its findings in a folder; nothing when it was told to stop.
  std::function<std::optional<CellRecord>(const Place&, const Cell&, const std::string& folder)>
      search_program;
  /// Called now and then with the result of a search; of one in another build, where it begins.
  std::function<void(const Place&, const Cell&, const SearchResult&)> progress;
  std::function<void(Phase)> phase;  ///< Called where another one begins.
  /// Runs of other schedules in which a repair of a finding must work.
  std::uint64_t repair_runs = 240;
  /// Tells the time, in seconds since 1970, UTC; empty = it is not recorded.
  std::function<std::int64_t()> clock;
  /// Returns how many instructions this thread has carried out; empty or 0 = nothing counts them.
  std::function<std::uint64_t()> instructions;
  /// Tells the most memory that this process had, in bytes; empty = it is not recorded.
  std::function<std::uint64_t()> peak_bytes;
  std::string machine;  ///< Its class: nights of one class are compared; "" = not recorded.

  /// Whether the shard was told to stop.
  bool is_stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  /// Tells that another phase begins, if anything listens.
  void tell(Phase one) const {
    if (phase) phase(one);
  }
};

}  // namespace harness::nightly
