// SPDX-License-Identifier: Apache-2.0
// Earlier searches: the searches of a program that `run --history` compares a search with.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/client/outside/search/search.h"

namespace harness::entries {

/// A search, compared with earlier ones.
struct SinceLastTime {
  bool has_news = false;  ///< A finding is new, or came back after it was fixed.
  std::string text;       ///< A summary line, and a line for each finding whose state changed.
  nlohmann::ordered_json json;
};

class EarlierSearches {
 public:
  virtual ~EarlierSearches() = default;
  /// Adds a finished search. Replays earlier findings that it did not show. Errors:
  /// std::runtime_error.
  virtual SinceLastTime add(const client::SearchResult& result, const std::atomic<bool>& stop) = 0;
};

/// Returns the JSON of a search, with the key `history` if there is one.
inline std::string with_history(const std::string& json,
                                const std::optional<SinceLastTime>& since) {
  if (!since) return json;
  auto object = nlohmann::ordered_json::parse(json);
  object["history"] = since->json;
  return object.dump();
}

}  // namespace harness::entries
