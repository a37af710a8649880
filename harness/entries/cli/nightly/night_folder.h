// SPDX-License-Identifier: Apache-2.0
// Night folder: the night under way in a history: its plan, and its shards.
//
// A night is over when the history has all of its shards and it was reported: only then the folder
// may go, at once, so that code that is killed meanwhile leaves all of it or nothing.
// Errors: std::runtime_error with one line; UsageError where another night is in the way.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/nightly/history.h"
#include "harness/nightly/plan.h"

namespace harness::entries {

class NightFolder {
 public:
  /// Errors: the folder is a link, as a history of another owner may have one.
  explicit NightFolder(const std::string& history);

  std::string name() const { return folder_.string(); }
  /// Returns the folder of a shard once that is whole.
  std::string shard(std::size_t index, std::size_t count) const;

  /// Returns whether there is a night under way; one that is over is cleared away.
  bool is_under_way(nightly::History& history) const;
  /// Reads the plan, which must be one that this program would make.
  nightly::Plan plan() const;
  void write(const nightly::Plan& plan) const;

  /// Returns whether this is the night under way, and nothing was informed of it yet.
  bool is_untold(const std::string& night) const;
  /// Notes that people were informed of the night, if it is the one under way.
  void note_told(const std::string& night) const;
  /// Removes the folder: what it was for is in the history.
  void clear() const;

 private:
  std::filesystem::path plan_file() const { return folder_ / "plan.json"; }
  std::filesystem::path told_file() const { return folder_ / "told"; }
  bool has_plan() const;
  /// Reads the plan, whichever program made it.
  nightly::Plan plan_as_written() const;
  std::string id() const;
  void remove_what_was_cleared() const;

  std::filesystem::path folder_;
  std::filesystem::path cleared_;  ///< The name of the folder while it is removed.
};

}  // namespace harness::entries
