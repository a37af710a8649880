// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/model/refuse.h"

#include <algorithm>

#include "scenarios/alltoallv/model/choices.h"

namespace scenarios::alltoallv {
namespace {

using targets::alltoallv::Status;

/// One row of the contract (alltoallv.h, Status).
struct Refusal {
  harness::Label call;  ///< Empty: any call.
  Status answer;
  bool Circumstances::* when;
};
constexpr std::array<Refusal, 3> kRefusals{{
    {"init", Status::not_supported,
     &Circumstances::in_place},  // Upstream's alltoallv_ce refuses it.
    {"", Status::driver_error, &Circumstances::injected},
    {"wait", Status::peer_error, &Circumstances::peer_injected},
}};

// An injected error of an open may also apply to the process's next open, which may belong to
// another collective, or to a team that was made in between.
bool was_injected_into(const harness::World& world, const State& state, std::uint32_t rank,
                       Request request, std::uint32_t round) {
  const Post* post = state.find_post(rank, request, round);
  const std::size_t since = post != nullptr ? post->choice_count : 0;
  for (const harness::Name own : collectives_of(world, rank, request))
    if (was_injected(world, own, since)) return true;
  for (const Step& step : state.plan) {
    if (was_next_injected(world, step_name(rank, step.slot))) return true;
    for (const harness::Name other : collectives_of(world, rank, step.slot))
      if (step.posts() && was_next_injected(world, other)) return true;
  }
  return false;
}

}  // namespace

Circumstances circumstances_of(const harness::World& world, const State& state, std::uint32_t rank,
                               Request request) {
  const std::uint32_t round = state.round(rank, request);
  Circumstances circumstances{.injected = was_injected_into(world, state, rank, request, round)};
  for (std::uint32_t peer = 0; peer < state.rank_count; ++peer)
    if (peer != rank && state.round(peer, request) >= round)
      circumstances.peer_injected |= was_injected_into(world, state, peer, request, round);
  return circumstances;
}

bool is_documented(harness::Label call, Status answer, const Circumstances& circumstances) {
  return std::any_of(kRefusals.begin(), kRefusals.end(), [&](const Refusal& row) {
    return (row.call.empty() || row.call == call) && row.answer == answer &&
           circumstances.*row.when;
  });
}

}  // namespace scenarios::alltoallv
