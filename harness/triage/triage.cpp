// How it works. Each finding is looked at by itself, so that no answer depends on the order of the
// files: which of the repairs that its run suggests work for it. Then the causes are chosen, one
// after the other: the repair that works for the most findings that have no cause yet, by its cost;
// those findings are its members. A repair that costs less than all the causes that it could stand
// for takes their place. What nothing of its own explains is tried with the causes of its path.
#include "harness/triage.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/triage/candidates.h"
#include "harness/triage/trial.h"

namespace harness {
namespace {

using triaging::Candidate;
using triaging::Finding;
using triaging::order_of;
using triaging::Trial;

/// A repair, and the findings that it works for.
struct Proposal {
  const Scenario* scenario = nullptr;
  Repair repair;
  unsigned cost = 0;
  std::size_t own_count = 0;  ///< Findings about the very thing that is held.
  std::vector<std::size_t> findings;
  std::vector<Repair> here;  ///< The sites, by finding.
};

/// A proposal that is a cause, and which of its findings are its members.
struct Chosen {
  const Proposal* proposal;
  std::vector<std::size_t> places;  ///< In the proposal's findings.
};

class Triaging {
 public:
  Triaging(Runner& runner, const TriageOptions& options) : trial_(runner, options) {}

  Triage run(std::span<const Suspect> suspects) {
    for (std::size_t i = 0; i < suspects.size() && !trial_.is_stopped(); ++i) place(i, suspects[i]);
    has_cause_.resize(findings_.size());
    std::sort(proposals_.begin(), proposals_.end(), [](const Proposal& a, const Proposal& b) {
      return is_better(a, a.findings.size(), b, b.findings.size());
    });
    while (choose()) {
    }
    while (simplify()) {
    }
    for (const Chosen& chosen : chosen_) result_.causes.push_back(to_cause(chosen));
    explain_others();
    std::sort(result_.causes.begin(), result_.causes.end(), comes_before);
    result_.stopped = trial_.is_stopped();
    result_.run_count = trial_.run_count();
    return std::move(result_);
  }

 private:
  static bool comes_before(const Cause& a, const Cause& b) {
    const auto rank = [](const Cause& cause) {
      return std::tuple(cause.scenario->name.view(), -static_cast<long>(cause.members.size()),
                        order_of(cause.repair));
    };
    return rank(a) < rank(b);
  }

  void place(std::size_t index, const Suspect& suspect) {
    std::optional<Trial::Look> look = trial_.look(index, suspect);
    if (!look) {
      result_.faultless.push_back(index);
      return;
    }
    trial_.keep_working(*look);
    for (const Candidate& one : look->candidates) propose(one, findings_.size(), suspect);
    (look->candidates.empty() ? others_ : findings_).push_back(std::move(look->finding));
  }

  void propose(const Candidate& candidate, std::size_t finding, const Suspect& suspect) {
    const Scenario* scenario = suspect.the_case.scenario;
    const auto key = std::pair(scenario, order_of(candidate.repair));
    const auto [place, is_new] = places_.emplace(key, proposals_.size());
    if (is_new)
      proposals_.push_back(
          {scenario, candidate.repair, triaging::cost_of(candidate.repair), 0, {}, {}});
    Proposal& proposal = proposals_[place->second];
    proposal.findings.push_back(finding);
    proposal.here.push_back(candidate.here);
    proposal.own_count += candidate.is_own;
  }

  // ---- choosing ----

  std::size_t gain_of(const Proposal& proposal) const {
    return static_cast<std::size_t>(
        std::count_if(proposal.findings.begin(), proposal.findings.end(),
                      [&](std::size_t finding) { return !has_cause_[finding]; }));
  }

