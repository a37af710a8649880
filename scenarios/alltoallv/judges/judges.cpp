// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/judges.h"

#include <fmt/format.h>

#include <bit>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "scenarios/alltoallv/judges/calls.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using harness::Label;
using targets::alltoallv::Collective;
using targets::alltoallv::Publication;
using targets::alltoallv::Topology;

Judges::Judges(harness::Scene& scene, const JobState& job_state)
    : scene_(scene),
      state_of_job_(job_state),
      slots_(scene, job_state.rank_count(), job_state.bounded()),
      accesses_(scene, slots_),
      shadow_(scene, slots_),
      mappings_(scene, job_state.bounded()),
      memory_(scene, job_state.bounded()),
      leftovers_(scene) {}

// ---- results ------------------------------------------------------------------------------------

void Judges::read(const targets::alltoallv::Reading& reading) {
  ++reading_count_;
  const Step& step = state_of_job_.step_at(reading.request);
  const ExpectedRows rows = expected_of(step, reading.rank, state_of_job_.rank_count(),
                                        state_of_job_.fills(reading.request));
  std::int32_t expected = 0;
  const int at = first_mismatch(rows, step.collective == Collective::reduce_scatter_linear,
                                reading.destination, expected);
  scene_.world().scheduler.note(harness::EventKind::observe, "destination", 0,
                                static_cast<std::uint32_t>(reading.destination[at < 0 ? 0 : at]));
  if (at >= 0 && was_read_ahead(scene_.world(), reading.rank, reading.request))
    shadow_.read_ahead();
  if (at >= 0)
    report_wrong_value(fmt::format("element {} is {} instead of {}", at,
                                   reading.destination[static_cast<std::size_t>(at)], expected));
  else if (reading.mismatches != 0)
    report_wrong_value("the check kernel saw what the host did not");
}

void Judges::report_wrong_value(std::string detail) {
  scene_.world().history.add(harness::fault_here(scene_, harness::FaultKind::wrong_value,
                                                 "destination", std::move(detail)));
}

// ---- memory that is mapped ----------------------------------------------------------------------

// The scratch of an unfinished team is unknown: when a rank maps it, its owner may still be making
// the team.
BirthId Judges::memory_of(const Use& use) const {
  if (use.is_of_scratch()) return scratch_[use.team][use.peer];
  return use.destination ? memory_.destination(use.peer, use.request)
                         : memory_.source_of(use.peer, use.request);
}

// Peers may have a source or destination mapped when it is freed (kContract). Scratch belongs to
// the team, so that this is a fault.
void Judges::let_go(const Use& use, BirthId met, std::uint64_t count) {
  const BirthId scratch = scratch_[use.team][use.peer];
  accesses_.let_go(use, met, count, mappings_.is_own(use, met));
  mappings_.let_go(use, met, count, memory_of(use));
  if (use.is_of_scratch() && scratch != BirthId::none && !scene_.world().ledger.alive(scratch))
    report_freed(scratch, use.rank);
}

void Judges::team_made(std::uint32_t rank, std::uint32_t team, const Births& births) {
  scratch_[team][rank] = births.last_allocation();
  if (state_of_job_.bounded()) leftovers_.team_made(rank, team, births);
}

// Reports it once: here, or in let_go() if a peer that maps it was not known here.
void Judges::team_destroyed(std::uint32_t rank, std::uint32_t team) {
  const BirthId scratch = std::exchange(scratch_[team][rank], BirthId::none);
  if (scratch != BirthId::none && !scene_.world().ledger.alive(scratch))
    if (const auto peer = mappings_.mapper_of_scratch(rank, team)) report_freed(scratch, *peer);
  mappings_.team_destroyed(rank, team);
  if (state_of_job_.bounded()) leftovers_.judge_team(rank, team);
}

void Judges::report_freed(BirthId scratch, std::uint32_t peer) {
  const harness::Ledger& ledger = scene_.world().ledger;
  if (ledger.serves(scratch, {})) return;  // An intervention keeps it for the rank that maps it.
  harness::Fault fault = ledger.describe(harness::FaultKind::wrong_owner, scratch);
  fault.detail = fmt::format("freed while rank {} has it mapped for the team", peer);
  scene_.world().history.add(std::move(fault));
}

// ---- what is in a slot --------------------------------------------------------------------------

void Judges::compare(Label what, const Memo& found, const Place& place, std::uint64_t offset) {
  const harness::Life& life = scene_.world().ledger.life(place.allocation);
  const bool there = place.allocation != BirthId::none;
  scene_.expect(what, found.ptr, there ? life.address : 0);
  if (!there) return;  // The other fields are never read.
  scene_.expect(what, found.length, life.bytes);
  scene_.expect(what, found.offset, place.offset + offset);
}

void Judges::published(const Publication& publication) {
  constexpr std::uint32_t kBytes = sizeof(std::int32_t);
  const std::uint32_t rank = publication.rank;
  const Step& step = state_of_job_.step_at(publication.request);
  compare("mem_info_src", publication.source, memory_.place_of_source(rank, step.slot),
          std::uint64_t{step.offset} * kBytes);
  const bool proxied = topology_of(publication) != Topology::direct;
  compare("mem_info_dst", publication.destination,
          proxied ? memory_.place_of_destination(rank, step.slot) : Place{}, 0);
  if (step.collective == Collective::alltoall) return;
  const Exchange exchange = exchange_of(step, rank, state_of_job_.rank_count());
  for (std::uint32_t peer = 0; peer < state_of_job_.rank_count(); ++peer) {
    scene_.expect("shares", publication.send_bytes[peer], exchange.send_count[peer] * kBytes);
    scene_.expect("shares", publication.send_displacement[peer],
                  exchange.send_displacement[peer] * kBytes);
    scene_.expect("shares", publication.receive_displacement[peer],
                  exchange.receive_displacement[peer] * kBytes);
  }
}

void Judges::batching(const targets::alltoallv::Batching& batching) {
  const Step& step = state_of_job_.step_at(batching.request);
  if (has_proxied_share(step, batching.rank, topology_of(batching)))
    shadow_.batching_by_proxy(batching.one_call);
  if (memory_.is_ordered_by(step.stream, batching.request)) shadow_.reach(Window::read_ahead);
}

// The tag of a key tells which request wrote it.
void Judges::key_read(const targets::alltoallv::KeyReading& reading) {
  const auto written_for = static_cast<std::uint32_t>(harness::raw(reading.mark));
  Use use = reading.use;
  use.request = written_for - 1;
  accesses_.key_read(reading, written_for != 0 ? memory_of(use) : BirthId::none);
}

// ---- what may be left ---------------------------------------------------------------------------

void Judges::process_closes(std::uint32_t rank) {
  mappings_.settle(rank);
  memory_.over(rank);
  if (state_of_job_.bounded()) leftovers_.judge(rank, allowance(rank));
  mappings_.process_closes(rank);
}

Allowance Judges::allowance(std::uint32_t rank) const {
  std::uint32_t streams = 0;
  for (const Step& step : state_of_job_.plan()) streams |= step.stream != 0 ? 1U << step.stream : 0;
  return {.mappings = mappings_.open_count(rank),
          .allocations = 1,  // Parameter blocks of kernels.
          .streams = 1 + static_cast<std::size_t>(std::popcount(streams)),
          .events = memory_.most_requests(rank),
          .ipc_events = 0};
}

}  // namespace scenarios::alltoallv
