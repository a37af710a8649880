// SPDX-License-Identifier: Apache-2.0
// Complaints: bad ends of the program that no fault explains, without those that our own means
// cause.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/client/outside/search/runs.h"
#include "harness/client/outside/search/search.h"

namespace harness::client {

/// Ownership: borrows all its arguments. Puts failures into the result.
class Complaints {
 public:
  Complaints(SearchResult& result, Runs& runs) : result_(result), runs_(runs) {}

  /// Takes the bad end of a run.
  void take(const std::string& complaint, const ClientRun& run, std::uint64_t number);

 private:
  bool is_known(const std::string& complaint) const;
  std::string told_forced(const std::string& complaint, const std::vector<ToldDecision>& all);
  bool is_of_watching(const std::string& complaint, const std::vector<ToldDecision>& all);

  SearchResult& result_;
  Runs& runs_;
  std::map<std::string, bool> failures_of_watching_;        ///< Whether each is due to watching.
  std::map<std::string, std::string> failures_of_forcing_;  ///< Its words, by complaint.
};

}  // namespace harness::client
