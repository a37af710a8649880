// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/model/update.h"

#include <algorithm>

#include "scenarios/alltoallv/model/expect.h"

namespace scenarios::alltoallv {

// ---- tensors ------------------------------------------------------------------------------------

void Update::filled(std::uint32_t rank, Buffer buffer, std::uint32_t fill, std::uint32_t stream) {
  state_.tensors[rank].push_back(
      {.place = state_.placed[rank], .variable = buffer, .fill = fill, .stream = stream});
}

void Update::source_given(std::uint32_t rank, std::uint32_t slot, Buffer buffer) {
  if (const Tensor* source = source_in(rank, buffer)) state_.fills[slot][rank] = source->fill;
}

void Update::begun(std::uint32_t rank, Request request, Buffer buffer) {
  auto& tensors = state_.tensors[rank];
  if (Tensor* source = source_in(rank, buffer)) source->requests |= 1U << request;
  tensors.push_back(
      {.place = state_.placed[rank], .destination_of = request, .requests = 1U << request});
  const auto count = std::count_if(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
    return tensor.destination_of != Tensor::kNone;
  });
  std::uint32_t& most = state_.most_requests[rank];
  most = std::max(most, static_cast<std::uint32_t>(count));
}

void Update::cycled(std::uint32_t rank, Buffer buffer) {
  if (Tensor* tensor = source_in(rank, buffer)) tensor->cycled = true;
}

void Update::dropped(std::uint32_t rank, Buffer buffer) {
  if (Tensor* tensor = source_in(rank, buffer)) tensor->variable = Tensor::kNone;
}

void Update::finalized(std::uint32_t rank, Request request) {
  for (Tensor& tensor : state_.tensors[rank]) tensor.requests &= ~(1U << request);
}

void Update::forget_unused_tensors(std::uint32_t rank) {
  std::erase_if(state_.tensors[rank], [](const Tensor& tensor) { return !tensor.is_used(); });
}

void Update::placed(const targets::alltoallv::Placement& placement) {
  const auto& lives = world_.ledger.lives();
  for (std::size_t i = lives.size(); i-- > 1;) {
    const harness::Life& life = lives[i];
    if (!life.alive || life.kind != kDeviceMemory || placement.address < life.address) continue;
    const std::uint64_t offset = placement.address - life.address;
    if (offset >= life.bytes) continue;
    state_.placed[placement.rank] = {static_cast<BirthId>(i), offset};
    return;
  }
}

// ---- teams and processes
// --------------------------------------------------------------------------------------

void Update::team_begun(std::uint32_t rank, std::uint32_t team,
                        targets::alltoallv::Topology topology) {
  state_.teams[team][rank] = {.topology = topology};
}

// A bounded variant has counted them down, or is reported. In any other, a use that is still
// counted remains: the peer has the scratch mapped when the next team is destroyed.
void Update::team_destroyed(std::uint32_t rank, std::uint32_t team) {
  state_.teams[team][rank].scratch = BirthId::none;
  auto& holds = state_.holds[rank];
  for (Hold& hold : holds) hold.ended |= hold.use.is_of_scratch() && hold.use.team == team;
  std::erase_if(holds,
                [&](const Hold& hold) { return hold.ended && (state_.bounded || !hold.counted); });
}

void Update::process_closes(std::uint32_t rank) {
  for (Tensor& tensor : state_.tensors[rank]) tensor.cycled = false;
  state_.closing[rank] = true;
}

// ---- posts and slots ----------------------------------------------------------------------------

void Update::posted(const targets::alltoallv::Posting& posting) {
  const auto [rank, request, slot, number, mark] = posting;
  state_.posts[rank].push_back(
      {.request = request,
       .round = state_.round(rank, request) + 1,
       .slot = slot,
       .number = number,
       .choice_count = static_cast<std::uint32_t>(world_.picker.tape().size()),
       .event_count = static_cast<std::uint32_t>(world_.history.events().size())});
}

void Update::claimed(const targets::alltoallv::Taking& taking) {
  if (taking.former != 0) return;
  state_.slots[taking.slot].owner = taking.request;
  state_.slots[taking.slot].owner_round = state_.round(0, taking.request);
}

void Update::publishing(const targets::alltoallv::Publishing& publishing) {
  const auto [rank, request, slot] = publishing;
  state_.slots[slot].users[rank] = {state_.mark(rank, request),
                                    is_proxy(rank, state_.topology(rank, request))};
}

void Update::arrived(const targets::alltoallv::Arrival& arrival) {
  if (arrival.crossing == targets::alltoallv::Crossing::setup)
    waits_no_more(arrival.rank, arrival.request);
}

void Update::waits_no_more(std::uint32_t rank, Request request) {
  if (Post* post = changeable(state_.last_post(rank, request))) post->waits = false;
}

void Update::ended(std::uint32_t rank, Request request) {
  waits_no_more(rank, request);
  const harness::Generation use = state_.mark(rank, request);
  for (Slot& slot : state_.slots)
    if (slot.users[rank].use == use) slot.users[rank] = {};
  std::erase_if(state_.holds[rank], [&](const Hold& hold) { return hold.use.request == request; });
}

// ---- mappings -----------------------------------------------------------------------------------

void Update::mapped(const Use& use, BirthId region, std::uint64_t) {
  state_.holds[use.rank].push_back({.use = use, .region = region});
  Mapping* mapping = find_mapping(region);
  if (mapping == nullptr) return;
  ++mapping->count;
  if (mapping->memory == BirthId::none) mapping->memory = state_.memory_of(use);
}

void Update::let_go(const Use& use, BirthId met, std::uint64_t) {
  if (Mapping* mapping = find_mapping(met)) {
    if (mapping->count > 0) --mapping->count;
    if (mapping->memory == BirthId::none) mapping->memory = state_.memory_of(use);
  }
  Hold* own = changeable(state_.find_hold(use));
  if (own == nullptr) return;
  if (own->region == met)
    own->counted = false;
  else if (const auto reason = state_.evicted_for(world_.ledger.life(own->region).name))
    state_.evicted.push_back({world_.ledger.life(met).name, *reason});
}

void Update::evicting(const targets::alltoallv::Eviction& eviction) {
  state_.evicted_by = eviction.by;
  state_.evicted.push_back({world_.ledger.life(eviction.region).name, eviction.reason});
}

void Update::marked(BirthId region) {
  if (Mapping* mapping = find_mapping(region)) mapping->marked = true;
}

void Update::closing(BirthId region) {
  for (auto& list : state_.mappings)
    std::erase_if(list, [&](const Mapping& one) { return one.opening.region == region; });
}

}  // namespace scenarios::alltoallv
