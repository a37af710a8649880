// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/tapes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace harness::client {

Tape tape_of(const std::vector<ToldDecision>& decisions) {
  Tape tape;
  tape.reserve(decisions.size());
  for (const ToldDecision& told : decisions) tape.push_back(told.decision);
  return tape;
}

Tape tape_before(const ClientRun& run, const ToldFault& wanted) {
  Tape tape;
  for (const Report& report : run.reports) {
    const auto met = std::find_if(report.faults.begin(), report.faults.end(),
                                  [&](const ToldFault& fault) { return fault.is_same(wanted); });
    const std::size_t count =
        met != report.faults.end() ? met->decision_count : report.decisions.size();
    for (std::size_t i = 0; i < std::min(count, report.decisions.size()); ++i)
      tape.push_back(report.decisions[i].decision);
  }
  return tape;
}

std::vector<ToldDecision> told_of(const ClientRun& run, const Tape& tape) {
  const auto key = [](const Decision& one) {
    return std::tuple(one.activation, one.site_tag, one.nth);
  };
  std::map<std::tuple<Name, std::uint16_t, std::uint16_t>, Decision> kept;
  for (const Decision& one : tape) kept.emplace(key(one), one);
  std::vector<ToldDecision> told;
  for (ToldDecision one : run.decisions()) {
    const auto found = kept.find(key(one.decision));
    if (found == kept.end()) continue;
    if (found->second != one.decision) one.answer = "another one runs";
    one.decision = found->second;
    told.push_back(one);
  }
  return told;
}

}  // namespace harness::client
