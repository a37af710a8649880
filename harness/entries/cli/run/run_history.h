// SPDX-License-Identifier: Apache-2.0
// Run history: the searches of a program before this one, in a history as nights have
// (harness/nightly/README.md), of which each search is a night.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "harness/client/search/search.h"
#include "harness/entries/cli/run/run_client.h"
#include "harness/nightly/night.h"

namespace harness::entries {

/// A search beside those before it.
struct SinceLastTime {
  nightly::Night night;
  std::string history;  ///< Its folder.

  /// Returns whether a finding is new, or back after it was fixed.
  bool has_news() const;
  /// Returns a line that counts, and one for each finding that is not just known.
  std::string text() const;
};

/// Ownership: holds the folder of the history, so that no other search writes there meanwhile.
class RunHistory {
 public:
  /// Errors: std::runtime_error if there is no history in the folder and none can be made.
  explicit RunHistory(const RunOptions& options);
  ~RunHistory();
  RunHistory(const RunHistory&) = delete;
  RunHistory& operator=(const RunHistory&) = delete;

  /// Adds a search that is over. What earlier ones found and this one did not is replayed. Errors:
  /// as the constructor's.
  SinceLastTime add(const client::SearchResult& result, const std::atomic<bool>& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the JSON of a search with the key `history`, if there is one.
std::string with_history(const std::string& json, const std::optional<SinceLastTime>& since);

}  // namespace harness::entries
