// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/model/state.h"

#include <algorithm>

#include "scenarios/alltoallv/player.h"

namespace scenarios::alltoallv {

/// Returns the first element of a range for which `holds` is true, or null.
template <class Begin, class Holds>
static auto find_from(Begin begin, Begin end, Holds holds) -> decltype(&*begin) {
  const auto found = std::find_if(begin, end, holds);
  return found != end ? &*found : nullptr;
}

State::State(harness::Scene& scene, const Shape& the_shape)
    : rank_count(alltoallv::rank_count(scene.config())),
      calm(scene.pick(harness::Site::argument, 2) != 0),
      theme(harness::choose_theme(scene, themes())),
      plan(Player(scene, theme, rank_count).make_plan(the_shape)),
      shape(the_shape),
      bounded(scene.scenario().variants[scene.variant()].claim.kind == harness::ClaimKind::sound) {}

const Step& State::step_at(std::uint32_t slot) const {
  return *std::find_if(plan.begin(), plan.end(),
                       [slot](const Step& step) { return step.slot == slot; });
}

// ---- tensors ------------------------------------------------------------------------------------

const Tensor* State::source_in(std::uint32_t rank, Buffer buffer) const {
  return find_from(tensors[rank].begin(), tensors[rank].end(),
                   [&](const Tensor& tensor) { return tensor.variable == buffer; });
}

Place State::source_of(std::uint32_t rank, Request request) const {
  for (const Tensor& tensor : tensors[rank])
    if (tensor.is_source_of(request)) return tensor.place;
  return {};
}

Place State::destination_of(std::uint32_t rank, Request request) const {
  for (const Tensor& tensor : tensors[rank])
    if (tensor.destination_of == request) return tensor.place;
  return {};
}

BirthId State::memory_of(const Use& use) const {
  if (use.is_of_scratch()) return teams[use.team][use.peer].scratch;
  return (use.destination ? destination_of(use.peer, use.request)
                          : source_of(use.peer, use.request))
      .allocation;
}

// ---- posts --------------------------------------------------------------------------------------

const Post* State::last_post(std::uint32_t rank, Request request) const {
  return find_from(posts[rank].rbegin(), posts[rank].rend(),
                   [&](const Post& post) { return post.request == request; });
}

const Post* State::find_post(std::uint32_t rank, Request request, std::uint32_t round) const {
  return find_from(posts[rank].begin(), posts[rank].end(), [&](const Post& post) {
    return post.request == request && post.round == round;
  });
}

std::uint32_t State::round(std::uint32_t rank, Request request) const {
  const Post* post = last_post(rank, request);
  return post != nullptr ? post->round : 0;
}

// ---- mappings -----------------------------------------------------------------------------------

const Mapping* State::find_mapping(BirthId region) const {
  for (const auto& list : mappings)
    for (const Mapping& mapping : list)
      if (mapping.opening.region == region) return &mapping;
  return nullptr;
}

const Hold* State::find_hold(const Use& use) const {
  return find_from(holds[use.rank].begin(), holds[use.rank].end(),
                   [&](const Hold& hold) { return hold.counted && hold.use == use; });
}

bool State::is_used(BirthId region) const {
  return std::any_of(holds.begin(), holds.end(), [&](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Hold& hold) { return hold.region == region && !hold.ended; });
  });
}

std::optional<std::uint32_t> State::mapper_of_scratch(std::uint32_t rank,
                                                      std::uint32_t team) const {
  for (std::uint32_t peer = 0; peer < holds.size(); ++peer)
    for (const Hold& hold : holds[peer])
      if (hold.counted && hold.use.is_of_scratch() && hold.use.team == team &&
          hold.use.peer == rank)
        return peer;
  return std::nullopt;
}

std::optional<Reason> State::evicted_for(harness::Name region) const {
  const Evicted* found = find_from(evicted.rbegin(), evicted.rend(),
                                   [&](const Evicted& one) { return one.region == region; });
  return found != nullptr ? std::optional(found->reason) : std::nullopt;
}

}  // namespace scenarios::alltoallv
