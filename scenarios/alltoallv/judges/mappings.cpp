// SPDX-License-Identifier: Apache-2.0
// How it works. A use begins when the cache returns a mapping and ends when the same use
// counts it down; a count that another use takes is stolen, one without a use wraps. If the
// variant claims to be bounded: a mapping that left the table is closed with its last use, an
// unused one is closed if the config says so, no address is mapped twice, and no mapping
// leaves the table without a reason (its memory is freed, the driver said "already mapped"
// twice, or it is unused and the config or the end of the process requires it). A cache must
// also have hits.
#include "scenarios/alltoallv/judges/mappings.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "scenarios/alltoallv/judges/calls.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using harness::Fault;
using harness::FaultKind;

void retain(harness::Scene& scene, BirthId life, std::string why) {
  Fault fault = scene.world().ledger.describe(FaultKind::retention, life);
  fault.death_site = {};
  fault.use_site = "bound";
  fault.detail = std::move(why);
  scene.world().history.add(std::move(fault));
}

/// Returns "collective 2" or the name of the team.
static std::string in_words(const Use& use) {
  if (use.is_of_scratch()) return use.team == 0 ? "the team" : "team 2";
  return fmt::format("collective {}", use.request + 1);
}

/// Returns whether both belong to the same collective, or to the same team.
static bool are_of_one(const Use& a, const Use& b) {
  return a.request == b.request && a.team == b.team;
}

Mappings::Mappings(harness::Scene& scene, bool bounded)
    : scene_(scene), bounded_(bounded), close_at_zero_(scene.config().values[kCloseAxis] != 0) {}

Mappings::Region* Mappings::find(BirthId region) {
  for (auto& regions : open_)
    for (Region& known : regions)
      if (known.opening.region == region) return &known;
  return nullptr;
}

// ---- facts --------------------------------------------------------------------------------------

void Mappings::opened(const Opening& opening) {
  auto& regions = open_[opening.rank];
  for (Region& other : regions) {
    const Opening& older = other.opening;
    const bool overlaps = opening.first < older.last && older.first < opening.last;
    if (!bounded_ || other.marked || other.reported || older.peer != opening.peer || !overlaps)
      continue;
    other.reported = true;
    retain(scene_, older.region, "another mapping of the same address was opened");
  }
  regions.push_back({opening});
}

void Mappings::mapped(const Use& use, BirthId region, std::uint64_t told, BirthId memory) {
  held_[use.rank].push_back({use, region});
  begun_[use.rank].push_back({use, region});
  Region* known = find(region);
  if (known == nullptr) return;
  ++known->count;
  if (known->memory == BirthId::none) known->memory = memory;
  if (bounded_) scene_.expect("count of a mapping", told, known->count);
}

void Mappings::let_go(const Use& use, BirthId met, std::uint64_t told, BirthId memory) {
  harness::Ledger& ledger = scene_.world().ledger;
  auto& held = held_[use.rank];
  const auto own =
      std::find_if(held.begin(), held.end(), [&](const Held& one) { return one.use == use; });
  Region* known = find(met);
  const std::uint64_t count = known != nullptr ? known->count : told;
  if (bounded_) scene_.expect("count of a mapping", told, count);
  if (known != nullptr && known->count > 0) --known->count;
  if (known != nullptr && known->memory == BirthId::none) known->memory = memory;
  if (own != held.end() && own->region != met)
    if (const auto reason = thrown_for(ledger.life(own->region).name))
      thrown_.push_back({ledger.life(met).name, *reason});
  if (count == 0)
    scene_.world().history.add(ledger.describe(FaultKind::double_free, met));
  else if (own == held.end() || own->region != met)
    ledger.wrong_owner(own != held.end() ? own->region : met, met);
  if (own != held.end() && own->region == met) held.erase(own);
}

// This is the crash of the report.
void Mappings::followed_null(BirthId meant) {
  Fault fault = scene_.world().ledger.describe(FaultKind::wild_access, meant);
  fault.fatal = true;
  fault.object_kind = kMissingRegion;
  fault.detail = "the cache has no mapping for this key: a null pointer is followed, at 0x78";
  scene_.world().history.add(std::move(fault));
}

void Mappings::evicting(const targets::alltoallv::Eviction& eviction) {
  evicted_for_ = eviction.by;
  thrown_.push_back({scene_.world().ledger.life(eviction.region).name, eviction.reason});
}

std::optional<targets::alltoallv::Reason> Mappings::thrown_for(harness::Name region) const {
  const auto found = std::find_if(thrown_.rbegin(), thrown_.rend(),
                                  [&](const Thrown& one) { return one.region == region; });
  return found != thrown_.rend() ? std::optional(found->reason) : std::nullopt;
}

