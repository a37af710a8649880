// SPDX-License-Identifier: Apache-2.0
#include "harness/search/triage/candidates.h"

#include <algorithm>

#include "harness/core/fault/kinds.h"

namespace harness::triaging {
namespace {

constexpr unsigned kPerRepair = 2;
constexpr unsigned kPerOrder = 7;  // Higher than all others, even with open parts.

bool comes_first(const Candidate& a, const Candidate& b) {
  const auto rank = [](const Candidate& one) {
    return std::pair(cost_of(one.repair), order_of(one.repair));
  };
  return rank(a) < rank(b);
}

class Candidates {
 public:
  explicit Candidates(const Finding& finding) : finding_(finding) {}

  std::vector<Candidate> take() && {
    std::sort(found_.begin(), found_.end(), comes_first);
    return std::move(found_);
  }

  void add_hold(Label object, Label got, Label let_go) {
    if (object.empty()) return;
    const Repair here{RepairKind::hold, object, got, let_go, finding_.used};
    for (const Label where : {got, Label()}) {
      if (!here.used.empty()) add({here.kind, object, where, {}, here.used}, here);
      if (!let_go.empty()) add({here.kind, object, where, let_go, {}}, here);
      add({here.kind, object, where, {}, {}}, here);
    }
  }

  void add_release(Label object, Label got) {
    const Repair here{RepairKind::release, object, got, {}, {}};
    add(here, here);
    add({here.kind, object, {}, {}, {}}, here);
    if (!got.empty()) add({here.kind, {}, got, {}, {}}, here);
  }

  void add_spare(const RefusedStep& step) {
    const Repair here{RepairKind::spare, step.call, {}, {}, step.site};
    add(here, here);
    add({here.kind, here.object, {}, {}, {}}, here);
    add({here.kind, {}, {}, {}, here.used}, here);
    add({here.kind, {}, {}, {}, {}}, here);
  }

 private:
  void add(const Repair& repair, const Repair& here) {
    const auto same = [&](const Candidate& other) { return other.repair == repair; };
    if (std::any_of(found_.begin(), found_.end(), same)) return;
    const Fault& fault = finding_.fault;
    const bool is_own = fault.object_kind == here.object && fault.birth_site == here.got;
    found_.push_back({repair, here, is_own});
  }

  const Finding& finding_;
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<Candidate> candidates_of(const Finding& finding, const World& world,
                                     const std::vector<Fault>& faults,
                                     const std::vector<RefusedStep>& refused) {
  Candidates found(finding);
  const Fault& fault = finding.fault;
  const bool is_leak = is_too_late(fault);
  if (!is_leak && !fault.birth_site.empty())
    found.add_hold(fault.object_kind, fault.birth_site, fault.death_site);
  for (const Life& life : world.ledger.lives())
    if (!is_leak && !life.alive && life.death_tick <= fault.tick)
      found.add_hold(life.kind, life.birth_site, life.death_site);
  if (is_leak) found.add_release(fault.object_kind, fault.birth_site);
  for (const Fault& other : faults)
    if (is_leak && other.kind == FaultKind::retention)
      found.add_release(other.object_kind, other.birth_site);
  for (const RefusedStep& step : refused) found.add_spare(step);
  return std::move(found).take();
}

bool is_too_late(const Fault& fault) {
  const bool is_alive = fault.death_site.empty() && fault.use_site.empty();
  return fault.kind == FaultKind::retention || (fault.kind == FaultKind::wrong_owner && is_alive);
}

unsigned cost_of(const Repair& repair) {
  const unsigned open_object = repair.object.empty() ? 1 : 0;
  const unsigned open_got = repair.got.empty() ? 1 : 0;
  const unsigned open_use = repair.used.empty() && repair.let_go.empty() ? 2 : 0;
  const unsigned open_call = repair.object.empty() ? 2 : 0;
  const unsigned open_late = repair.let_go.empty() ? 1 : 0;
  const unsigned open_step = repair.used.empty() ? 2 : 0;
  switch (repair.kind) {
    case RepairKind::hold:
      return kPerRepair + open_object + open_got + open_use;
    case RepairKind::release:
      return kPerRepair + open_object + open_got;
    case RepairKind::spare:
      return kPerRepair + open_call + open_step;
    case RepairKind::order:
      return kPerOrder + open_object + open_late + (repair.used.empty() ? 1 : 0);
    case RepairKind::revert:
      return kPerRepair;
  }
  return kPerRepair;
}

/// Returns an order and more general ones: for all acts on objects of this kind, and if words are
/// read, for all reads of the same writer.
static std::vector<Repair> wider(const Way& way) {
  const Repair& here = way.repair;
  std::vector<Repair> all;
  if (!here.used.empty()) all = {here, {here.kind, {}, {}, here.let_go, here.used}};
  if (!here.object.empty()) all.push_back({here.kind, here.object, {}, {}, {}});
  if (way.is_of_words) all.push_back({here.kind, {}, {}, {}, here.used});
  return all;
}

std::vector<Candidate> orders_of(const std::vector<Way>& ways) {
  std::vector<Candidate> found;
  for (const Way& way : ways)
    for (const Repair& repair : wider(way)) {
      const auto same = [&](const Candidate& other) { return other.repair == repair; };
      if (std::none_of(found.begin(), found.end(), same))
        found.push_back({repair, way.repair, true});
    }
  std::sort(found.begin(), found.end(), comes_first);
  return found;
}

bool includes(const Repair& wide, const Repair& narrow) {
  const auto fits = [](Label one, Label other) { return one.empty() || one == other; };
  return wide.kind == narrow.kind && fits(wide.object, narrow.object) &&
         fits(wide.got, narrow.got) && fits(wide.let_go, narrow.let_go) &&
         fits(wide.used, narrow.used);
}

}  // namespace harness::triaging
