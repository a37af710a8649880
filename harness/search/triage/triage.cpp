// SPDX-License-Identifier: Apache-2.0
// How it works. Each finding is examined separately, so that results do not depend on the order of
// the files: which of the repairs that its run suggests work for it. Then causes are selected
// (choice.h). Orders are tried for findings without another repair, and causes are selected among
// these.
#include "harness/search/triage/triage.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/search/triage/candidates.h"
#include "harness/search/triage/choice.h"
#include "harness/search/triage/trial.h"

namespace harness {
namespace {

using triaging::Candidate;
using triaging::Difference;
using triaging::Finding;
using triaging::order_of;
using triaging::Trial;

/// A repair for a path.
struct Proposal {
  const Scenario* scenario = nullptr;
  Repair repair;

  auto order() const { return std::tuple(order_of(repair), scenario->name.view()); }
  bool operator==(const Proposal& other) const { return order() == other.order(); }
  bool operator<(const Proposal& other) const { return order() < other.order(); }
};

/// Cost for each earlier step at the same place that was as before: the more there are, the less
/// specific the place.
constexpr std::size_t kPerStep = 8;

class Triaging {
 public:
  Triaging(Runner& runner, const TriageOptions& options)
      : options_(options), trial_(runner, options) {}

  Triage run(std::span<const Suspect> suspects) {
    for (std::size_t i = 0; i < suspects.size() && !trial_.is_stopped(); ++i) place(i, suspects[i]);
    name_differences();
    choose();
    put_in_order();
    std::sort(result_.causes.begin(), result_.causes.end(), comes_before);
    std::sort(result_.unexplained.begin(), result_.unexplained.end(), is_sorted_before);
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

  static bool is_sorted_before(const Unexplained& a, const Unexplained& b) {
    return std::pair(a.scenario->name.view(), std::string_view(a.what)) <
           std::pair(b.scenario->name.view(), std::string_view(b.what));
  }

  void place(std::size_t index, const Suspect& suspect) {
    std::optional<Trial::Look> look = trial_.look(index, suspect);
    if (!look) {
      result_.faultless.push_back(index);
      return;
    }
    if (const std::optional<Difference> one = trial_.difference_of(look->finding)) {
      Followed followed = trial_.follow_to(look->finding, *one);
      different_.push_back({std::move(*look), *one, std::move(followed)});
      return;
    }
    trial_.keep_working(*look);
    if (look->candidates.empty())
      others_.push_back(std::move(*look));
    else
      explained_.push_back(std::move(*look));
  }

  // ---- differences ----

  struct Different {
    Trial::Look look;
    Difference difference;
    Followed followed;  ///< Up to the difference.
  };

  /// Looks up the places of all code together, because that runs a separate program.
  void name_differences() {
    std::vector<std::uintptr_t> code;
    for (const Different& one : different_)
      for (const Trail::Code& running : one.followed.trail.code()) code.push_back(running.call);
    std::sort(code.begin(), code.end());
    code.erase(std::unique(code.begin(), code.end()), code.end());
    std::vector<std::string> places(code.size());
    if (options_.places) places = options_.places(code);
    for (Different& one : different_) {
      std::vector<RunningPlace>& running = one.followed.places;
      for (const Trail::Code& each : one.followed.trail.code()) {
        const auto known = std::lower_bound(code.begin(), code.end(), each.call);
        running.push_back(
            {places[static_cast<std::size_t>(known - code.begin())], each.step_count});
      }
      const Repair here = triaging::revert_of(one.difference);
      one.look.candidates = {{here, here, true}};
      for (const RunningPlace& place : running) offer_place(one, place);
      explained_.push_back(std::move(one.look));
    }
  }

  /// Adds the repair that reverts the action at this place, regardless of the site.
  static void offer_place(Different& one, const RunningPlace& place) {
    if (place.text.empty()) return;
    const Repair here = triaging::revert_of(one.difference);
    const Repair repair = triaging::revert_at(one.difference, place.text);
    for (Candidate& known : one.look.candidates)
      if (known.repair == repair) {  // The place is on the stack more than once.
        known.step_count = std::min(known.step_count, place.step_count);
        return;
      }
    one.look.candidates.push_back({repair, here, false, place.step_count});
  }

  // ---- selecting causes ----

  static Proposal proposal_of(const Trial::Look& look, const Candidate& candidate) {
    return {look.finding.the_case.scenario, candidate.repair};
  }

  /// Returns the distinct repairs that work for some finding, in order.
  std::vector<Proposal> proposals() const {
    std::vector<Proposal> all;
    for (const Trial::Look& look : explained_)
      for (const Candidate& one : look.candidates) all.push_back(proposal_of(look, one));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  void choose() {
    const std::vector<Proposal> all = proposals();
    std::vector<unsigned> costs;
    for (const Proposal& one : all)
      costs.push_back(triaging::cost_of(one.repair) + mean_count_of(one));
    std::vector<std::vector<RepairOption>> offers;
    for (const Trial::Look& look : explained_) {
      std::vector<RepairOption>& own = offers.emplace_back();
      for (const Candidate& one : look.candidates) {
        const auto place = std::lower_bound(all.begin(), all.end(), proposal_of(look, one));
        own.push_back({static_cast<std::size_t>(place - all.begin()), one.is_own});
      }
    }
    for (const Explained& chosen : choose_causes(costs, offers))
      result_.causes.push_back(to_cause(all[chosen.repair], chosen.findings));
  }

  /// Returns the cost of the steps before that are as before, on average over the runs.
  unsigned mean_count_of(const Proposal& proposal) const {
    std::size_t sum = 0;
    std::size_t run_count = 0;
    for (const Trial::Look& look : explained_)
      for (const Candidate& one : look.candidates)
        if (proposal_of(look, one) == proposal) {
          sum += one.step_count;
          ++run_count;
        }
    return static_cast<unsigned>(kPerStep * sum / std::max<std::size_t>(run_count, 1));
  }

  Cause to_cause(const Proposal& proposal, const std::vector<std::size_t>& members) const {
    Cause cause{proposal.scenario, proposal.repair, {}, {}, {}, {}};
    for (const std::size_t member : members) {
      const Trial::Look& look = explained_[member];
      cause.members.push_back(look.finding.index);
      const Repair& here =
          std::find_if(look.candidates.begin(), look.candidates.end(), [&](const Candidate& one) {
            return one.repair == proposal.repair;
          })->here;
      add_site(cause.got, here.got);
      add_site(cause.let_go, here.let_go);
      add_site(cause.used, here.used);
    }
    return cause;
  }

  static void add_site(std::vector<Label>& sites, Label site) {
    if (!site.empty() && std::find(sites.begin(), sites.end(), site) == sites.end())
      sites.push_back(site);
  }

  void put_in_order() {
    explained_.clear();
    for (Trial::Look& look : others_) {
      if (!trial_.is_stopped()) trial_.keep_orders(look);
      if (trial_.is_stopped() || look.candidates.empty())
        leave_unexplained(look.finding);
      else
        explained_.push_back(std::move(look));
    }
    choose();
  }

  void leave_unexplained(const Finding& finding) {
    const Scenario* scenario = finding.the_case.scenario;
    const std::string what = finding.fault.what();
    const auto known = std::find_if(
        result_.unexplained.begin(), result_.unexplained.end(),
        [&](const Unexplained& one) { return one.scenario == scenario && one.what == what; });
    if (known == result_.unexplained.end())
      result_.unexplained.push_back({scenario, what, {finding.index}});
    else
      known->members.push_back(finding.index);
  }

  const TriageOptions& options_;
  Trial trial_;
  std::vector<Trial::Look> explained_;  ///< Findings that a repair of their own removes.
  std::vector<Different> different_;    ///< Findings that differ from the run of the good program.
  std::vector<Trial::Look> others_;     ///< Findings without a repair so far.
  Triage result_;
};

}  // namespace

Triage triage(Runner& runner, std::span<const Suspect> suspects, const TriageOptions& options) {
  return Triaging(runner, options).run(suspects);
}

Explanation explain(Runner& runner, const Suspect& suspect, const TriageOptions& options) {
  Trial trial(runner, options);
  std::optional<Trial::Look> look = trial.look(0, suspect);
  if (!look) return {};
  trial.keep_working(*look);
  if (look->candidates.empty()) trial.keep_orders(*look);
  Explanation found{{}, look->finding.fault.what()};
  for (const Candidate& one : look->candidates)
    found.repairs.push_back({one.repair, triaging::cost_of(one.repair), one.is_own});
  return found;
}

std::optional<WorkingRepair> repair_that_still_works(Runner& runner, const Suspect& suspect,
                                                     const std::string& words) {
  Trial trial(runner, {});
  std::optional<Trial::Look> look = trial.look(0, suspect);
  if (!look) return std::nullopt;
  trial.learn_writers(look->finding);
  for (const Candidate& one : triaging::orders_of(look->finding.ways))
    look->candidates.push_back(one);
  const auto meant =
      std::find_if(look->candidates.begin(), look->candidates.end(),
                   [&](const Candidate& one) { return in_words(one.repair) == words; });
  if (meant == look->candidates.end() || !trial.passes(meant->repair, look->finding))
    return std::nullopt;
  return WorkingRepair{meant->repair, triaging::cost_of(meant->repair), meant->is_own};
}

bool removes(Runner& runner, const Repair& repair, const Suspect& suspect, std::size_t index,
             const TriageOptions& options) {
  Trial trial(runner, options);
  std::optional<Trial::Look> look = trial.look(index, suspect);
  if (look && repair.kind == RepairKind::order) trial.learn_writers(look->finding);
  return look && trial.removes(repair, look->finding);
}

}  // namespace harness
