// How it works. Each finding is looked at by itself, so that no answer depends on the order of the
// files: its repairs are tried on the recorded schedule, those that pass are ranked, and the first
// that also survives the search is its own. Findings with the same repair are a group. Then groups
// of a path are joined where the repair of one works for the plainest findings of the other, and
// what nothing of its own explains is tried with the repairs of its path.
#include "harness/triage.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/triage/trial.h"

namespace harness {
namespace {

using triaging::Candidate;
using triaging::Finding;
using triaging::Trial;

/// Findings of a group on which the repair of another is tried: the plainest ones.
constexpr std::size_t kTriedMembers = 3;

/// Findings whose own cause is the same.
struct Group {
  Repair repair;
  std::vector<Label> let_go;
  std::vector<Finding> findings;

  const Scenario* scenario() const { return findings.front().the_case.scenario; }
};

auto order_of(const Repair& repair) {
  std::vector<std::string_view> used;
  for (const Label site : repair.used) used.push_back(site.view());
  return std::tuple(repair.kind, repair.object.view(), repair.got.view(), used);
}

/// The very thing that died comes before those that it is part of; then the fewest things, for the
/// shortest time.
bool is_less(const Candidate& a, const Candidate& b) {
  const auto measure = [](const Candidate& one) {
    return std::tuple(one.repair.kind, !one.is_own, one.kept, one.turns);
  };
  if (measure(a) != measure(b)) return measure(a) < measure(b);
  return order_of(a.repair) < order_of(b.repair);
}

class Triaging {
 public:
  Triaging(Runner& runner, const TriageOptions& options) : trial_(runner, options) {}

  Triage run(std::span<const Suspect> suspects) {
    for (std::size_t i = 0; i < suspects.size() && !trial_.is_stopped(); ++i) place(i, suspects[i]);
    std::sort(groups_.begin(), groups_.end(), comes_before);
    join();
    explain_others();
    result_.stopped = trial_.is_stopped();
    result_.run_count = trial_.run_count();
    return std::move(result_);
  }

 private:
  static bool comes_before(const Group& a, const Group& b) {
    const auto rank = [](const Group& group) {
      return std::tuple(group.scenario()->name.view(), -static_cast<long>(group.findings.size()),
                        order_of(group.repair));
    };
    return rank(a) < rank(b);
  }

  void place(std::size_t index, const Suspect& suspect) {
    std::optional<Trial::Look> look = trial_.look(index, suspect);
    if (!look) {
      result_.faultless.push_back(index);
      return;
    }
    if (const Candidate* least = least_of(*look))
      add(*least, std::move(look->finding));
    else
      others_.push_back(std::move(look->finding));
  }

  const Candidate* least_of(Trial::Look& look) {
    std::vector<Candidate>& candidates = look.candidates;
    std::erase_if(candidates,
                  [&](Candidate& one) { return !trial_.passes_with_more(one, look.finding); });
    std::sort(candidates.begin(), candidates.end(), is_less);
    const auto works = [&](const Candidate& one) {
      return trial_.stays_away(one.repair, look.finding);
    };
    const auto found = std::find_if(candidates.begin(), candidates.end(), works);
    return found != candidates.end() ? &*found : nullptr;
  }

  void add(const Candidate& least, Finding finding) {
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return group.repair == least.repair && group.scenario() == finding.the_case.scenario;
    });
    Group& group =
        same != groups_.end() ? *same : groups_.emplace_back(Group{least.repair, {}, {}});
    group.findings.push_back(std::move(finding));
    add_sites(group.let_go, least.let_go);
  }

  static void add_sites(std::vector<Label>& sites, const std::vector<Label>& more) {
    for (const Label site : more)
      if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(site);
  }

  // ---- joining ----

  bool repairs(const Group& one, const Group& other) {
    std::vector<const Finding*> plainest;
    for (const Finding& finding : other.findings) plainest.push_back(&finding);
    const auto size = [](const Finding* one) {
      return std::pair(one->the_case.tape.size(), one->index);
    };
    std::sort(plainest.begin(), plainest.end(),
              [&](const Finding* a, const Finding* b) { return size(a) < size(b); });
    if (plainest.size() > kTriedMembers) plainest.resize(kTriedMembers);
    return std::all_of(plainest.begin(), plainest.end(), [&](const Finding* finding) {
      return trial_.explains(one.repair, *finding);
    });
  }

  /// The largest group gives a cause its name.
  void join() {
    std::vector<std::size_t> root(groups_.size());
    std::iota(root.begin(), root.end(), 0);
    for (std::size_t a = 0; a < groups_.size(); ++a)
      for (std::size_t b = a + 1; b < groups_.size() && !trial_.is_stopped(); ++b) {
        if (groups_[a].scenario() != groups_[b].scenario() || root[a] == root[b]) continue;
        if (!repairs(groups_[a], groups_[b]) && !repairs(groups_[b], groups_[a])) continue;
        const auto [first, second] = std::minmax(root[a], root[b]);
        std::replace(root.begin(), root.end(), std::size_t{second}, std::size_t{first});
      }
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (root[i] == i) name(i, root);
  }

  void name(std::size_t first, const std::vector<std::size_t>& root) {
    Cause cause{groups_[first].scenario(), groups_[first].repair, {}, {}};
    for (std::size_t i = first; i < groups_.size(); ++i) {
      if (root[i] != first) continue;
      for (const Finding& finding : groups_[i].findings) cause.members.push_back(finding.index);
      if (groups_[i].repair.kind == cause.repair.kind) add_sites(cause.let_go, groups_[i].let_go);
    }
    std::sort(cause.members.begin(), cause.members.end());
    result_.causes.push_back(std::move(cause));
  }

  void explain_others() {
    for (const Finding& finding : others_) {
      const auto works = [&](const Cause& cause) {
        return !trial_.is_stopped() && cause.scenario == finding.the_case.scenario &&
               trial_.explains(cause.repair, finding);
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
  std::vector<Group> groups_;
  std::vector<Finding> others_;  ///< Those that no repair of their own removes.
  Triage result_;
};

}  // namespace

Triage triage(Runner& runner, std::span<const Suspect> suspects, const TriageOptions& options) {
  return Triaging(runner, options).run(suspects);
}

}  // namespace harness
