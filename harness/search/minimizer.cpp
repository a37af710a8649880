// SPDX-License-Identifier: Apache-2.0
// Limits are numbers of runs, so that the same seed gives the same cases. The clock may cut off at
// any point; a case that was cut off is not marked as minimized.
#include "harness/search/minimizer.h"

#include <algorithm>

namespace harness::searching {
namespace {

/// Enough rounds for a fixpoint.
constexpr int kRoundLimit = 4;
/// A case with at most this many ops is small enough, and is not tried from another run.
constexpr std::size_t kFewOps = 5;
constexpr std::size_t kFewDecisions = 6;

bool is_smaller(const Minimized& a, const Minimized& b) {
  return std::pair(a.op_count, a.decision_count) < std::pair(b.op_count, b.decision_count);
}

bool is_small(const Minimized& minimized) {
  return minimized.op_count <= kFewOps && minimized.decision_count <= kFewDecisions;
}

}  // namespace

bool Minimizer::run(std::optional<Clock::time_point> deadline) {
  deadline_ = deadline;
  for (const std::size_t index : open())
    if (!result_.findings[index].minimized.reproduced && !is_cut_off()) leave_out(index);
  for (const std::size_t index : open())
    if (!is_cut_off()) minimize_fully(index);
  return !is_cut_off() || open().empty();
}

std::vector<std::size_t> Minimizer::open() const {
  std::vector<std::size_t> firsts, others;
  std::set<std::string_view> hazards;
  for (std::size_t i = 0; i < result_.findings.size(); ++i) {
    const Finding& finding = result_.findings[i];
    const bool first = hazards.insert(finding.hazard.view()).second;
    if (!finding.is_minimized && !finding.nondeterministic) (first ? firsts : others).push_back(i);
  }
  firsts.insert(firsts.end(), others.begin(), others.end());
  return firsts;
}

bool Minimizer::is_cut_off() const {
  const bool stopped = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  return stopped || (deadline_ && Clock::now() >= *deadline_);
}

bool Minimizer::is_over(std::size_t index) const {
  return is_cut_off() || limits(index, true).endless_limit == 0;
}

Limits Minimizer::limits(std::size_t index, bool thorough) const {
  constexpr double kNoTime = 1e-9;  // 0 would mean no limit.
  Limits limits = options_.minimize_limits;
  if (const auto spent = endless_counts_.find(index); spent != endless_counts_.end())
    limits.endless_limit -= std::min(limits.endless_limit, spent->second);
  limits.stop = options_.stop;
  limits.thorough = thorough;
  if (deadline_)
    limits.second_limit =
        std::max(kNoTime, std::chrono::duration<double>(*deadline_ - Clock::now()).count());
  return limits;
}

Minimized Minimizer::minimize_once(std::size_t index, const Case& the_case, bool thorough) {
  const Finding& finding = result_.findings[index];
  const Minimized result =
      minimize(runner_, the_case, finding.signature, limits(index, thorough), {}, finding.window);
  if (result.endless_count > 0) endless_counts_[index] += result.endless_count;
  return result;
}

void Minimizer::leave_out(std::size_t index) {
  keeper_.take_smallest(index);
  Finding& finding = result_.findings[index];
  if (finding.nondeterministic) return keeper_.tell(index);
  const Minimized plainer = minimize_once(index, finding.found.the_case, false);
  plainer.deterministic ? adopt(finding, plainer) : distrust(finding);
  keeper_.tell(index);
}

// Each run leads to another local minimum; the smallest is used.
void Minimizer::minimize_fully(std::size_t index) {
  Finding& finding = result_.findings[index];
  const std::vector<Sample>& samples = keeper_.smallest(index);
  const Case plainer = finding.reproducer.the_case;
  for (std::size_t i = 0; i < samples.size() && !is_over(index); ++i) {
    const Minimized result = minimize_fully(index, i == 0 ? plainer : keeper_.case_of(samples[i]));
    if (!result.deterministic) {
      distrust(finding);
      break;
    }
    if (i > 0 && !is_smaller(result, finding.minimized)) continue;
    if (i > 0) keeper_.take(index, samples[i]);
    adopt(finding, result);
    if (is_small(result)) break;
  }
  finding.is_minimized = finding.minimized.reproduced && !finding.nondeterministic && !is_cut_off();
  keeper_.tell(index);
}

Minimized Minimizer::minimize_fully(std::size_t index, Case the_case) {
  for (int round = 1;; ++round) {
    const Minimized result = minimize_once(index, the_case, true);
    const bool done = result.finished || round == kRoundLimit || is_over(index);
    if (done || !result.deterministic) return result;
    the_case = result.the_case;
  }
}

void Minimizer::adopt(Finding& finding, const Minimized& minimized) {
  Reproducer reproducer = describe(runner_, runner_.run(minimized.the_case), minimized.the_case);
  const std::vector<std::string>& faults = reproducer.faults;
  if (std::find(faults.begin(), faults.end(), finding.signature) == faults.end())
    return distrust(finding);
  finding.minimized = minimized;
  finding.reproducer = std::move(reproducer);
}

void Minimizer::distrust(Finding& finding) {
  finding.nondeterministic = result_.nondeterministic = true;
}

}  // namespace harness::searching
