// Job, what it is answered, and what is in the slots: against what the scenario knows itself.
#include <algorithm>
#include <bit>

#include "scenarios/alltoallv/calls.h"
#include "scenarios/alltoallv/ranks.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using harness::Label;
using targets::alltoallv::Publication;
using targets::alltoallv::Status;
using targets::alltoallv::Topology;

// ---- answers ------------------------------------------------------------------------------------

/// What follows from a fault that was found is no refusal.
bool Job::is_at_fault() const {
  const auto& faults = scene_.world().history.faults();
  return std::any_of(faults.begin(), faults.end(), [&](const harness::Fault& fault) {
    return fault.kind != harness::FaultKind::refusal &&
           !harness::is_caller_error(scene_.scenario(), fault);
  });
}

bool Job::note_answer(Label name, Status status, const Situation& situation) {
  if (is_documented(name, status, situation)) return true;
  if (!is_at_fault()) scene_.refuse(name, to_label(status).c_str());
  return false;
}

template <class Tell>
bool Job::any_collective(std::uint32_t rank, std::uint32_t slot, Tell tell) const {
  const harness::Name step =
      harness::derive_name(harness::slot_name(0, slot), Label("rank").hash(), rank);
  const auto& named = scene_.world().history.activations();
  return std::any_of(named.begin(), named.end(), [&](const harness::ActivationRecord& record) {
    return record.parent == step && record.kind == targets::alltoallv::kCollectiveActivation &&
           tell(record.name);
  });
}

bool Job::was_injected_into(std::uint32_t rank, std::uint32_t slot, std::uint32_t round) const {
  const harness::World& world = scene_.world();
  const std::uint32_t since = posted_at_[rank][slot][round % 2];
  const auto own = [&](harness::Name name) { return was_injected(world, name, since); };
  const auto left = [&](harness::Name name) { return was_next_injected(world, name); };
  return any_collective(rank, slot, own) ||
         std::any_of(plan_.begin(), plan_.end(), [&](const Step& step) {
           return step.is_collective() && any_collective(rank, step.slot, left);
         });
}

Situation Job::situation_of(std::uint32_t rank, std::uint32_t slot) const {
  Situation situation;
  const std::uint32_t round = slots_.round(rank, slot);
  situation.injected = was_injected_into(rank, slot, round);
  for (std::uint32_t peer = 0; peer < rank_count_; ++peer)
    if (peer != rank && slots_.round(peer, slot) >= round)
      situation.peer_injected |= was_injected_into(peer, slot, round);
  return situation;
}

// The table says who may be at fault; what the rank's own calls came to is in the history.
void Job::judge_ending(std::uint32_t rank, std::uint32_t slot, Status status) {
  if (status != Status::ok) note_answer("wait", status, situation_of(rank, slot));
  if (!bounded_ || scene_.world().injected_failures == 0) return;
  Failures failures;
  std::size_t transfers = 0;
  any_collective(rank, slot, [&](harness::Name name) {
    failures = failures_of(scene_.world(), name, posted_event_[rank][slot]);
    transfers = transfers_of(scene_.world(), name, posted_event_[rank][slot]);
    return false;
  });
  const std::size_t all = transfer_count(step_at(slot), rank, rank_count_, topology_[rank]);
  if (failures.error && status == Status::ok)
    scene_.refuse("wait", "ok, and a CUDA call failed that was not made again");
  else if (!failures.error && !failures.refused && status == Status::driver_error)
    scene_.refuse("wait", "an error, and no CUDA call has failed for good");
  else if (status == Status::peer_error && all != 0 && transfers == all)
    scene_.refuse("wait", "a peer's error, and all that it brings the rank has come");
}

// ---- memory that is mapped ----------------------------------------------------------------------

// Of scratch only once the team is there: when a rank maps it, its owner is still making the team.
BirthId Job::memory_of(const Use& use) const {
  if (use.request == Use::kTeam) return scratch_[use.peer];
  return use.destination ? memory_.destination(use.peer, use.request)
                         : memory_.source_of(use.peer, use.request);
}

// A source or destination may be freed while peers have it mapped (kContract); scratch is the
// team's.
void Job::let_go(const Use& use, BirthId met, std::uint64_t count) {
  const BirthId scratch = scratch_[use.peer];
  mappings_.let_go(use, met, count, memory_of(use));
  const harness::Ledger& ledger = scene_.world().ledger;
  if (!bounded_ || use.request != Use::kTeam || scratch == BirthId::none || ledger.alive(scratch))
    return;
  harness::Fault fault = ledger.describe(harness::FaultKind::wrong_owner, scratch);
  fault.detail = "freed while a peer has it mapped for the team";
  scene_.world().history.add(std::move(fault));
}

// ---- what is in a slot --------------------------------------------------------------------------

void Job::compare(Label what, const Memo& found, BirthId allocation, std::uint64_t offset) {
  const harness::Life& life = scene_.world().ledger.life(allocation);
  const bool there = allocation != BirthId::none;
  scene_.expect(what, found.ptr, there ? life.address : 0);
  if (!there) return;  // Then nobody reads the rest.
  scene_.expect(what, found.length, life.bytes);
  scene_.expect(what, found.offset, offset);
}

void Job::published(const Publication& publication) {
  constexpr std::uint32_t kBytes = sizeof(std::int32_t);
  const std::uint32_t rank = publication.rank;
  const Step& step = step_at(publication.request);
  compare("mem_info_src", publication.source, memory_.source_of(rank, step.slot),
          std::uint64_t{step.offset} * kBytes);
  const bool proxied = topology_[rank] != Topology::direct;
  compare("mem_info_dst", publication.destination,
          proxied ? memory_.destination(rank, step.slot) : BirthId::none, 0);
  if (step.op == Op::alltoall) return;
  const Exchange exchange = exchange_of(step, rank, rank_count_);
  for (std::uint32_t peer = 0; peer < rank_count_; ++peer) {
    scene_.expect("shares", publication.send_bytes[peer], exchange.send_count[peer] * kBytes);
    scene_.expect("shares", publication.send_displacement[peer],
                  exchange.send_displacement[peer] * kBytes);
    scene_.expect("shares", publication.receive_displacement[peer],
                  exchange.receive_displacement[peer] * kBytes);
  }
}

// ---- what may be left ---------------------------------------------------------------------------

Allowance Job::allowance(std::uint32_t rank) const {
  std::uint32_t streams = 0;
  for (const Step& step : plan_) streams |= step.stream != 0 ? 1U << step.stream : 0;
  return {.mappings = mappings_.open_count(rank),
          .allocations = 1,  // The blocks that kernels are given by address.
          .streams = 1 + static_cast<std::size_t>(std::popcount(streams)),
          .events = memory_.most_requests(rank),
          .ipc_events = 0};
}

}  // namespace scenarios::alltoallv
