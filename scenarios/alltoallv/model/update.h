// SPDX-License-Identifier: Apache-2.0
// Update: keeps the records of the state, by the facts of the target and the calls of the ranks,
// and never by the path's own counts and numbers.
#pragma once

#include "scenarios/alltoallv/model/state.h"

namespace scenarios::alltoallv {

/// Ownership: borrows the scene and the state. Threads: the run's.
class Update final : public targets::alltoallv::Observer {
 public:
  Update(const harness::Scene& scene, State& state) : world_(scene.world()), state_(state) {}

  // ---- calls of the ranks ----
  /// A variable holds a new source, its `fill`-th.
  void filled(std::uint32_t rank, Buffer buffer, std::uint32_t fill, std::uint32_t stream);
  /// The rank is about to use the source in the variable for the collective of a slot.
  void source_given(std::uint32_t rank, std::uint32_t slot, Buffer buffer);
  /// A request is initialized, and uses the source in the variable, if there is one.
  void begun(std::uint32_t rank, Request request, Buffer buffer);
  void cycled(std::uint32_t rank, Buffer buffer);
  void dropped(std::uint32_t rank, Buffer buffer);
  void finalized(std::uint32_t rank, Request request);
  void post_finished(Request request) { ++state_.finished[request]; }
  /// The collector has run, and the process is about to close all its mappings.
  void process_closes(std::uint32_t rank);
  void forget_unused_tensors(std::uint32_t rank);
  /// A rank is about to make its part of a team.
  void team_begun(std::uint32_t rank, std::uint32_t team, targets::alltoallv::Topology topology);
  void team_made(std::uint32_t rank, std::uint32_t team, BirthId scratch) {
    state_.teams[team][rank].scratch = scratch;
  }
  /// A rank's part of a team is destroyed, and so its uses of scratch have ended.
  void team_destroyed(std::uint32_t rank, std::uint32_t team);

 private:
  // ---- facts ----
  void copied() override {}
  void read(const targets::alltoallv::Reading&) override { ++state_.reading_count; }
  void placed(const targets::alltoallv::Placement& placement) override;
  void posted(const targets::alltoallv::Posting& posting) override;
  void claimed(const targets::alltoallv::Taking& taking) override;
  void publishing(const targets::alltoallv::Publishing& publishing) override;
  void arrived(const targets::alltoallv::Arrival& arrival) override;
  void released(std::uint32_t slot) override { state_.slots[slot].owner = Tensor::kNone; }
  void ended(std::uint32_t rank, Request request) override;
  void opened(const Opening& opening) override {
    state_.mappings[opening.rank].push_back({.opening = opening});
  }
  void mapped(const Use& use, BirthId region, std::uint64_t count) override;
  void let_go(const Use& use, BirthId met, std::uint64_t count) override;
  void evicting(const targets::alltoallv::Eviction& eviction) override;
  void marked(BirthId region) override;
  void closing(BirthId region) override;

  // The state returns what it finds as constant, since all other parts only read it.
  template <class Record>
  static Record* changeable(const Record* found) {
    return const_cast<Record*>(found);
  }
  Tensor* source_in(std::uint32_t rank, Buffer buffer) {
    return changeable(state_.source_in(rank, buffer));
  }
  Mapping* find_mapping(BirthId region) { return changeable(state_.find_mapping(region)); }
  void waits_no_more(std::uint32_t rank, Request request);

  const harness::World& world_;
  State& state_;
};

}  // namespace scenarios::alltoallv
