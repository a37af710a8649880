// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/complaints.h"

#include <algorithm>
#include <iterator>

#include "harness/client/outside/search/tapes.h"
#include "harness/client/outside/search/unforced.h"

namespace harness::client {

void Complaints::take(const std::string& complaint, const ClientRun& run, std::uint64_t number) {
  const std::vector<ToldDecision> all = run.decisions();
  if (is_of_watching(complaint, all)) return;
  const std::string told = told_forced(complaint, all);
  for (OwnFailure& known : result_.failures)
    if (known.complaint == told) {
      ++known.run_count;
      return;
    }
  result_.failures.push_back({told, run.last_call(), number, 1});
}

bool Complaints::is_known(const std::string& complaint) const {
  return std::ranges::any_of(result_.failures,
                             [&](const OwnFailure& known) { return known.complaint == complaint; });
}

/// Returns the complaint, extended by a clause if it occurs with forced choices only.
std::string Complaints::told_forced(const std::string& complaint,
                                    const std::vector<ToldDecision>& all) {
  const Tape tape = tape_of(all);
  if (is_known(complaint) || !has_forced(tape)) return complaint;
  const auto [known, is_new] = failures_of_forcing_.try_emplace(complaint, complaint);
  if (!is_new) return known->second;
  const ClientRun unforced = runs_.further(possible_part(tape));
  if (runs_.complaint_of(unforced) != complaint) known->second += ", where something was forced";
  return known->second;
}

/// Returns whether the program fails only because memory is watched: a system call fails if it
/// gets watched memory.
bool Complaints::is_of_watching(const std::string& complaint,
                                const std::vector<ToldDecision>& all) {
  if (is_known(complaint) || std::ranges::none_of(all, &ToldDecision::is_watch)) return false;
  const auto [known, is_new] = failures_of_watching_.try_emplace(complaint, true);
  if (!is_new) return known->second;
  std::vector<ToldDecision> others;
  std::ranges::remove_copy_if(all, std::back_inserter(others), &ToldDecision::is_watch);
  const ClientRun unwatched = runs_.further(tape_of(others));
  known->second = runs_.complaint_of(unwatched) != complaint;
  return known->second;
}

}  // namespace harness::client
