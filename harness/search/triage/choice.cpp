// SPDX-License-Identifier: Apache-2.0
#include "harness/search/triage/choice.h"

#include <algorithm>
#include <tuple>

namespace harness {
namespace {

/// A repair, and the findings that it works for.
struct Proposal {
  std::size_t repair = 0;
  unsigned cost = 0;
  std::size_t own_count = 0;          ///< Findings about the repair's own object.
  std::vector<std::size_t> findings;  ///< Their indices, ascending.
};

class Choice {
 public:
  Choice(std::span<const unsigned> costs, std::span<const std::vector<RepairOption>> offers)
      : proposals_(costs.size()), has_cause_(offers.size()) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      proposals_[i].repair = i;
      proposals_[i].cost = costs[i];
    }
    for (std::size_t finding = 0; finding < offers.size(); ++finding)
      for (const RepairOption& offer : offers[finding]) {
        proposals_[offer.repair].findings.push_back(finding);
        proposals_[offer.repair].own_count += offer.is_own ? 1 : 0;
      }
    std::sort(proposals_.begin(), proposals_.end(), [](const Proposal& a, const Proposal& b) {
      return is_better(a, a.findings.size(), b, b.findings.size());
    });
  }

  std::vector<Explained> run() {
    while (choose()) {
    }
    while (simplify()) {
    }
    std::vector<Explained> explained;
    for (Chosen& chosen : chosen_)
      explained.push_back({chosen.proposal->repair, std::move(chosen.findings)});
    return explained;
  }

 private:
  /// A proposal that is a cause, and its members among the findings.
  struct Chosen {
    const Proposal* proposal;
    std::vector<std::size_t> findings;
  };

  /// Prefers more findings per cost; then lower cost, then repairs of the findings' own objects.
  static bool is_better(const Proposal& a, std::size_t a_gain, const Proposal& b,
                        std::size_t b_gain) {
    if (a_gain * b.cost != b_gain * a.cost) return a_gain * b.cost > b_gain * a.cost;
    const auto rest = [](const Proposal& one) {
      return std::tuple(one.cost, -static_cast<long>(one.own_count), one.repair);
    };
    return rest(a) < rest(b);
  }

  std::size_t gain_of(const Proposal& proposal) const {
    return static_cast<std::size_t>(
        std::count_if(proposal.findings.begin(), proposal.findings.end(),
                      [&](std::size_t finding) { return !has_cause_[finding]; }));
  }

  bool choose() {
    const Proposal* best = nullptr;
    std::size_t best_gain = 0;
    for (const Proposal& proposal : proposals_) {
      const std::size_t gain = gain_of(proposal);
      if (gain == 0 || (best != nullptr && !is_better(proposal, gain, *best, best_gain))) continue;
      best = &proposal;
      best_gain = gain;
    }
    if (best != nullptr) take(*best);
    return best != nullptr;
  }

  void take(const Proposal& proposal) {
    Chosen chosen{&proposal, {}};
    for (const std::size_t finding : proposal.findings) {
      if (has_cause_[finding]) continue;
      has_cause_[finding] = true;
      chosen.findings.push_back(finding);
    }
    chosen_.push_back(std::move(chosen));
  }

  /// Replaces several causes by one proposal that costs less, if there is one.
  bool simplify() {
    for (const Proposal& proposal : proposals_) {
      unsigned cost = 0;
      const auto is_in = [&](const Chosen& chosen) { return stands_for(proposal, chosen); };
      for (const Chosen& chosen : chosen_)
        if (is_in(chosen)) cost += chosen.proposal->cost;
      if (cost <= proposal.cost) continue;
      for (const Chosen& chosen : chosen_)
        if (is_in(chosen))
          for (const std::size_t finding : chosen.findings) has_cause_[finding] = false;
      std::erase_if(chosen_, is_in);
      take(proposal);
      return true;
    }
    return false;
  }

  /// Returns whether a repair works for all findings of a cause.
  static bool stands_for(const Proposal& proposal, const Chosen& chosen) {
    return std::includes(proposal.findings.begin(), proposal.findings.end(),
                         chosen.findings.begin(), chosen.findings.end());
  }

  std::vector<Proposal> proposals_;
  std::vector<Chosen> chosen_;
  std::vector<bool> has_cause_;  ///< Whether each finding has a cause.
};

}  // namespace

std::vector<Explained> choose_causes(std::span<const unsigned> costs,
                                     std::span<const std::vector<RepairOption>> offers) {
  return Choice(costs, offers).run();
}

}  // namespace harness
