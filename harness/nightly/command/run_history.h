// SPDX-License-Identifier: Apache-2.0
// Run history: the earlier searches of a program. It has the format of a history of nights
// (harness/nightly/README.md); each search is a night.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "harness/client/command/run_client.h"
#include "harness/client/outside/search/search.h"
#include "harness/nightly/night.h"

namespace harness::entries {

/// A search, compared with earlier ones.
struct SinceLastTime {
  nightly::Night night;
  std::string history;  ///< The history's folder.

  /// Returns whether a finding is new, or came back after it was fixed.
  bool has_news() const;
  /// Returns a summary line, and a line for each finding whose state changed.
  std::string text() const;
};

/// Ownership: holds a lock on the history's folder, so that no other search writes to it.
class RunHistory {
 public:
  /// Errors: std::runtime_error if the folder has no history and none can be created.
  explicit RunHistory(const RunOptions& options);
  ~RunHistory();
  RunHistory(const RunHistory&) = delete;
  RunHistory& operator=(const RunHistory&) = delete;

  /// Adds a finished search. Replays earlier findings that it did not show. Errors: as for the
  /// constructor.
  SinceLastTime add(const client::SearchResult& result, const std::atomic<bool>& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the JSON of a search, with the key `history` if there is one.
std::string with_history(const std::string& json, const std::optional<SinceLastTime>& since);

}  // namespace harness::entries
