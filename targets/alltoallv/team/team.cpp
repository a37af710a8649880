// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/team/team.h"

#include "targets/alltoallv/policy.h"
#include "targets/alltoallv/progress.h"

namespace targets::alltoallv {

using harness::SiteScope;

// Rank 0 makes the segment. The other ranks get it, and all scratch, out of band.
void Team::create(Topology topology, Progress& progress) {
  const SiteScope site(core_.scheduler, kTeamSite);
  topology_ = topology;
  seq_ = 0;
  if (rank_ == 0)
    core_.segments[index_] =
        core_.scheduler.arena().make<Segment>(core_.scheduler, core_.setup.rank_count);
  if (core_.setup.scratch) scratch_.make();
  meet(progress);
  segment_ = core_.segments[index_];
  scratch_.map(progress);
  for_each_slot([&](std::uint32_t slot) { events_.own(slot, segment_->entry(slot, rank_)); });
  meet(progress);
  for_each_slot([&](std::uint32_t slot) {
    for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer)
      if (peer != rank_) events_.of_peer(slot, peer, segment_->entry(slot, peer));
  });
  if (segment_->join()) core_.ring();
}

// Visits the slots that the job's collectives will use. Upstream has events for all slots, and as
// many again for active sets.
template <class Visit>
void Team::for_each_slot(Visit visit) const {
  const std::uint32_t count = core_.setup.slot_count;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const std::uint32_t first_number = slot == 0 ? count : slot;
    if (first_number <= core_.setup.number_count[index_]) visit(slot);
  }
}

// Like upstream, waits for no peer, unless the policy does: destroys events and frees scratch while
// peers may have them open.
void Team::destroy(Progress& progress) {
  const SiteScope site(core_.scheduler, "destroy_team");
  await_all();
  core_.tell([&](Observer& observer) { observer.leaving({rank_, index_, core_.setup.scratch}); });
  gather(progress);
  if (rank_ == 0) tell_slots();
  scratch_.unmap();
  events_.close_of_peers();
  gather(progress);
  events_.destroy_own();
  scratch_.free();
}

/// Waits for all ranks. Before they arrive, they may wait for collectives of other teams.
void Team::meet(Progress& progress) {
  const std::uint64_t round = core_.out_of_band.arrive();
  const auto all_came = [&] { return core_.out_of_band.is_over(round); };
  if (all_came()) core_.ring();
  if (progress.has_work()) progress.pass_until("out of band", all_came);
  core_.out_of_band.wait(round);
}

/// Waits for all ranks if the policy requires it.
void Team::gather(Progress& progress) {
  if (core_.policy->leaves_teams_together()) meet(progress);
}

// Waits until all ranks have made the team, which is the caller's duty. In upstream, creation ends
// separately on each rank: destroying a team at once could leave peers with invalid handles.
void Team::await_all() {
  if (segment_->is_complete()) return;
  core_.scheduler.wait_until({core_.doorbell, harness::AccessKind::read}, "a team",
                             [this] { return segment_->is_complete(); });
}

void Team::tell_slots() {
  segment_->for_each_used([&](std::uint32_t index, const Slot& slot) {
    core_.tell([&](Observer& observer) {
      observer.left({index_ * kSlotLimit + index, slot.state.peek(), slot.barrier.waiting()});
    });
  });
}

std::span<const ProxyEntry> Team::proxies() const {
  static constexpr ProxyEntry kProxies[] = {{0, 2, 1}, {2, 0, 1}};
  if (topology_ == Topology::direct) return {};
  return kProxies;
}

bool Team::direct(std::uint32_t a, std::uint32_t b) const {
  for (const ProxyEntry& entry : proxies())
    if (entry.source == a && entry.destination == b) return false;
  return true;
}

}  // namespace targets::alltoallv
