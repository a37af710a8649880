// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/leftovers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/core/fault/kinds.h"

namespace scenarios::alltoallv {

using harness::Label;

namespace {

constexpr Label kOwnEvent{"event"};

constexpr Label kMapping{"IPC mapping"};
constexpr Label kStream{"stream"};

bool is_watched(Label kind) {
  return kind == kMapping || kind == kDeviceMemory || kind == kStream || kind == kOwnEvent ||
         kind == kOpenedEvent;
}

}  // namespace

void retain(harness::Scene& scene, BirthId life, std::string why) {
  harness::Fault fault = scene.world().ledger.describe(harness::FaultKind::retention, life);
  fault.death_site = {};
  fault.use_site = "bound";
  fault.detail = std::move(why);
  scene.world().history.add(std::move(fault));
}

// Births are events in the order of their ids. An event has the task, and the task its process.
void Leftovers::look() {
  looked_ = true;
  const harness::World& world = scene_.world();
  const auto& lives = world.ledger.lives();
  std::size_t next = 0;
  for (const harness::Event& event : world.history.events()) {
    if (event.kind != harness::EventKind::birth) continue;
    const auto id = static_cast<BirthId>(++next);
    if (!lives[next].alive || !is_watched(event.what) || event.task == 0xffff) continue;
    const auto rank =
        harness::raw(world.scheduler.tasks().process(static_cast<harness::TaskId>(event.task)));
    if (rank < lives_.size()) lives_[rank].push_back(id);
  }
}

std::size_t Leftovers::stream_limit() const {
  std::uint32_t streams = 0;
  for (const Step& step : state_.plan) streams |= step.stream != 0 ? 1U << step.stream : 0;
  return 1 + static_cast<std::size_t>(std::popcount(streams));
}

void Leftovers::judge(std::uint32_t rank) {
  if (!looked_) look();
  const harness::Ledger& ledger = scene_.world().ledger;
  const std::pair<Label, std::size_t> limits[] = {
      {kMapping, state_.mappings[rank].size()},  // Those that its cache is known to keep.
      {kDeviceMemory, 1},                        // Parameter blocks of kernels.
      {kStream, stream_limit()},
      {kOwnEvent, state_.most_requests[rank]},
      {kOpenedEvent, 0}};
  for (const auto& [kind, limit] : limits) {
    std::size_t count = 0;
    for (const BirthId id : lives_[rank]) {
      if (!ledger.alive(id) || ledger.life(id).kind != kind || ++count <= limit) continue;
      retain(scene_, id, "nothing is outstanding, and the process closes");
      break;
    }
  }
}

// Selects by site: during the call, collectives of another team may progress and open events.
void Leftovers::team_made(std::uint32_t rank, std::uint32_t team, const Births& births) {
  const harness::Ledger& ledger = scene_.world().ledger;
  const auto keep = [&](Label kind, Lives& lives) {
    births.for_each(kind, [&](BirthId id) {
      if (ledger.life(id).birth_site == targets::alltoallv::kTeamSite) lives.push_back(id);
    });
  };
  keep(kOwnEvent, own_[team][rank]);
  keep(kOpenedEvent, opened_[team]);
}

// Once the owner has destroyed an event, every operation on an opened handle of it is undefined
// (cuIpcOpenEventHandle), including the destruction of the handle.
void Leftovers::judge_team(std::uint32_t rank, std::uint32_t team) {
  const harness::Ledger& ledger = scene_.world().ledger;
  const Lives opened = std::exchange(opened_[team], {});
  const auto is_alive = [&](BirthId id) { return ledger.alive(id); };
  const Lives own = std::exchange(own_[team][rank], {});
  if (std::none_of(opened.begin(), opened.end(), is_alive)) return;
  for (const BirthId id : own) {
    if (is_alive(id)) continue;
    if (ledger.spares(id, {})) return;  // An intervention keeps it for the peers.
    harness::Fault fault = ledger.describe(harness::FaultKind::wrong_owner, id);
    fault.detail = fmt::format("rank {} goes from the team while its events are open", rank);
    scene_.world().history.add(std::move(fault));
    return;
  }
}

}  // namespace scenarios::alltoallv
