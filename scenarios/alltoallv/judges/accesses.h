// SPDX-License-Identifier: Apache-2.0
// Accesses: adds events to the story for the ranks' accesses to shared state, with the names of
// UCC's functions and fields, without their prefix ucc_tl_cuda_. It judges nothing.
//
// Events that explain the race are notes, which a story always shows: claims and releases, the
// address of a source, a rank past completion, a key of another collective. All others are steps.
#pragma once

#include "scenarios/alltoallv/judges/slots.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job; borrows the scene and the slots. Threads: the run's.
class Accesses {
 public:
  Accesses(harness::Scene& scene, const Slots& slots) : scene_(scene), slots_(slots) {}

  // ---- slots ----
  void number_lost(Request request);
  void posting_again(const targets::alltoallv::Reposting& posting);
  void claimed(const targets::alltoallv::Taking& taking);
  void entered(const targets::alltoallv::Entering& entering);
  /// `memory`: the source; none if nothing is sent.
  void source_written(Request request, harness::BirthId memory);
  void arrived(const targets::alltoallv::Arrival& arrival);
  void passed(const targets::alltoallv::Passage& passage);
  void gave_up(Request request);
  void went_on(Request request);
  void released(std::uint32_t slot);
  /// `memory`: the allocation that the key belongs to, if known.
  void key_read(const targets::alltoallv::KeyReading& reading, harness::BirthId memory);

  // ---- mappings ----
  void opened(harness::BirthId region);
  void mapped(harness::BirthId region, std::uint64_t count);
  /// `own`: it is the mapping that the use got.
  void let_go(const targets::alltoallv::Use& use, harness::BirthId met, std::uint64_t count,
              bool own);
  void evicting(const targets::alltoallv::Eviction& eviction);

 private:
  void tell(harness::EventKind kind, harness::Label label,
            harness::BirthId object = harness::BirthId::none);

  harness::Scene& scene_;
  const Slots& slots_;
};

}  // namespace scenarios::alltoallv
