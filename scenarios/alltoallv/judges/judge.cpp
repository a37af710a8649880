// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "scenarios/alltoallv/judges/calls.h"
#include "scenarios/alltoallv/model/expect.h"

namespace scenarios::alltoallv {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using targets::alltoallv::Collective;
using targets::alltoallv::name_of_slot;
using targets::alltoallv::Topology;

// ---- results ------------------------------------------------------------------------------------

void Judge::read(const targets::alltoallv::Reading& reading) {
  const Step& step = state_.step_at(reading.request);
  const Rows rows =
      expected_rows(step, reading.rank, state_.rank_count, state_.fills[reading.request]);
  std::int32_t expected = 0;
  const int at = first_mismatch(rows, reading.destination, expected);
  scene_.world().scheduler.note(harness::EventKind::observe, "destination", 0,
                                static_cast<std::uint32_t>(reading.destination[at < 0 ? 0 : at]));
  if (at >= 0) reach_.value_is_wrong(reading.rank, reading.request);
  if (at >= 0)
    report_wrong_value(fmt::format("element {} is {} instead of {}", at,
                                   reading.destination[static_cast<std::size_t>(at)], expected));
  else if (reading.mismatches != 0)
    report_wrong_value("the check kernel saw what the host did not");
}

void Judge::report_wrong_value(std::string detail) {
  add(harness::fault_here(scene_, FaultKind::wrong_value, "destination", std::move(detail)));
}

// ---- slots --------------------------------------------------------------------------------------

void Judge::posted(const targets::alltoallv::Posting& posting) {
  const auto mark =
      State::mark_of(posting.request, state_.round(posting.rank, posting.request) + 1);
  scene_.expect("mark", harness::raw(posting.mark), harness::raw(mark));
}

void Judge::compare(Label what, const targets::alltoallv::Publication::Memory& found,
                    const Place& place, std::uint64_t offset) {
  const harness::Life& life = scene_.world().ledger.life(place.allocation);
  const bool there = place.allocation != BirthId::none;
  scene_.expect(what, found.ptr, there ? life.address : 0);
  if (!there) return;  // The other fields are never read.
  scene_.expect(what, found.length, life.bytes);
  scene_.expect(what, found.offset, place.offset + offset);
}

void Judge::published(const targets::alltoallv::Publication& publication) {
  constexpr std::uint32_t kBytes = sizeof(std::int32_t);
  const std::uint32_t rank = publication.rank;
  const Step& step = state_.step_at(publication.request);
  compare("mem_info_src", publication.source, state_.source_of(rank, step.slot),
          std::uint64_t{step.offset} * kBytes);
  const bool proxied = state_.topology(rank, step.slot) != Topology::direct;
  compare("mem_info_dst", publication.destination,
          proxied ? state_.destination_of(rank, step.slot) : Place{}, 0);
  if (step.collective == Collective::alltoall) return;
  const Exchange exchange = exchange_of(step, rank, state_.rank_count);
  for (std::uint32_t peer = 0; peer < state_.rank_count; ++peer) {
    scene_.expect("shares", publication.send_bytes[peer], exchange.send_count[peer] * kBytes);
    scene_.expect("shares", publication.send_displacement[peer],
                  exchange.send_displacement[peer] * kBytes);
    scene_.expect("shares", publication.receive_displacement[peer],
                  exchange.receive_displacement[peer] * kBytes);
  }
}

void Judge::post_finished(Request request) {
  const std::uint32_t count = state_.finished[request];
  if (count % state_.rank_count != 0 || !state_.bounded) return;
  for (std::uint32_t slot = 0; slot < state_.slots.size(); ++slot)
    if (state_.slots[slot].owner == request &&
        state_.slots[slot].owner_round == count / state_.rank_count)
      report_slot(fmt::format("all are done with {}, and it is not free", name_of_slot(slot)));
}

void Judge::left(const targets::alltoallv::SlotLeft& slot) {
  if (!state_.bounded || (slot.state == 0 && slot.waiting == 0)) return;
  report_slot(fmt::format("the team goes: {} is at {}, {} wait in its barrier",
                          name_of_slot(slot.slot), slot.state, slot.waiting));
}

void Judge::report_slot(std::string why) {
  Fault fault = harness::fault_here(scene_, FaultKind::retention, "slot", std::move(why));
  fault.use_site = "bound";
  add(std::move(fault));
}

// ---- uses of mappings ---------------------------------------------------------------------------

/// Returns "collective 2" or the name of the team.
static std::string in_words(const Use& use) {
  if (use.is_of_scratch()) return use.team == 0 ? "the team" : "team 2";
  return fmt::format("collective {}", use.request + 1);
}

void Judge::mapped(const Use&, BirthId region, std::uint64_t reported) {
  const Mapping* mapping = state_.find_mapping(region);
  if (state_.bounded && mapping != nullptr)
    scene_.expect("count of a mapping", reported, mapping->count + 1);
}

// Peers may have a source or destination mapped when it is freed (kContract). Scratch belongs to
// the team, so that this is a fault.
void Judge::let_go(const Use& use, BirthId met, std::uint64_t reported) {
  harness::Ledger& ledger = scene_.world().ledger;
  const Hold* own = state_.find_hold(use);
  const Mapping* mapping = state_.find_mapping(met);
  const std::uint64_t count = mapping != nullptr ? mapping->count : reported;
  if (state_.bounded) scene_.expect("count of a mapping", reported, count);
  if (count == 0)
    add(ledger.describe(FaultKind::double_free, met));
  else if (own == nullptr || own->region != met)
    ledger.wrong_owner(own != nullptr ? own->region : met, met);
  const BirthId scratch = state_.teams[use.team][use.peer].scratch;
  if (use.is_of_scratch() && scratch != BirthId::none && !ledger.alive(scratch))
    report_freed(scratch, use.rank);
}

// This is the crash of the report.
void Judge::followed_null(const Use&, BirthId meant) {
  Fault fault = scene_.world().ledger.describe(FaultKind::wild_access, meant);
  fault.fatal = true;
  fault.object_kind = kMissingRegion;
  fault.detail = "the cache has no mapping for this key: a null pointer is followed, at 0x78";
  add(std::move(fault));
}

void Judge::report_counted(std::uint32_t rank, const Use& what) {
  const harness::Ledger& ledger = scene_.world().ledger;
  std::pmr::vector<Hold> counted;
  for (const Hold& hold : state_.holds[rank])
    if (hold.counted && hold.use.request == what.request && hold.use.team == what.team &&
        ledger.alive(hold.region))
      counted.push_back(hold);
  std::sort(counted.begin(), counted.end(), [](const Hold& a, const Hold& b) {
    return std::pair(a.use.peer, a.use.destination) < std::pair(b.use.peer, b.use.destination);
  });
  for (const Hold& hold : counted) {
    Fault fault = ledger.describe(FaultKind::retention, hold.region);
    fault.object_kind = "reference to a mapping";
    fault.death_site = {};
    fault.detail = fmt::format("{} is over and still counted", in_words(hold.use));
    add(std::move(fault));
  }
}

// ---- mappings -----------------------------------------------------------------------------------

bool Judge::report_once(const Mapping& mapping) {
  const BirthId region = mapping.opening.region;
  if (std::find(reported_.begin(), reported_.end(), region) != reported_.end()) return false;
  reported_.push_back(region);
  return true;
}

void Judge::opened(const Opening& opening) {
  if (!state_.bounded) return;
  for (const Mapping& other : state_.mappings[opening.rank]) {
    const Opening& older = other.opening;
    const bool overlaps =
        older.peer == opening.peer && opening.first < older.last && older.first < opening.last;
    if (overlaps && !other.marked && report_once(other))
      retain(scene_, older.region, "another mapping of the same address was opened");
  }
}

void Judge::marked(BirthId region) {
  if (const Mapping* mapping = state_.find_mapping(region)) judge_leaving(*mapping);
}

// Reports a mapping that is closed although it has users.
void Judge::closing(BirthId region) {
  const Mapping* mapping = state_.find_mapping(region);
  if (mapping == nullptr) return;
  if (mapping->count > 0) {
    Fault fault = scene_.world().ledger.describe(FaultKind::wrong_owner, region);
    fault.detail =
        fmt::format("closed for {} of rank {}, while it is held by {}", in_words(state_.evicted_by),
                    state_.evicted_by.rank, holders(*mapping));
    add(std::move(fault));
  }
  if (!mapping->marked) judge_leaving(*mapping);
}

std::string Judge::holders(const Mapping& mapping) const {
  std::string text;
  for (const Hold& hold : state_.holds[mapping.opening.rank])
    if (hold.counted && hold.region == mapping.opening.region)
      text += (text.empty() ? "" : ", ") + in_words(hold.use);
  return text.empty() ? "no rank any more" : text;
}

bool Judge::may_leave(const Mapping& mapping) const {
  if (state_.closing[mapping.opening.rank]) return true;
  if (mapping.count == 0 && closes_at_zero(scene_.config())) return true;
  if (mapping.memory == BirthId::none || !scene_.world().ledger.alive(mapping.memory)) return true;
  return was_already_mapped_twice(scene_.world());
}

void Judge::judge_leaving(const Mapping& mapping) {
  if (state_.bounded && !may_leave(mapping) && report_once(mapping))
    scene_.refuse("mapping", "thrown out, and its memory lives");
}

void Judge::call_returned(std::uint32_t rank) {
  if (!state_.bounded) return;
  const bool close_at_zero = closes_at_zero(scene_.config());
  for (const Mapping& mapping : state_.mappings[rank])
    if (mapping.count == 0 && (mapping.marked || close_at_zero) && report_once(mapping))
      retain(scene_, mapping.opening.region,
             mapping.marked ? "out of the table, and no rank holds it" : "no rank holds it");
}

// ---- memory -------------------------------------------------------------------------------------

void Judge::tensors_released(std::uint32_t rank, const char* why) {
  if (!state_.bounded) return;
  const auto& tensors = state_.tensors[rank];
  for (const Tensor& tensor : tensors) {
    const BirthId allocation = tensor.place.allocation;
    const auto uses_it = [&](const Tensor& other) {
      return other.is_used() && other.place.allocation == allocation;
    };
    if (!tensor.is_used() && scene_.world().ledger.alive(allocation) &&
        std::none_of(tensors.begin(), tensors.end(), uses_it))
      retain(scene_, allocation, why);
  }
}

// ---- teams and processes ------------------------------------------------------------------------

// Reports it once: here, or in let_go() if a peer that maps it was not known here.
void Judge::team_destroyed(std::uint32_t rank, std::uint32_t team) {
  const BirthId scratch = state_.teams[team][rank].scratch;
  if (scratch != BirthId::none && !scene_.world().ledger.alive(scratch))
    if (const auto peer = state_.mapper_of_scratch(rank, team)) report_freed(scratch, *peer);
  if (!state_.bounded) return;
  report_counted(rank, {.team = team});
  leftovers_.judge_team(rank, team);
}

void Judge::report_freed(BirthId scratch, std::uint32_t peer) {
  const harness::Ledger& ledger = scene_.world().ledger;
  if (ledger.serves(scratch, {})) return;  // An intervention keeps it for the rank that maps it.
  Fault fault = ledger.describe(FaultKind::wrong_owner, scratch);
  fault.detail = fmt::format("freed while rank {} has it mapped for the team", peer);
  add(std::move(fault));
}

void Judge::process_closed(std::uint32_t rank) {
  if (!state_.bounded) return;
  for (const Mapping& mapping : state_.mappings[rank])
    retain(scene_, mapping.opening.region, "its process has closed");
}

}  // namespace scenarios::alltoallv
