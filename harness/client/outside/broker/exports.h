// SPDX-License-Identifier: Apache-2.0
// Exports: the objects that the processes of a run share, as the broker keeps them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

namespace harness::client {

/// The number of a process, and the number of one of its objects.
using ExportKey = std::pair<std::uint32_t, std::uint32_t>;

/// An object that a process has exported. JSON values are passed on unchanged.
struct Exported {
  nlohmann::json told;  ///< Kind, life, addresses and birth.
  nlohmann::json end;   ///< How it ended; null while it lives.
  /// Returns whether it exists for as long as any process has it open.
  bool outlives() const { return told.value("outlives", false); }

  struct Use {
    std::uint64_t number = 0;
    std::uint32_t by = 0;  ///< The process that used it.
    nlohmann::json told;
  };
  static constexpr std::size_t kUseLimit = 64;
  std::deque<Use> uses;  ///< The most recent uses, at most kUseLimit.

  std::map<std::uint32_t, nlohmann::json> open;  ///< The call by which each process opened it.
  std::map<std::uint32_t, std::uint64_t> heard;  ///< Number of the last use sent to each process.
  std::set<std::uint32_t> knows_end;             ///< Processes that were informed of its end.
  std::uint64_t record_count = 0;                ///< If an event: the number of its last record.
  std::uint32_t record_by = 0;
  bool is_record_done = false;
  nlohmann::json record_clock = nlohmann::json::array();
};

/// A vector clock over the lines of all processes.
class SharedClock {
 public:
  void join(const nlohmann::json& points);
  nlohmann::json told() const;
  void clear() { ticks_.clear(); }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ticks_;
};

/// All exported objects of a run. Threads: confined to one thread.
class Exports {
 public:
  void clear();
  void offer(ExportKey key, nlohmann::json told);
  /// Returns the object, or null.
  Exported* find(ExportKey key);
  /// Notes uses of a process, and the work that it has waited for.
  void note(std::uint32_t process, const nlohmann::json& uses, const nlohmann::json& known);
  /// Returns everything that was not sent to this process yet.
  nlohmann::json news_for(std::uint32_t process);
  /// Returns whether a process has exported an object that outlives it.
  bool has_outliving(std::uint32_t process) const;
  /// Notes the end of a process: objects that it exported end with it, and its work is complete.
  void process_ended(std::uint32_t process, const nlohmann::json& by, bool is_lost);

 private:
  std::map<ExportKey, Exported> all_;
  std::uint64_t use_count_ = 0;
  SharedClock known_;
};

}  // namespace harness::client
