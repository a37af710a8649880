// SPDX-License-Identifier: Apache-2.0
// Story: adds events to the story of a run for the ranks' accesses to shared state, with the names
// of UCC's functions and fields, without their prefix ucc_tl_cuda_. It judges nothing.
//
// Events that explain the race are notes, which a story always shows: claims and releases, the
// address of a source, a rank past completion, a key of another collective. All others are steps.
#pragma once

#include "scenarios/alltoallv/model/state.h"

namespace scenarios::alltoallv {

/// Gets each fact before the state changes. Ownership: borrows the world and the state. Threads:
/// the run's.
class Story final : public targets::alltoallv::Observer {
 public:
  Story(harness::World& world, const State& state) : world_(world), state_(state) {}

 private:
  void copied() override {}
  void read(const targets::alltoallv::Reading&) override {}

  // ---- slots ----
  void init_failed(const targets::alltoallv::FailedInit& failed) override;
  void posting_again(const targets::alltoallv::Reposting& posting) override;
  void claimed(const targets::alltoallv::Taking& taking) override;
  void entered(const targets::alltoallv::Entering& entering) override;
  void source_written(std::uint32_t rank, Request request) override;
  void arrived(const targets::alltoallv::Arrival& arrival) override;
  void passed(const targets::alltoallv::Passage& passage) override;
  void gave_up(std::uint32_t rank, Request request) override;
  void went_on(std::uint32_t rank, Request request) override;
  void released(std::uint32_t slot) override;
  void key_read(const targets::alltoallv::KeyReading& reading) override;

  // ---- mappings ----
  void opened(const Opening& opening) override;
  void mapped(const Use& use, BirthId region, std::uint64_t count) override;
  void let_go(const Use& use, BirthId met, std::uint64_t count) override;
  void evicting(const targets::alltoallv::Eviction& eviction) override;

  void tell(harness::EventKind kind, harness::Label label, BirthId object = BirthId::none);

  harness::World& world_;
  const State& state_;
};

}  // namespace scenarios::alltoallv