  /// More findings for its cost come first; then what is cheap, and about what died itself.
  static bool is_better(const Proposal& a, std::size_t a_gain, const Proposal& b,
                        std::size_t b_gain) {
    if (a_gain * b.cost != b_gain * a.cost) return a_gain * b.cost > b_gain * a.cost;
    const auto rest = [](const Proposal& one) {
      return std::tuple(one.cost, -static_cast<long>(one.own_count), order_of(one.repair),
                        one.scenario->name.view());
    };
    return rest(a) < rest(b);
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
    for (std::size_t i = 0; i < proposal.findings.size(); ++i) {
      if (has_cause_[proposal.findings[i]]) continue;
      has_cause_[proposal.findings[i]] = true;
      chosen.places.push_back(i);
    }
    chosen_.push_back(std::move(chosen));
  }

  /// Puts one proposal in the place of causes that cost more together, if there is one.
  bool simplify() {
    for (const Proposal& proposal : proposals_) {
      unsigned cost = 0;
      const auto is_in = [&](const Chosen& chosen) { return stands_for(proposal, chosen); };
      for (const Chosen& chosen : chosen_)
        if (is_in(chosen)) cost += chosen.proposal->cost;
      if (cost <= proposal.cost) continue;
      for (const Chosen& chosen : chosen_)
        if (is_in(chosen))
          for (const std::size_t place : chosen.places)
            has_cause_[chosen.proposal->findings[place]] = false;
      std::erase_if(chosen_, is_in);
      take(proposal);
      return true;
    }
    return false;
  }

  /// Returns whether a repair works for all findings of a cause. A proposal's are ascending.
  static bool stands_for(const Proposal& proposal, const Chosen& chosen) {
    return std::all_of(chosen.places.begin(), chosen.places.end(), [&](std::size_t place) {
      return std::binary_search(proposal.findings.begin(), proposal.findings.end(),
                                chosen.proposal->findings[place]);
    });
  }

  Cause to_cause(const Chosen& chosen) const {
    const Proposal& proposal = *chosen.proposal;
    Cause cause{proposal.scenario, proposal.repair, {}, {}, {}, {}};
    for (const std::size_t place : chosen.places) {
      cause.members.push_back(findings_[proposal.findings[place]].index);
      add_site(cause.got, proposal.here[place].got);
      add_site(cause.let_go, proposal.here[place].let_go);
      add_site(cause.used, proposal.here[place].used);
    }
    return cause;
  }

  static void add_site(std::vector<Label>& sites, Label site) {
    if (!site.empty() && std::find(sites.begin(), sites.end(), site) == sites.end())
      sites.push_back(site);
  }

  void explain_others() {
    for (const Finding& finding : others_) {
      const auto works = [&](const Cause& cause) {
        return !trial_.is_stopped() && cause.scenario == finding.the_case.scenario &&
               trial_.removes(cause.repair, finding);
      };
      const auto found = std::find_if(result_.causes.begin(), result_.causes.end(), works);
      if (found == result_.causes.end())
        result_.unexplained.push_back(finding.index);
      else
        found->members.insert(
            std::upper_bound(found->members.begin(), found->members.end(), finding.index),
            finding.index);
    }
  }

  Trial trial_;
  std::vector<Finding> findings_;  ///< Those that a repair of their own removes.
  std::vector<Finding> others_;
  std::deque<Proposal> proposals_;  // Those that are chosen are pointed at.
  std::vector<Chosen> chosen_;
  std::map<std::pair<const Scenario*, decltype(order_of(Repair()))>, std::size_t> places_;
  std::vector<bool> has_cause_;  ///< By place in findings_.
  Triage result_;
};

}  // namespace

Triage triage(Runner& runner, std::span<const Suspect> suspects, const TriageOptions& options) {
  return Triaging(runner, options).run(suspects);
}

bool removes(Runner& runner, const Repair& repair, const Suspect& suspect, std::size_t index,
             const TriageOptions& options) {
  Trial trial(runner, options);
  const std::optional<Trial::Look> look = trial.look(index, suspect);
  return look && trial.removes(repair, look->finding);
}

}  // namespace harness
