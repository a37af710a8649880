// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/slots.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"

namespace scenarios::alltoallv {

using targets::alltoallv::name_of_slot;

namespace {

void report(harness::Scene& scene, std::string why) {
  harness::Fault fault =
      harness::fault_here(scene, harness::FaultKind::retention, "slot", std::move(why));
  fault.use_site = "bound";
  scene.world().history.add(std::move(fault));
}

}  // namespace

void Slots::posted(const targets::alltoallv::Posting& posting) {
  ++rounds_[posting.rank][posting.request];
  scene_.expect("mark", harness::raw(posting.mark),
                harness::raw(mark(posting.rank, posting.request)));
}

harness::Generation Slots::mark(std::uint32_t rank, Request request) const {
  const std::uint64_t round = rounds_[rank][request];
  return static_cast<harness::Generation>((std::uint64_t{request} + 1) | round << 32);
}

void Slots::claimed(std::uint32_t slot, Request request) {
  owners_[slot] = {static_cast<std::uint8_t>(request), rounds_[0][request]};
}

void Slots::finished(Request request) {
  const std::uint32_t round = ++finished_[request] / rank_count_;
  if (finished_[request] % rank_count_ != 0 || !bounded_) return;
  for (std::uint32_t slot = 0; slot < owners_.size(); ++slot)
    if (owners_[slot].request == request && owners_[slot].round == round)
      report(scene_, fmt::format("all are done with {}, and it is not free", name_of_slot(slot)));
}

void Slots::left(const targets::alltoallv::SlotLeft& slot) {
  if (!bounded_ || (slot.state == 0 && slot.waiting == 0)) return;
  report(scene_, fmt::format("the team goes: {} is at {}, {} wait in its barrier",
                             name_of_slot(slot.slot), slot.state, slot.waiting));
}

}  // namespace scenarios::alltoallv
