// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/failing_runs.h"

#include <algorithm>
#include <array>

#include "harness/client/outside/search/tapes.h"

namespace harness::client {

void FailingRuns::expect(const ClientRun& run) {
  expected_.insert(expected_.end(), run.failures.begin(), run.failures.end());
}

const ToldFault* FailingRuns::suspect(const ClientRun& run) const {
  const ToldFault* failure = client::suspect(run, expected_, is_pedantic_);
  return failure != nullptr && may_be_tried(*failure) ? failure : nullptr;
}

bool FailingRuns::may_be_tried(const ToldFault& failure) const {
  constexpr unsigned kTrials = 3, kTrialsInAll = 12;
  const auto rejected = rejected_.find(failure.signature);
  return rejected_count_ < kTrialsInAll &&
         (rejected == rejected_.end() || rejected->second < kTrials);
}

void FailingRuns::take_survived(const ClientRun& run, const RunOf& again) {
  const ToldFault* error = is_pedantic_ ? nullptr : client::survived(run, expected_);
  if (error == nullptr) return;
  const auto known = std::ranges::find(
      survived_, error->signature, [](const SurvivedError& one) { return one.error.signature; });
  if (known != survived_.end())
    ++known->run_count;
  else if (may_be_tried(*error) && depends(error->signature, tape_before(run, *error), again))
    survived_.push_back({*error, 1});
  else
    reject(error->signature);
}

bool FailingRuns::depends(const std::string& signature, const Tape& tape, const RunOf& run) {
  constexpr std::array kWith{true, false, false, true, true, false};
  return std::ranges::all_of(kWith, [&](bool with) {
    return with ? run(tape).find(signature) != nullptr : ends_well_without(signature, run);
  });
}

bool FailingRuns::is_absent_without(const std::string& signature, const RunOf& run) {
  constexpr unsigned kRuns = 3;
  for (unsigned i = 0; i < kRuns; ++i)
    if (!ends_well_without(signature, run)) return false;
  return true;
}

bool FailingRuns::ends_well_without(const std::string& signature, const RunOf& run) {
  const ClientRun plain = run({});
  expect(plain);
  return plain.ended.code == 0 && plain.ended.hang.empty() && !plain.ended.stopped &&
         plain.find(signature) == nullptr;
}

void FailingRuns::reject(const std::string& signature) {
  ++rejected_[signature];
  ++rejected_count_;
}

}  // namespace harness::client
