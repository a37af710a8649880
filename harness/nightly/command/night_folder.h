// SPDX-License-Identifier: Apache-2.0
// Night folder: the folder of the current night in a history, with its plan and its shards.
//
// A night is over when the history has all its shards and it was reported. Only then is the folder
// removed, by a rename, so that a crash leaves all of it or nothing. Errors: std::runtime_error
// with one line; UsageError if another night is in progress.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/nightly/history.h"
#include "harness/nightly/plan.h"

namespace harness::entries {

class NightFolder {
 public:
  /// Errors: std::runtime_error if the folder is a link, which a foreign history may contain.
  explicit NightFolder(const std::string& history);

  std::string name() const { return folder_.string(); }
  /// Returns the folder of a complete shard.
  std::string shard(std::size_t index, std::size_t count) const;

  /// Returns whether a night is in progress. Removes the folder of a night that is over.
  bool is_under_way(nightly::History& history) const;
  /// Reads the plan, and checks that this program would make the same one.
  nightly::Plan plan() const;
  void write(const nightly::Plan& plan) const;

  /// Returns whether this is the current night, and its notice was not sent yet.
  bool lacks_notice(const std::string& night) const;
  /// Records that the notice was sent, if this is the current night.
  void record_notice(const std::string& night) const;
  /// Removes the folder, whose content is in the history by then.
  void clear() const;

 private:
  std::filesystem::path plan_file() const { return folder_ / "plan.json"; }
  std::filesystem::path notice_file() const { return folder_ / "told"; }
  bool has_plan() const;
  /// Reads the plan without this check.
  nightly::Plan plan_as_written() const;
  std::string id() const;
  void remove_what_was_cleared() const;

  std::filesystem::path folder_;
  std::filesystem::path cleared_;  ///< The folder's name during its removal.
};

}  // namespace harness::entries