void Mappings::marked(BirthId region) {
  Region* known = find(region);
  if (known == nullptr) return;
  judge_leaving(*known);
  known->marked = true;
}

// Reports a mapping that is closed although it has users.
void Mappings::closing(BirthId region) {
  for (auto& regions : open_)
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (regions[i].opening.region != region) continue;
      if (regions[i].count > 0) {
        Fault fault = scene_.world().ledger.describe(FaultKind::wrong_owner, region);
        fault.detail = fmt::format("closed for {} of rank {}, while it is held by {}",
                                   in_words(evicted_for_), evicted_for_.rank, holders(regions[i]));
        scene_.world().history.add(std::move(fault));
      }
      if (!regions[i].marked) judge_leaving(regions[i]);
      regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
}

void Mappings::forget(std::uint32_t rank, const Use& what) {
  std::erase_if(begun_[rank], [&](const Held& one) { return are_of_one(one.use, what); });
}

void Mappings::team_destroyed(std::uint32_t rank, std::uint32_t team) {
  const Use scratch{.team = team};
  forget(rank, scratch);
  if (bounded_) ended(rank, scratch);
}

bool Mappings::is_used(BirthId region) const {
  return std::any_of(begun_.begin(), begun_.end(), [&](const auto& uses) {
    return std::any_of(uses.begin(), uses.end(),
                       [&](const Held& one) { return one.region == region; });
  });
}

std::optional<std::uint32_t> Mappings::mapper_of_scratch(std::uint32_t rank,
                                                         std::uint32_t team) const {
  for (std::uint32_t peer = 0; peer < held_.size(); ++peer)
    for (const Held& held : held_[peer])
      if (are_of_one(held.use, Use{.team = team}) && held.use.peer == rank) return peer;
  return std::nullopt;
}

bool Mappings::is_own(const Use& use, BirthId region) const {
  const auto& held = held_[use.rank];
  return std::any_of(held.begin(), held.end(),
                     [&](const Held& one) { return one.use == use && one.region == region; });
}

std::string Mappings::holders(const Region& region) const {
  std::string text;
  for (const Held& held : held_[region.opening.rank])
    if (held.region == region.opening.region)
      text += (text.empty() ? "" : ", ") + in_words(held.use);
  return text.empty() ? "no rank any more" : text;
}

void Mappings::ended(std::uint32_t rank, const Use& what) {
  forget(rank, what);
  auto& held = held_[rank];
  const auto over = std::partition(held.begin(), held.end(),
                                   [&](const Held& one) { return !are_of_one(one.use, what); });
  std::sort(over, held.end(), [](const Held& a, const Held& b) {
    return std::pair(a.use.peer, a.use.destination) < std::pair(b.use.peer, b.use.destination);
  });
  for (auto one = over; one != held.end(); ++one) report_held(*one);
  held.erase(over, held.end());
}

// Reports a use that has not been counted down at the end of its collective.
void Mappings::report_held(const Held& held) {
  const harness::Ledger& ledger = scene_.world().ledger;
  if (!ledger.alive(held.region)) return;
  Fault fault = ledger.describe(FaultKind::retention, held.region);
  fault.object_kind = "reference to a mapping";
  fault.death_site = {};
  fault.detail = fmt::format("{} is over and still counted", in_words(held.use));
  scene_.world().history.add(std::move(fault));
}

// ---- judgement ----------------------------------------------------------------------------------

bool Mappings::must_go(const Region& region) const {
  return region.count == 0 && (region.marked || close_at_zero_);
}

bool Mappings::may_leave(const Region& region) const {
  if (closing_[region.opening.rank] || (region.count == 0 && close_at_zero_)) return true;
  if (region.memory == BirthId::none || !scene_.world().ledger.alive(region.memory)) return true;
  return was_told_twice(scene_.world());
}

void Mappings::judge_leaving(Region& region) {
  if (!bounded_ || region.reported || may_leave(region)) return;
  region.reported = true;
  scene_.refuse("mapping", "thrown out, and its memory lives");
}

void Mappings::process_closed(std::uint32_t rank) {
  if (!bounded_) return;
  for (const Region& region : open_[rank])
    retain(scene_, region.opening.region, "its process has closed");
}

void Mappings::settle(std::uint32_t rank) {
  if (!bounded_) return;
  for (Region& region : open_[rank]) {
    if (region.reported || !must_go(region)) continue;
    region.reported = true;
    retain(scene_, region.opening.region,
           region.marked ? "out of the table, and no rank holds it" : "no rank holds it");
  }
}

}  // namespace scenarios::alltoallv
