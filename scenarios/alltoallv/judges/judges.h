// SPDX-License-Identifier: Apache-2.0
// Judges: passes the facts of a job to its judges, one for each subject.
#pragma once

#include "scenarios/alltoallv/job_state.h"
#include "scenarios/alltoallv/judges/accesses.h"
#include "scenarios/alltoallv/judges/leftovers.h"
#include "scenarios/alltoallv/judges/mappings.h"
#include "scenarios/alltoallv/judges/memory.h"
#include "scenarios/alltoallv/judges/shadow.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job; borrows the scene and the job_state. Threads: the run's.
class Judges final : public targets::alltoallv::Observer {
 public:
  Judges(harness::Scene& scene, const JobState& job_state);
  Judges(const Judges&) = delete;  // Its parts point at each other, and the path points at it.
  Judges& operator=(const Judges&) = delete;

  Shadow& shadow() { return shadow_; }
  const Shadow& shadow() const { return shadow_; }
  Slots& slots() { return slots_; }
  const Slots& slots() const { return slots_; }
  Mappings& mappings() { return mappings_; }
  const Mappings& mappings() const { return mappings_; }
  Memory& memory() { return memory_; }
  /// Returns how many destinations were read back.
  std::uint32_t reading_count() const { return reading_count_; }

  // ---- what a rank does beside its collectives ----
  /// Until a team is there, no one knows its scratch.
  void team_begun(std::uint32_t rank, std::uint32_t team) {
    scratch_[team][rank] = harness::BirthId::none;
  }
  /// `births`: births during the call that made it.
  void team_made(std::uint32_t rank, std::uint32_t team, const Births& births);
  void team_destroyed(std::uint32_t rank, std::uint32_t team);
  /// Called when the process is about to close and nothing is outstanding.
  void process_closes(std::uint32_t rank);
  void process_closed(std::uint32_t rank) { mappings_.process_closed(rank); }

 private:
  using Memo = targets::alltoallv::Publication::Memory;

  // ---- Observer ----
  void copied() override { scene_.exercised(); }
  void read(const targets::alltoallv::Reading& reading) override;
  void placed(const targets::alltoallv::Placement& placement) override {
    memory_.placed(placement);
  }
  void init_failed(const targets::alltoallv::FailedInit& failed) override {
    if (failed.numbered) accesses_.number_lost(failed.request);
    shadow_.init_failed(failed);
  }
  void posting_again(const targets::alltoallv::Reposting& posting) override {
    accesses_.posting_again(posting);
    shadow_.posting_again(posting);
  }
  void posted(const targets::alltoallv::Posting& posting) override {
    shadow_.posted(posting);
    slots_.posted(posting);
  }
  void found_free(Request request) override { shadow_.found_free(request); }
  void claimed(const targets::alltoallv::Taking& taking) override {
    accesses_.claimed(taking);
    shadow_.claimed(taking);
    if (taking.former == 0) slots_.claimed(taking.slot, taking.request);
  }
  void entered(const targets::alltoallv::Entering& entering) override {
    accesses_.entered(entering);
    shadow_.entered(entering);
  }
  void publishing(const targets::alltoallv::Publishing& publishing) override {
    shadow_.publishing(publishing, is_proxy(publishing.rank, topology_of(publishing)));
  }
  void source_written(std::uint32_t rank, Request request) override {
    accesses_.source_written(request, memory_.source_of(rank, request));
  }
  void published(const targets::alltoallv::Publication& publication) override;
  void batching(const targets::alltoallv::Batching& batching) override;
  void overwriting(const targets::alltoallv::Overwriting& overwriting) override {
    shadow_.overwriting(overwriting.at_once);
  }
  void arrived(const targets::alltoallv::Arrival& arrival) override {
    accesses_.arrived(arrival);
    if (arrival.crossing == targets::alltoallv::Crossing::setup)
      shadow_.waits_no_more(arrival.rank, arrival.request);
  }
  void passed(const targets::alltoallv::Passage& passage) override { accesses_.passed(passage); }
  void failed(const targets::alltoallv::Failure& failure) override { shadow_.failed(failure); }
  void went_on(std::uint32_t, Request request) override {
    accesses_.went_on(request);
    shadow_.went_on();
  }
  void gave_up(std::uint32_t, Request request) override {
    accesses_.gave_up(request);
    shadow_.gave_up();
  }
  void key_read(const targets::alltoallv::KeyReading& reading) override;
  void released(std::uint32_t slot) override {
    accesses_.released(slot);
    slots_.released(slot);
  }
  void leaving(const targets::alltoallv::Leaving& leaving) override {
    shadow_.leaving(leaving.has_scratch &&
                    mappings_.mapper_of_scratch(leaving.rank, leaving.team).has_value());
  }
  void left(const targets::alltoallv::SlotLeft& slot) override { slots_.left(slot); }
  void ended(std::uint32_t rank, Request request) override {
    shadow_.waits_no_more(rank, request);
    shadow_.ended(rank, request);
    mappings_.ended(rank, request);
  }
  void opened(const Opening& opening) override {
    accesses_.opened(opening.region);
    mappings_.opened(opening);
  }
  void open_failed(std::uint32_t, std::uint32_t) override { shadow_.open_failed(); }
  void mapped(const Use& use, harness::BirthId region, std::uint64_t count) override {
    accesses_.mapped(region, count);
    mappings_.mapped(use, region, count, memory_of(use));
  }
  void let_go(const Use& use, harness::BirthId met, std::uint64_t count) override;
  void followed_null(const Use&, harness::BirthId meant) override {
    mappings_.followed_null(meant);
  }
  void evicting(const targets::alltoallv::Eviction& eviction) override {
    accesses_.evicting(eviction);
    mappings_.evicting(eviction);
    shadow_.evicting(eviction, mappings_.is_used(eviction.region));
  }
  void marked(harness::BirthId region) override { mappings_.marked(region); }
  void closing(harness::BirthId region) override { mappings_.closing(region); }

  /// Returns the peer's allocation that a use maps.
  harness::BirthId memory_of(const Use& use) const;
  /// Returns the topology of the team to which the request of a fact belongs.
  template <class Fact>
  targets::alltoallv::Topology topology_of(const Fact& fact) const {
    return state_of_job_.topology(fact.rank, state_of_job_.step_at(fact.request).team);
  }
  void compare(harness::Label what, const Memo& found, const Place& place, std::uint64_t offset);
  void report_wrong_value(std::string detail);
  void report_freed(harness::BirthId scratch, std::uint32_t peer);
  Allowance allowance(std::uint32_t rank) const;

  harness::Scene& scene_;
  const JobState& state_of_job_;
  Slots slots_;
  Accesses accesses_;
  Shadow shadow_;
  Mappings mappings_;
  Memory memory_;
  Leftovers leftovers_;
  std::uint32_t reading_count_ = 0;
  /// Scratch by team and rank.
  std::array<std::array<harness::BirthId, kRankLimit>, targets::alltoallv::kTeamLimit> scratch_{};
};

}  // namespace scenarios::alltoallv
