// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/slot_hold.h"

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

// The slot is claimed by rank 0 only.
bool SlotHold::get() {
  const std::uint32_t rank = post_.rank.number;
  Slot& slot = post_.shared_slot();
  if (rank == 0) claim(slot);
  if (slot.state.read() != post_.seq || !slot.barrier.idle(rank)) return false;
  core_.tell([&](Observer& observer) {
    observer.entered({rank, post_.request, slot.state.generation()});
  });
  return true;
}

bool SlotHold::can_get() const {
  const std::uint32_t rank = post_.rank.number;
  const Slot& slot = post_.shared_slot();
  const std::uint32_t owner = slot.state.peek();
  const bool mine = owner == post_.seq || (rank == 0 && owner == 0 && may_claim(slot));
  return mine && slot.barrier.idle(rank);
}

// Like upstream, lets any post write that finds the slot free: two threads of rank 0 may both do
// so. Then a later collective may get the slot while peers wait for the earlier one.
void SlotHold::claim(Slot& slot) {
  if (slot.state.read() != 0) return;
  core_.tell([&](Observer& observer) { observer.found_free(post_.request); });
  if (!may_claim(slot)) return;
  const bool in_order = core_.policy->claims_in_order();
  const auto change = [&](std::uint32_t owner) {
    return owner == 0 || !in_order ? post_.seq : owner;
  };
  const std::uint32_t owner = slot.state.update(change, post_.mark());
  core_.tell([&](Observer& observer) {
    observer.claimed({post_.slot_id(), post_.request, owner, slot.state.peek()});
  });
  if (owner != 0) return;
  ++slot.claim_count;
  core_.ring();
}

bool SlotHold::may_claim(const Slot& slot) const {
  return !core_.policy->claims_in_order() || slot.claim_count == place_;
}

// Frees the slot when rank 0 has finished; with release_by_all, when the last rank has.
void SlotHold::release() {
  Slot& slot = post_.shared_slot();
  if (core_.policy->release() == Release::by_all) {
    const std::uint32_t last = core_.setup.rank_count - 1;
    const auto wrap = [last](std::uint32_t done) { return done == last ? 0 : done + 1; };
    if (slot.done.update(wrap) != last) return;
  } else if (post_.rank.number != 0) {
    return;
  }
  slot.state.write(0);
  core_.tell([&](Observer& observer) { observer.released(post_.slot_id()); });
  core_.ring();
}

}  // namespace targets::alltoallv
